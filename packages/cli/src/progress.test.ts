import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Terminal } from './testing/run-parley.ts';

const BIN = fileURLToPath(new URL('../bin/parley.mjs', import.meta.url));

describe('progress', () => {
  let server: Server;
  let url: string;
  const waiting: (() => void)[] = [];
  let terminal: Terminal;

  beforeAll(async () => {
    // Answers when it is told to.
    server = createServer((_request, response) => {
      waiting.push(() => response.writeHead(404, { 'content-type': 'application/json' }).end('{}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    terminal = new Terminal({ PARLEY_URL: url });
  });
  afterAll(() => {
    terminal.remove();
    server.closeAllConnections();
    server.close();
  });

  const answer = (): void => {
    for (const each of waiting.splice(0)) each();
  };

  function onTerminal(words: string, env: Record<string, string> = {}) {
    const child = spawn('script', ['-qec', `'${process.execPath}' '${BIN}' ${words}`, '/dev/null'], {
      env: { PATH: process.env['PATH'] ?? '', HOME: terminal.home, TERM: 'xterm', PARLEY_URL: url, ...env },
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { printed: () => printed, closed, type: (text: string) => child.stdin.write(text) };
  }

  test('shows on a terminal what takes over a second, and leaves nothing of it behind', async () => {
    const shown = onTerminal('agent register ann', { LANG: 'C.UTF-8' });
    await expect.poll(() => shown.printed()).toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] agent register … \d+ s/);
    answer();
    expect(await shown.closed).not.toBe(0);
    const last = shown.printed().split('\u001b[K').at(-1);
    expect(last).toMatch(/^parley: /);
    expect(last).not.toContain('…');
  });

  test('without letters of its own where the terminal has none', async () => {
    const shown = onTerminal('agent register ann', { LANG: 'C' });
    await expect.poll(() => shown.printed()).toMatch(/[|/\\-] agent register … \d+ s/);
    answer();
    await shown.closed;
  });

  test('is gone when the command is interrupted', async () => {
    const shown = onTerminal('agent register ann', { LANG: 'C' });
    await expect.poll(() => shown.printed()).toMatch(/ … \d+ s/);
    shown.type('\u0003');
    expect(await shown.closed).toBe(130);
    expect(shown.printed().endsWith('\u001b[K')).toBe(true);
    answer();
  });

  test('is none in a pipe, and none where a command speaks for itself', async () => {
    const piped = terminal.start(['agent', 'register', 'ann']);
    const login = onTerminal('login');
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    // As long as it takes until something is shown elsewhere.
    const shown = onTerminal('agent register bob', { LANG: 'C' });
    await expect.poll(() => shown.printed()).toMatch(/ … \d+ s/);
    await expect.poll(() => waiting.length).toBeGreaterThan(1);
    answer();
    await Promise.all([shown.closed, piped.finished]);
    login.type('\u0003');
    await login.closed;
    expect(piped.toldSoFar()).not.toContain('…');
    expect(login.printed()).not.toMatch(/login … \d/);
    answer();
  });
});
