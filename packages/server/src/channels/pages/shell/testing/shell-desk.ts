import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Shell } from './shells.ts';

export interface ShellResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One working directory in which scripts are run, as an agent would run them: every command in a shell of its own. */
export class ShellDesk {
  readonly directory: string;
  readonly shell: Shell;
  readonly #root: string;
  readonly #started: StartedShell[] = [];
  #scripts = '';
  #count = 0;

  constructor(shell: Shell, name = 'desk') {
    this.shell = shell;
    this.#root = mkdtempSync(join(tmpdir(), 'parley-shell-'));
    this.directory = join(this.#root, name);
    mkdirSync(this.directory);
  }

  /** Runs a script to its end. It reaches the shell as a file, so that nothing in it is a process argument. */
  async run(script: string, environment: Record<string, string> = {}): Promise<ShellResult> {
    const started = this.start(script, environment);
    const code = await started.ended;
    return { code, stdout: started.stdout(), stderr: started.stderr() };
  }

  /** Starts a script and leaves it running. */
  start(script: string, environment: Record<string, string> = {}): StartedShell {
    const file = join(this.#root, `script-${this.#count++}`);
    writeFileSync(file, script);
    const [program, ...options] = this.shell.command;
    const child = spawn(program, [...options, file], {
      cwd: this.directory,
      env: { ...cleanEnvironment(), PWD: this.directory, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const started = new StartedShell(child);
    this.#started.push(started);
    this.#scripts += script;
    return started;
  }

  /** Ends what still runs and removes every file that this desk's channels left behind. */
  async close(): Promise<void> {
    for (const { child } of this.#started) child.kill('SIGKILL');
    await Promise.all(this.#started.map(({ ended }) => ended));
    const seen = this.#scripts + this.#started.map((started) => started.stdout()).join('');
    for (const channel of new Set(seen.match(/\b[0-9a-f]{32}\b/g))) {
      for (const file of filesOf(channel)) rmSync(file, { force: true });
    }
    rmSync(this.#root, { recursive: true, force: true });
  }
}

export class StartedShell {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  #stdout = '';
  #stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => void (this.#stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (this.#stderr += text));
    this.ended = new Promise((resolve) => child.on('close', (code) => resolve(code)));
  }

  stdout(): string {
    return this.#stdout;
  }

  stderr(): string {
    return this.#stderr;
  }

  lines(): string[] {
    return this.#stdout.split('\n').slice(0, -1);
  }

  /** The first line that matches, waiting for it; fails when the shell ends without one. */
  async line(pattern: RegExp): Promise<string> {
    const found = (): string | undefined => this.lines().find((line) => pattern.test(line));
    const isOver = (): boolean => this.child.exitCode !== null && this.child.stdout?.readableEnded === true;
    const came = (): string => {
      if (found() !== undefined) return 'came';
      return `${isOver() ? 'the shell ended without' : 'there never was'} a line ${pattern}\n${this.#stdout}${this.#stderr}`;
    };
    await expect.poll(came).not.toMatch(/^there never was/);
    const line = found();
    if (line === undefined) throw new Error(came());
    return line;
  }
}

/** The files of one channel in /tmp. */
export function filesOf(channel: string): string[] {
  return readdirSync('/tmp')
    .filter((name) => name.startsWith('agentalk-') && name.includes(channel))
    .map((name) => join('/tmp', name))
    .toSorted();
}

/** What the file named in an event line holds. */
export function receivedText(line: string): string {
  const file = / file=(\S+) /.exec(line)?.[1];
  if (file === undefined) throw new Error(`no file in: ${line}`);
  return readFileSync(file, 'utf8');
}

function cleanEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', LANG = 'C.UTF-8' } = process.env;
  return { PATH, HOME, LANG };
}
