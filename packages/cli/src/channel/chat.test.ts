import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

const BIN = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url));

describe('parley channel chat', () => {
  let server: TestServer;
  let ann: Terminal;
  let bob: Terminal;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    ann = new Terminal({ PARLEY_URL: server.url });
    bob = new Terminal({ PARLEY_URL: server.url });
    const { join_url: url } = await ann.json(['create', '--name', 'ann']);
    await bob.json(['join', '--name', 'bob'], String(url));
  });
  afterAll(async () => {
    ann.remove();
    bob.remove();
    await server.close();
  });

  test('takes plain lines from a pipe, in their order, and ends when they do', async () => {
    const { code, stderr } = await bob.run(['channel', 'chat'], 'one\n/dm ann two\n/what\n');
    expect([code, stderr]).toEqual([0, '']);
    const heard = await ann.run(['channel', 'listen', '--timeout', '20', '--json']);
    expect(heard.stdout).toContain('"text":"one"');
    const next = await ann.run(['channel', 'listen', '--timeout', '20', '--json']);
    expect(next.stdout).toContain('"kind":"dm"');
  });

  test('has a screen of its own on a terminal, where what others write is only text', async () => {
    await ann.run(['channel', 'say', 'hello \u001b[2J bob']);
    const child = spawn('script', ['-qec', `'${process.execPath}' '${BIN}' channel chat`, '/dev/null'], {
      env: { PATH: process.env['PATH'] ?? '', HOME: bob.home, TERM: 'xterm' },
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    await expect.poll(() => printed).toContain('hello \\x1b[2J bob');
    child.stdin.write('/who\n');
    await expect.poll(() => printed).toMatch(/here: .*ann/);
    child.stdin.write('/quit\n');
    expect(await closed).toBe(0);
    expect(printed).toContain('\u001b[?1049h');
    expect(printed.trimEnd().endsWith('\u001b[?1049l')).toBe(true);
  });
});
