import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = (program: string): string => fileURLToPath(new URL(`../../bin/${program}.mjs`, import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  /** Resolves when standard output holds this text. */
  printed(text: string): Promise<void>;
  /** Standard output until now. */
  soFar(): string;
  /** Standard error until now. */
  toldSoFar(): string;
  signal(name: NodeJS.Signals): void;
  finished: Promise<Finished>;
}

/** One user of the command line: a home of their own, and a folder they work in. */
export class Terminal {
  readonly home: string;
  readonly #env: Record<string, string>;
  readonly #program: string;

  constructor(env: Record<string, string>, program: 'parley' | 'aya' = 'parley') {
    this.#program = bin(program);
    this.home = mkdtempSync(join(tmpdir(), 'parley-cli-'));
    this.#env = env;
  }

  start(args: readonly string[], input?: string | Uint8Array): Running {
    const child = spawn(process.execPath, [this.#program, ...args], {
      cwd: this.home,
      env: { PATH: process.env['PATH'] ?? '', HOME: this.home, ...this.#env },
      stdio: 'pipe',
    });
    child.stdin.end(input ?? '');
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => void (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => void (stderr += chunk));
    const finished = once(child, 'close').then(() => ({ code: child.exitCode, stdout, stderr }));
    return {
      finished,
      signal: (name) => void child.kill(name),
      soFar: () => stdout,
      toldSoFar: () => stderr,
      async printed(text) {
        while (!stdout.includes(text)) {
          const ended = await Promise.race([
            once(child.stdout, 'data').then(() => false),
            finished.then(() => true),
          ]);
          if (ended && !stdout.includes(text)) throw new Error(`never printed ${text}:\n${stdout}${stderr}`);
        }
      },
    };
  }

  run(args: readonly string[], input?: string | Uint8Array): Promise<Finished> {
    return this.start(args, input).finished;
  }

  /** `parley channel … --json`: the one object it prints. */
  async json(args: readonly string[], input?: string): Promise<Record<string, unknown>> {
    const { stdout, stderr, code } = await this.run(['channel', ...args, '--json'], input);
    if (code !== 0) throw new Error(`parley channel ${args.join(' ')}: exit ${code}\n${stderr}`);
    const value: unknown = JSON.parse(stdout);
    return value as Record<string, unknown>;
  }

  /** What a program that was killed had started may write there for another moment. */
  remove(): void {
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
