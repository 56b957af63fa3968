import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program that a file of deploy/ starts. */
export interface Started {
  /** What it has said so far. */
  said(): string;
  /** Asks it to end, and returns how it did. */
  end(): Promise<number | null>;
  /** How it ended by itself. */
  ended: Promise<number | null>;
  kill(): void;
}

export function start(
  [program = '', ...words]: readonly string[],
  { env, cwd }: { env: Readonly<Record<string, string>>; cwd: string },
): Started {
  // Nothing of the settings of whoever runs the tests goes along.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PARLEY_'));
  const child = spawn(program === 'node' ? process.execPath : program, words, {
    cwd,
    env: { ...Object.fromEntries(own), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return {
    said: () => output,
    ended,
    end() {
      child.kill('SIGTERM');
      return ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
