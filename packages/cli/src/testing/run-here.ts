import { join } from 'node:path';
import { Readable } from 'node:stream';
import { run } from '../main.ts';
import type { Finished } from './run-parley.ts';

/**
 * One command line in this process, since a process for each of a hundred commands takes long. One at a time: what it
 * prints is caught for as long as it runs. With `columns` standard output is a terminal as wide as that.
 */
export async function runHere(
  argv: readonly string[],
  input = '',
  env: Readonly<Record<string, string>> = {},
  columns?: number,
): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  const undo = [
    replaced(process.stdout, 'write', (text: string) => Boolean((stdout += text))),
    replaced(process.stdout, 'isTTY', columns !== undefined),
    replaced(process.stdout, 'columns', columns),
    replaced(process.stderr, 'write', (text: string) => Boolean((stderr += text))),
    replaced(process, 'stdin', Readable.from(input === '' ? [] : [Buffer.from(input)])),
    replaced(process, 'env', { ...process.env, NO_COLOR: '', ...foldersIn(env['HOME']), ...env }),
  ];
  process.exitCode = undefined;
  try {
    const code = await run(argv);
    return { code, stdout, stderr };
  } finally {
    process.exitCode = undefined;
    process.stdout.removeAllListeners('error');
    for (const back of undo.toReversed()) back();
  }
}

/** Where home is the system says, and it knows nothing of an environment that is replaced here. */
const foldersIn = (home: string | undefined): Record<string, string> =>
  home === undefined
    ? {}
    : { XDG_CONFIG_HOME: join(home, '.config'), XDG_STATE_HOME: join(home, '.local', 'state') };

function replaced(object: object, name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, writable: true, configurable: true });
  return () => {
    if (before) Object.defineProperty(object, name, before);
    else Reflect.deleteProperty(object, name);
  };
}
