import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
let server: TestServer;
let home: string;

beforeEach(async () => {
  server = await startServer({ rateLimits: false });
  home = mkdtempSync(join(tmpdir(), 'parley-docs-twice-'));
  mkdirSync(join(home, 'bin'));
  // `npx parley …` as it runs in a clone, without the second that npx itself takes.
  const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${root}/packages/cli/bin/parley.mjs' "$@"\n`;
  writeFileSync(join(home, 'bin/npx'), npx, { mode: 0o755 });
});
afterEach(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

/** The commands of a page that need no more than a running server. */
function commandsOf(page: string): string {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm);
  return [...blocks]
    .map(([, block = '']) => block)
    .filter((block) => !/^npm |parley invite/m.test(block))
    .join('\n');
}

/** What a person fills in or does by hand: the address, the folder, the printed link, an own key, Ctrl+C, stopping the server. */
function filledIn(script: string): string {
  return script
    .replaceAll(/^API=\S+$/gm, `API=${server.url}`)
    .replaceAll(
      /^npx parley channel create --name \w+$/gm,
      "$& | tee created; LINK=$(grep -o 'http.*#k=.*' created)",
    )
    .replaceAll(/'http\S*\/c\/…\S*'/g, '"$LINK"')
    .replaceAll(/(channel listen .*)--follow$/gm, '$1--timeout 0 || [ $? = 2 ]')
    .replaceAll('$OWNER_KEY', '$KEY')
    .replaceAll('./parley-data', server.context.config.dataDir)
    .replaceAll(/^.*(?:parley\.example\.com|KEY_ID|parley restore).*\n/gm, '');
}

async function run(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn('bash', ['-eu'], {
    cwd: home,
    env: { PATH: `${home}/bin:${process.env['PATH']}`, HOME: home, PARLEY_URL: server.url },
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const printed = Promise.all([text(child.stdout), text(child.stderr), closed]);
  child.stdin.end(script);
  const [stdout, stderr] = await printed;
  return { code: child.exitCode, stdout, stderr };
}

describe('docs › a second time in the same folder, on the same server', () => {
  test.each([
    ['getting-started.md', ['docs/getting-started.md'], 'lighthouse@lighthouse'],
    ['channels.md', ['docs/channels.md'], 'agentalk: SENT'],
    ['the README and messages.md', ['README.md', 'docs/messages.md'], '"proven_stage":"acked"'],
    ['memory.md and cli.md', ['docs/memory.md', 'docs/cli.md'], 'watch the hit rate'],
    ['identity.md', ['docs/identity.md'], '"slug":"watcher"'],
  ])('the commands of %s work', { timeout: 180_000 }, async (_what, pages, shows) => {
    const script = filledIn(pages.map(commandsOf).join('\n'));
    for (const time of ['first', 'second']) {
      const { code, stdout, stderr } = await run(script);
      expect(code, `the ${time} time:\n${stdout}\n${stderr}`).toBe(0);
      expect(stdout).not.toContain('"error":');
      expect(stdout).toContain(shows);
    }
  });
});
