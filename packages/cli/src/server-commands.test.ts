import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Terminal } from './testing/run-parley.ts';

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
  it('serves, says what to do next, and exits with 0 on SIGTERM', async () => {
    const server = terminal.start(['serve', '--port', '0', '--data-dir', dataDir]);
    await server.printed('"listening"');
    server.signal('SIGTERM');
    const { code, stdout, stderr } = await server.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('"event":"stopped"');
    expect(stderr).toContain('/llms.txt');
  });

  it('refuses a folder another server has, naming its pid and the folder', async () => {
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

  it('refuses a setting it does not know, suggests one, and exits with 2', async () => {
    const { code, stderr } = await terminal.start(['serve', '--prot', '0']).finished;
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean --port?');
  });
});

describe('parley config print', () => {
  it('shows every value with its origin, and secrets only as set', async () => {
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

  it('exits with 2 when a value is wrong', async () => {
    const { code, stderr } = await terminal.start(['config', 'print', '--port', 'http']).finished;
    expect([code, stderr]).toEqual([
      2,
      'parley: --port: expected a whole number from 0 to 65535, not "http"\n',
    ]);
  });
});
