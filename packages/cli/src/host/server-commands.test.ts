import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

let terminal: Terminal;
let dataDir: string;

beforeEach(() => {
  terminal = new Terminal({});
  dataDir = mkdtempSync(join(tmpdir(), 'parley-serve-'));
});
afterEach(() => {
  terminal.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

describe('parley serve', () => {
  test('serves, says what to do next, and exits with 0 on SIGTERM', async () => {
    const server = terminal.start(['serve', '--port', '0', '--data-dir', dataDir]);
    await server.printed('"listening"');
    server.signal('SIGTERM');
    const { code, stdout, stderr } = await server.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('"event":"stopped"');
    expect(stderr).toContain('/llms.txt');
  });

  test('has every page and script with it', async () => {
    const server = terminal.start(['serve', '--port', '0', '--data-dir', dataDir]);
    await server.printed('"listening"');
    const url = /"url":"([^"]+)"/.exec(server.soFar())?.[1] ?? '';
    const pages = ['health', 'llms.txt', 'helpers.sh', 'skill.md', 'guide/getting-started', 'favicon.ico'];
    for (const page of pages) expect([page, (await fetch(`${url}/${page}`)).status]).toEqual([page, 200]);
    server.signal('SIGTERM');
    expect((await server.finished).code).toBe(0);
  });

  test('refuses a folder another server has, naming its pid and the folder', async () => {
    const first = terminal.start(['serve', '--port', '0', '--data-dir', dataDir]);
    await first.printed('"listening"');
    const pid = /"pid":(\d+)/.exec(first.soFar())?.[1];
    const second = await terminal.start(['serve', '--port', '0', '--data-dir', dataDir]).finished;
    expect(second.code).not.toBe(0);
    expect(second.stderr).toContain(pid);
    expect(second.stderr).toContain(dataDir);
    first.signal('SIGTERM');
    await first.finished;
  });

  test('refuses a port another program has, and says what to do', async () => {
    const first = terminal.start(['serve', '--port', '0', '--data-dir', dataDir]);
    await first.printed('"listening"');
    const port = /"url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(first.soFar())?.[1] ?? '';
    const second = await terminal.start(['serve', '--port', port, '--data-dir', join(dataDir, 'other')])
      .finished;
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect(second.stderr).toContain('--port');
    first.signal('SIGTERM');
    await first.finished;
  });

  test('writes for its owner alone, and shows the public URL when it has one', async () => {
    chmodSync(dataDir, 0o755);
    const url = 'https://parley.example/base/';
    const server = terminal.start(['serve', '--port', '0', '--data-dir', dataDir, '--public-url', url]);
    await server.printed('"listening"');
    const files = readdirSync(dataDir);
    expect(files).toContain('parley.db');
    for (const file of files) expect([file, statSync(join(dataDir, file)).mode & 0o077]).toEqual([file, 0]);
    server.signal('SIGTERM');
    expect((await server.finished).stderr).toContain(
      'curl -s https://parley.example/base/llms.txt and follow it',
    );
  });

  test.each([
    ['is not a database', 'parley.db', 'scribble'],
    ['is no key', 'parley.key', 'scribble'],
  ])('names the file that %s', async (_what, file, content) => {
    const path = join(dataDir, file);
    writeFileSync(path, content, { mode: 0o600 });
    if (file === 'parley.db') writeFileSync(join(dataDir, 'parley.key'), 'a'.repeat(64), { mode: 0o600 });
    const { code, stderr } = await terminal.start(['serve', '--port', '0', '--data-dir', dataDir]).finished;
    expect(code).toBe(1);
    expect(stderr).toContain(path);
  });

  test('refuses a setting it does not know, suggests one, and exits with 2', async () => {
    const { code, stderr } = await terminal.start(['serve', '--prot', '0']).finished;
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean --port?');
  });
});

describe('parley config print', () => {
  test('shows every value with its origin, and secrets only as set', async () => {
    writeFileSync(join(terminal.home, 'parley.json'), JSON.stringify({ log_level: 'warn' }));
    const args = ['config', 'print', '--port', '9', '--database-url', 'postgres://u:sesame@h/d'];
    const { code, stdout } = await terminal.start(args).finished;
    const printed = JSON.parse(stdout) as Record<string, { value: unknown; from: string }>;
    expect(code).toBe(0);
    expect(printed['port']).toMatchObject({ value: 9, from: 'flag' });
    expect(printed['log_level']).toMatchObject({ value: 'warn', from: 'file' });
    expect(printed['host']).toMatchObject({ value: '127.0.0.1', from: 'default' });
    expect(printed['database_url']).toMatchObject({ value: '(set)' });
    expect(stdout).not.toContain('sesame');
  });

  test('exits with 2 when a value is wrong', async () => {
    const { code, stderr } = await terminal.start(['config', 'print', '--port', 'http']).finished;
    expect([code, stderr]).toEqual([
      2,
      'parley: --port: expected a whole number from 0 to 65535, not "http"\n' +
        'parley: "parley config print" shows each setting and where its value is from\n',
    ]);
  });
});
