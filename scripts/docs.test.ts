import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { vectors } from '@parley/protocol/channels/testing/vectors';
import { startServer } from '@parley/server/testing/start-server';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = ['README.md', 'CHANGELOG.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

describe('docs', () => {
  test('are generated from what the server runs on', { timeout: 300_000 }, () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stdout + stderr, 'run `npm run docs`').toBe('docs are up to date\n');
  });

  test.each(pages)('%s links to files and headings that exist', (page) => {
    for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = '', heading] = target.split('#');
      const file = path === '' ? join(root, page) : join(root, dirname(page), path);
      expect(existsSync(file), `${page} → ${target}`).toBe(true);
      if (heading) expect(headings(readFileSync(file, 'utf8')), `${page} → ${target}`).toContain(heading);
    }
  });

  test.each(pages)('%s speaks calmly', (page) => {
    const prose = read(page).replaceAll(/^```[\s\S]*?^```$/gm, '');
    expect(prose.replaceAll(/<!--|`[^`]*`/g, '')).not.toContain('!');
  });

  test('show the vectors of the sealed envelope', () => {
    const page = read('docs/channels.md');
    for (const { key, fragment, fingerprint, nonce, channelId, sender, plain, text: blob } of vectors) {
      for (const value of [key, fragment, fingerprint, nonce, `${channelId}:${sender}`, plain, blob]) {
        expect(page).toContain(` ${value}\n`);
      }
    }
  });
});

/** Blocks that begin where a server is needed, run as they stand but for the address. */
describe('docs › commands', () => {
  const readme = blocksOf('README.md');

  test('of the README hold a room, send a message and keep a capsule', async () => {
    const printed = await run(readme);
    expect(printed).toContain('"room_state":"ACTIVE"');
    expect(printed).toMatch(/\/watch\/room_\S+#code=hc_/);
    expect(printed).toContain('"proven_stage":"delivered"');
    expect(printed).toContain('"open_loops":["ask whether six hours is enough"]');
  });

  test('of the messages page send, acknowledge and answer', async () => {
    const printed = await run([...readme.slice(0, 1), ...blocksOf('docs/messages.md')]);
    expect(printed).toContain('"delivery_state":"acked"');
    expect(printed).toContain('"proven_stage":"acked"');
  });

  test('of the memory page keep, read, patch and hand over a capsule', async () => {
    const printed = await run(blocksOf('docs/memory.md'));
    expect(printed).toContain('"created":true');
    expect(printed).toContain('"open_loops":["ask whether six hours is enough"]');
    expect(printed).toContain('"operations_applied":3');
    expect(printed).toContain('"resume_quality":{"adequate":true}');
  });

  test('of the page on reminders and handing over remind, hand over, share and reconcile', async () => {
    const printed = await run(blocksOf('docs/reminders-and-handoffs.md'));
    expect(printed).toContain('"warnings":["schedule_db_missing"]');
    expect(printed).toContain('"status":"done"');
    expect(printed).toContain('"recipient_status":"accepted_advisory"');
    expect(printed).toContain('"code":"shared_version_conflict"');
    expect(printed).toContain('"resolution_outcome":"advisory_only"');
  });

  test('of the knowledge page write, find and retrieve', async () => {
    const printed = await run(blocksOf('docs/knowledge.md'));
    expect(printed).toContain('"path":"tasks/open/measure.json"');
    expect(printed).toContain('"score":4.5');
    expect(printed).toContain('Is that enough? #tides"');
    expect(printed).toContain('"id":"task:measure"');
  });

  test('of the channels page show the wire', async () => {
    const printed = await run(blocksOf('docs/channels.md'));
    expect(printed).toContain('{"ok":true,"index":1}');
    expect(printed).toContain('"text":"a sealed blob goes here"');
  });
});

function blocksOf(page: string): string[] {
  return [...read(page).matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, block = '']) => block)
    .filter((block) => block.includes('curl -sS') && block.includes('$API'));
}

async function run(blocks: readonly string[]): Promise<string> {
  const server = await startServer();
  const directory = mkdtempSync(join(tmpdir(), 'parley-docs-'));
  try {
    const script = blocks.join('\n').replaceAll(/^API=\S+$/gm, `API=${server.url}`);
    expect(script).toContain(server.url);
    const child = spawn('bash', ['-eu'], { cwd: directory, stdio: ['pipe', 'pipe', 'pipe'] });
    const printed = Promise.all([text(child.stdout), text(child.stderr)]);
    child.stdin.end(script);
    const [stdout, stderr] = await printed;
    expect(stderr).toBe('');
    expect(stdout).not.toContain('"error":');
    return stdout;
  } finally {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function headings(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}
