import { describeEachDialect, freshLocation, type FreshLocation } from '@parley/server/testing/databases';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Running, Terminal } from './testing/run-parley.ts';

let terminal: Terminal;
let dataDir: string;

beforeEach(() => {
  terminal = new Terminal({});
  dataDir = mkdtempSync(join(tmpdir(), 'parley-invite-'));
});
afterEach(() => {
  terminal.remove();
  rmSync(dataDir, { recursive: true, force: true });
});

describeEachDialect('parley invite', (dialect) => {
  let place: FreshLocation;
  let flags: string[];
  let server: Running;
  let url: string;

  beforeEach(async () => {
    place = await freshLocation(dialect);
    flags =
      'url' in place.at
        ? ['--data-dir', dataDir, '--database-url', place.at.url]
        : ['--data-dir', place.at.dataDir];
    server = terminal.start(['serve', '--port', '0', '--registration', 'invite', ...flags]);
    await server.printed('"listening"');
    url = /"url":"([^"]+)"/.exec(server.soFar())?.[1] ?? '';
  });
  afterEach(async () => {
    server.signal('SIGTERM');
    await server.finished;
    await place.remove();
  });

  test('makes a code for a running server, good for one registration', async () => {
    const made = await terminal.run(['invite', ...flags]);
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toMatch(/^inv_[\w-]+\n$/);
    const register = (name: string) =>
      terminal.run(['agent', 'register', name, '--invite', '--replace', '--server', url], made.stdout);
    expect(await register('harbour-bot')).toMatchObject({ code: 0 });
    expect(await register('second-bot')).toMatchObject({ code: 4 });
  });

  test('makes as many as it is asked for, and says how long they are good', async () => {
    const made = [
      await terminal.run(['invite', '--json', ...flags]),
      await terminal.run(['invite', ...flags, '--json']),
    ].map(({ stdout }) => JSON.parse(stdout) as { invite: string; expires_at: string });
    expect(new Set(made.map(({ invite }) => invite)).size).toBe(2);
    for (const [index, { invite, expires_at: until }] of made.entries()) {
      expect(Date.parse(until)).toBeGreaterThan(Date.now() + 6 * 86_400_000);
      const args = ['agent', 'register', `bot-${index}`, '--invite', '--replace', '--server', url];
      expect(await terminal.run(args, invite)).toMatchObject({ code: 0 });
    }
  });
});

describe('parley invite, where it cannot', () => {
  test('makes no store where there is none', async () => {
    const { code, stdout, stderr } = await terminal.run(['invite', '--data-dir', dataDir]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`no server has used the data folder ${dataDir} yet`);
    expect(existsSync(join(dataDir, 'parley.db'))).toBe(false);
  });

  test('refuses a setting it does not know, and exits with 2', async () => {
    const { code, stderr } = await terminal.run(['invite', '--data-dri', dataDir]);
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean --data-dir?');
  });
});
