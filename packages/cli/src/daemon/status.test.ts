import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';
import { AgentFiles } from './agent-files.ts';
import { keepAgent } from './daemon-config.ts';
import { itemFrom, type WakeItem } from './wake-item.ts';

const BIN = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url));
const AT = '2026-06-01T09:00:00.000Z';

describe('parley bridge status', () => {
  let terminal: Terminal;

  beforeAll(() => {
    terminal = new Terminal({});
    const home = `${terminal.home}/bridge`;
    const files = new AgentFiles(home, 'scout');
    keepAgent(home, 'scout', { server: 'http://127.0.0.1:2', adapter: { type: 'stdout' } });
    const wake = (id: string): WakeItem =>
      itemFrom('message.wake', { message_id: id, from: { slug: 'ann@ann' } }, AT, 'ann') as WakeItem;
    files.end({ ...wake('msg_done'), invoked_at: AT }, 'done', AT);
    files.put({ ...wake('msg_waits'), last_error: 'nobody is there' });
  });
  afterAll(() => terminal.remove());

  test('a pipe gets rows with whole times', async () => {
    const words = ['bridge', 'status', '--wakes', '--home', `${terminal.home}/bridge`];
    expect((await terminal.run(words)).stdout).toBe(
      [
        'scout\tstdout\thttp://127.0.0.1:2\tdoes not run\t1 waiting',
        `  msg_waits\tmessage.wake\tann@ann\tdelivered ${AT}\tnot invoked\tnot resumed\twaits: nobody is there`,
        `  msg_done\tmessage.wake\tann@ann\tdelivered ${AT}\tinvoked ${AT}\tnot resumed\tdone ${AT}\n`,
      ].join('\n'),
    );
  });

  test('a terminal gets tables that say how long ago it was', () => {
    const words = `bridge status --wakes --no-color --home '${terminal.home}/bridge'`;
    const { stdout } = spawnSync('script', ['-qec', `'${process.execPath}' '${BIN}' ${words}`, '/dev/null'], {
      env: { PATH: process.env['PATH'], HOME: terminal.home, TERM: 'xterm' },
      encoding: 'utf8',
    });
    const lines = stdout.replaceAll('\r', '').split('\n');
    expect(lines[0]).toMatch(/^AGENT {2}ADAPTER {2}SERVER +STATE +WAKES$/);
    expect(lines[2]).toMatch(/^WAKE +.*DELIVERED +INVOKED +RESUMED +OUTCOME$/);
    expect(lines.find((line) => line.startsWith('msg_done'))).toMatch(/ ago +.* ago +no +done$/);
    expect(stdout).not.toContain(AT);
  });
});
