// `npm run dev`: builds and serves; on every change of a source builds what changed and starts the server again.
// What it is given goes to the server: `npm run dev -- --port 7331`. A build that fails leaves the old server running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from './run.mjs';

// An editor writes a file in several steps, and a checkout many files.
const SETTLE_MS = 150;

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const node = (script, args = []) => spawn(process.execPath, [path(script), ...args], { stdio: 'inherit' });

let server;
let working = false;
let again = false;
let ending = false;
let timer;

async function build() {
  const [code] = await once(node('./build.mjs'), 'close');
  return code === 0;
}

async function stop() {
  if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, 'close');
  server.kill('SIGTERM');
  await gone;
}

async function restart() {
  if (working) {
    again = true;
    return;
  }
  working = true;
  do {
    again = false;
    if (await build()) {
      await stop();
      if (ending) return;
      server = node('./serve.mjs', process.argv.slice(2));
    }
  } while (again);
  working = false;
}

function changed() {
  clearTimeout(timer);
  timer = setTimeout(() => void restart(), SETTLE_MS);
}

for (const name of readdirSync(`${root}/packages`)) {
  watch(`${root}/packages/${name}/src`, { recursive: true }, (_event, file) => {
    if (file !== null && !/\.test\.ts$|(^|\/)testing\//.test(file)) changed();
  });
}
// How the pages are put together.
watch(`${root}/packages/web`, (_event, file) => {
  if (file?.endsWith('.mjs')) changed();
});
// The guide is made of them.
watch(`${root}/docs`, (_event, file) => {
  if (file?.endsWith('.md')) changed();
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    ending = true;
    void stop().then(() => process.exit(0));
  });
}
await restart();
