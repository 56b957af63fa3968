// Compiles the workspace (tsc -b) and bundles the server, and the programs that leave it as text: the scripts of its pages and the
// node program inside the served shell helpers.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = new URL('..', import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, root));

export async function build({ quiet = false } = {}) {
  // Later builds take a moment; the first one would pass for a program that hangs.
  if (!existsSync(path('packages/server/dist/main.js'))) {
    process.stderr.write('parley: building, which takes up to a minute the first time …\n');
  }
  const tsc = spawnSync(process.execPath, [path('node_modules/typescript/bin/tsc'), '-b'], {
    cwd: path('.'),
    encoding: 'utf8',
  });
  if (tsc.status !== 0) throw new Error(`tsc -b failed\n${tsc.stdout}${tsc.stderr}`);
  const bundles = new URL('packages/web/bundle.mjs', root);
  if (existsSync(bundles)) await (await import(bundles.href)).bundle();
  if (existsSync(path('scripts/bundle-server.mjs')))
    await (await import('./bundle-server.mjs')).bundleServer();
  if (!quiet) process.stdout.write('built\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build();
