import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PARLEY = join(process.cwd(), 'packages/cli/bin/parley.mjs');
/** Gives the program the clock of a machine that is wrong. */
const CLOCK_OFF = join(process.cwd(), 'torture/stand/clock-off.mjs');
const START_MS = 60_000;

/** One machine plays all clients, so what guards against one client must not count. */
const UNLIMITED = {
  PARLEY_RATE_LIMITS: 'off',
  PARLEY_LOG_LEVEL: 'warn',
  CH_MAX_MESSAGES: '1000000',
  PARLEY_HOST: '127.0.0.1',
};

export interface ServerOptions {
  readonly port: number;
  readonly dataDir: string;
  /** Where it writes its log. */
  readonly log: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A real server process on one port and folder, which is killed and comes back. */
export class ServerProcess {
  readonly #options: ServerOptions;
  #child: ChildProcess | undefined;
  readonly url: string;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.url = `http://127.0.0.1:${options.port}`;
  }

  /** Does not wait until it serves. `clockOffMs`: how far the clock of its machine is ahead. */
  spawn({ clockOffMs = 0 } = {}): void {
    const { port, dataDir, log, env } = this.#options;
    const output = openSync(log, 'a');
    const machine = clockOffMs === 0 ? [] : ['--import', CLOCK_OFF];
    this.#child = spawn(process.execPath, [...machine, PARLEY, 'serve'], {
      env: {
        ...process.env,
        ...UNLIMITED,
        PARLEY_PORT: String(port),
        PARLEY_DATA_DIR: dataDir,
        TORTURE_CLOCK_OFF_MS: String(clockOffMs),
        ...env,
      },
      stdio: ['ignore', output, output],
    });
    closeSync(output);
  }

  async start(machine?: { clockOffMs: number }): Promise<void> {
    this.spawn(machine);
    await this.ready();
  }

  async ready(): Promise<void> {
    const end = performance.now() + START_MS;
    for (;;) {
      if (this.hasEnded) throw new Error(`the server ended: ${this.lastWords}`);
      if ((await this.statusOf('/ready')) === 200) return;
      if (performance.now() > end) throw new Error(`the server is not ready: ${this.lastWords}`);
      await sleep(20);
    }
  }

  /** 0 when there is no answer. */
  statusOf(path: string): Promise<number> {
    return fetch(`${this.url}${path}`).then(
      async (answer) => (await answer.arrayBuffer(), answer.status),
      () => 0,
    );
  }

  get hasEnded(): boolean {
    const { exitCode = null, signalCode = null } = this.#child ?? {};
    return exitCode !== null || signalCode !== null;
  }

  /** Since it was started the first time. */
  hasSaid(word: string): boolean {
    return readFileSync(this.#options.log, 'utf8').includes(word);
  }

  get lastWords(): string {
    return readFileSync(this.#options.log, 'utf8').slice(-600);
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** As a power cut would end it: `SIGKILL`; in order: `SIGTERM`. */
  async end(name: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (!child || this.hasEnded) return child?.exitCode ?? null;
    const ended = once(child, 'exit');
    child.kill(name);
    await ended;
    return child.exitCode;
  }
}
