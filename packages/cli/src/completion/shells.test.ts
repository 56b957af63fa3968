import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

const BIN = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url));

/** Asks the shell's own function for the last of these words, and prints what it offers in lines. */
const ASK = {
  bash: `eval "$(parley completion bash)"; COMP_WORDS=(parley "$@"); COMP_CWORD=$#; _parley
         (( \${#COMPREPLY[@]} == 0 )) || printf '%s\n' "\${COMPREPLY[@]}"`,
  // What it has of a line that is being edited, and what it does with the matches.
  zsh: `compdef() { : }; compadd() { (( $#found == 0 )) || print -rl -- "\${(@)found}" }
        eval "$(parley completion zsh)"; words=(parley "$@"); CURRENT=$#words; _parley`,
};

describe('completion in a shell', () => {
  let server: TestServer;
  let terminal: Terminal;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    terminal = new Terminal({ PARLEY_URL: server.url });
    mkdirSync(join(terminal.home, 'bin'));
    const shim = `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`;
    writeFileSync(join(terminal.home, 'bin/parley'), shim, { mode: 0o755 });
    await must('agent', 'register', 'ada');
    await must('cue', 'create', 'tides', '--cron', '0 6 * * *', '--to', 'ada', '--message', 'x');
    await must('cue', 'create', 'trap $(touch here)', '--cron', '0 6 * * *', '--to', 'ada', '--message', 'x');
  });
  afterAll(async () => {
    terminal.remove();
    await server.close();
  });

  async function must(...words: string[]): Promise<void> {
    const { code, stderr } = await terminal.run(words);
    expect([words, code], stderr).toEqual([words, 0]);
  }

  async function offered(shell: keyof typeof ASK, ...words: string[]): Promise<string[]> {
    const { stdout } = await promisify(execFile)(shell, ['-c', ASK[shell], shell, ...words], {
      cwd: terminal.home,
      env: {
        PATH: `${join(terminal.home, 'bin')}:${process.env['PATH'] ?? ''}`,
        HOME: terminal.home,
        PARLEY_URL: server.url,
      },
    });
    return stdout.split('\n').filter((line) => line !== '');
  }

  test.each(['bash', 'zsh'] as const)('%s offers commands, flags and names', async (shell) => {
    expect(await offered(shell, 'agent', 'ke')).toEqual(['keys']);
    expect(await offered(shell, 'send', '--pri')).toEqual(['--priority']);
    expect(await offered(shell, 'cue', 'show', 'ti')).toEqual(['tides']);
    expect(await offered(shell, 'no-such-thing', 'x')).toEqual([]);
  });

  test.each(['bash', 'zsh'] as const)('%s runs nothing that stands in a name', async (shell) => {
    const [only = '', ...more] = await offered(shell, 'cue', 'show', 'tr');
    expect(more).toEqual([]);
    expect(only.replaceAll('\\', '')).toBe('trap $(touch here)');
    expect(existsSync(join(terminal.home, 'here'))).toBe(false);
  });
});
