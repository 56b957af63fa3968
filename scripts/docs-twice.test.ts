import { spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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
  // `npx parley …` and `npx aya …` as they run in a clone, without the second that npx itself takes.
  const npx = `#!/bin/sh\nname=$1; shift\nexec '${process.execPath}' '${root}/packages/cli/bin/'$name.mjs "$@"\n`;
  writeFileSync(join(home, 'bin/npx'), npx, { mode: 0o755 });
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  mkdirSync(join(home, 'backups'));
});
afterEach(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

/** What needs a machine of its own, or one that is set up: its users, its services, its containers, a PostgreSQL with a password. */
const NOT_HERE = /^npm |parley invite|parley\.mjs invite|git clone|systemctl|docker|psql/m;

/** The commands of a page that need no more than a running server, and its programs as they are saved and run. */
function commandsOf(page: string): string {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```(sh|js)\n([\s\S]*?)^```$/gm);
  return [...blocks]
    .map(([, kind, block = '']) =>
      kind === 'js'
        ? `cat > hello.mjs <<'END'\n${block}END\nKEY=\${KEY-} '${process.execPath}' hello.mjs\n`
        : block,
    )
    .filter((block) => !NOT_HERE.test(block))
    .join('\n');
}

/** What a person fills in or does by hand: the address, the folder, the printed link, an own key, Ctrl+C, stopping the server. */
function filledIn(script: string): string {
  return (
    script
      .replaceAll(/^API=\S+$/gm, `API=${server.url}`)
      .replaceAll(
        /^npx parley channel create --name \w+$/gm,
        "$& | tee created; LINK=$(grep -o 'http.*#k=.*' created)",
      )
      .replaceAll(/'http\S*\/c\/…\S*'/g, '"$LINK"')
      .replaceAll(/(channel listen .*)--follow$/gm, '$1--timeout 0 || [ $? = 2 ]')
      .replaceAll('$OWNER_KEY', '$KEY')
      .replaceAll("'http://127.0.0.1:7330'", `'${server.url}'`)
      .replaceAll(/^npx parley restore \S+ --data-dir \S+$/gm, RESTORE)
      .replaceAll(/(--aya-api-base-url) \S+/g, `$1 ${server.url}`)
      // There is no runtime here that it could wake.
      .replaceAll(/^npx aya doctor$/gm, '$& || [ $? = 1 ]')
      .replaceAll(/^npx (?:aya serve|parley bridge run)\n/gm, '')
      .replaceAll('./parley-data', server.context.config.dataDir)
      .replaceAll(/^cd \/var\/lib\/parley$/gm, 'cd ~')
      .replaceAll('/var/backups/parley', '~/backups')
      .replaceAll(/"(~\/backups\/[^"]*)"/g, '$1')
      // Two in one second would be one name.
      .replaceAll('%H%M%S', '%H%M%S%N')
      .replaceAll('-o parley ', '')
      .replaceAll('sudo -u parley node /opt/parley/packages/cli/bin/parley.mjs', 'npx parley')
      .replaceAll(/^.*(?:parley\.example\.com|KEY_ID).*\n/gm, '')
  );
}

/** Of a server that is stopped: a folder of its own. */
const RESTORE =
  'npx parley restore "$(ls ~/backups/*.db ~/parley-*.db 2>/dev/null | head -n 1)" --data-dir ~/restored';

async function run(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn('bash', ['-eu'], {
    cwd: home,
    env: {
      PATH: `${home}/bin:${process.env['PATH']}`,
      HOME: home,
      PARLEY_URL: server.url,
      PARLEY_DATA_DIR: server.context.config.dataDir,
    },
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  const printed = Promise.all([text(child.stdout), text(child.stderr), closed]);
  child.stdin.end(script);
  const [stdout, stderr] = await printed;
  return { code: child.exitCode, stdout, stderr };
}

/** Pages that are read one after the other, and something that the commands of each print. */
const RUNS: readonly (readonly [string, readonly (readonly [page: string, shows: string])[]])[] = [
  ['getting-started.md', [['docs/getting-started.md', 'lighthouse@lighthouse']]],
  ['channels.md', [['docs/channels.md', 'agentalk: SENT']]],
  [
    'the README and messages.md',
    [
      ['README.md', '"proven_stage":"acked"'],
      ['docs/messages.md', '"proven_stage":"acked"'],
    ],
  ],
  [
    'memory.md and what builds on it',
    [
      ['docs/memory.md', 'watch the hit rate'],
      ['docs/reminders-and-handoffs.md', 'watch the hit rate'],
      ['docs/cli.md', 'watch the hit rate'],
      ['docs/memory-history.md', '(main is '],
      ['docs/sdk.md', 'desk: the build is green'],
    ],
  ],
  [
    'cues.md and bridge.md',
    [
      ['docs/cues.md', '"body":"Read the tide table."'],
      ['docs/bridge.md', '[Service]'],
    ],
  ],
  ['mcp.md', [['docs/mcp.md', 'mcpServers']]],
  ['knowledge.md', [['docs/knowledge.md', '"anchor":{"id":"thread:tide-cache"']]],
  ['identity.md', [['docs/identity.md', '"slug":"watcher"']]],
  ['operating.md', [['docs/operating.md', 'restored']]],
];

describe('docs › a second time in the same folder, on the same server', () => {
  test('every page with commands is run', () => {
    const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
    const covered = new Set(RUNS.flatMap(([, read]) => read.map(([page]) => page)));
    expect(pages.filter((page) => commandsOf(page) !== '' && !covered.has(page))).toEqual([]);
  });

  test.each(RUNS)('the commands of %s work', { timeout: 180_000 }, async (_what, pages) => {
    const script = filledIn(pages.map(([page]) => commandsOf(page)).join('\n'));
    for (const time of ['first', 'second']) {
      const { code, stdout, stderr } = await run(script);
      expect(code, `the ${time} time:\n${stdout}\n${stderr}`).toBe(0);
      expect(stdout).not.toContain('"error":');
      for (const [page, shows] of pages) expect(stdout, page).toContain(shows);
    }
  });
});
