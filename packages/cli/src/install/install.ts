import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { serverUrl } from '../agent/server-call.ts';
import { CliError } from '../cli-error.ts';
import { printJson, printLine } from '../output.ts';
import type { ClientName } from './command.ts';
import { type ClientFile, filesFor, NotJsonError } from './files.ts';

export interface InstallOptions {
  server: string;
  print?: boolean | undefined;
  undo?: boolean | undefined;
  folder?: string | undefined;
  json?: boolean | undefined;
}

interface Change {
  readonly path: string;
  /** Undefined: it is not there. */
  readonly before: string | undefined;
  /** Empty: nothing would be left in it. */
  readonly after: string;
}

export async function install(client: ClientName, options: InstallOptions): Promise<void> {
  const [, script = ''] = process.argv;
  const files = filesFor(client, {
    home: homedir(),
    folder: resolve(options.folder ?? '.'),
    program: [process.execPath, realpathSync(script)],
    server: serverUrl(options.server),
  });
  const changes = files.map((file) => changeOf(file, options.undo ?? false));
  if (!options.print) for (const change of changes) write(change);
  tell(client, changes, options);
}

function changeOf(file: ClientFile, undo: boolean): Change {
  const { path } = file;
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  try {
    return { path, before, after: undo ? file.without(before ?? '') : file.with(before) };
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    throw new CliError('not_json', `parley: ${error.message}`, {
      exitCode: 2,
      hint: 'mend the file, or copy what "parley install … --print --folder" prints for an empty folder',
    });
  }
}

function write({ path, before, after }: Change): void {
  if (after === (before ?? '')) return;
  if (after === '') return rmSync(path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, after);
}

function tell(client: ClientName, changes: readonly Change[], { print, undo, json }: InstallOptions): void {
  if (json) {
    printJson({ client, files: changes.map(({ path, after }) => ({ path, content: after })) });
    return;
  }
  for (const { path, before, after } of changes) {
    if (print) printLine(`# ${path}\n${after}`);
    else if (after !== (before ?? '')) printLine(`${after === '' ? 'removed' : 'wrote'} ${path}`);
    else printLine(`unchanged ${path}`);
  }
  if (!print && !undo) printLine(`${client} finds Parley when it is started again`);
}
