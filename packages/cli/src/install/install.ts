import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve, sep } from 'node:path';
import { serverUrl } from '../agent/server-call.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { printJson, printLine, printNote } from '../output.ts';
import { CLIENTS, type ClientName } from './command.ts';
import { type ClientFile, filesFor, NotJsonError } from './files.ts';

export interface InstallOptions {
  server: string;
  print?: boolean | undefined;
  undo?: boolean | undefined;
  folder?: string | undefined;
  profile?: string | undefined;
  json?: boolean | undefined;
}

interface Change {
  readonly path: string;
  /** Undefined: it is not there. */
  readonly before: string | undefined;
  /** Empty: nothing would be left in it. */
  readonly after: string;
}

export async function install(client: ClientName | undefined, options: InstallOptions): Promise<void> {
  if (client !== undefined) return installFor(client, options);
  if (!options.undo) {
    throw new CliError('no_client', "parley: missing required argument 'client'", {
      exitCode: EXIT.misuse,
      hint: `one of ${CLIENTS.join(', ')}`,
    });
  }
  for (const each of CLIENTS) undoFor(each, options);
}

/** What cannot be read has nothing of ours in it, or somebody has changed it since: neither keeps us from the others. */
function undoFor(client: ClientName, options: InstallOptions): void {
  try {
    installFor(client, options);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'not_json') throw error;
    printNote(`${error.message.replace(/^parley: /, '')}, and left as it is`);
  }
}

function installFor(client: ClientName, options: InstallOptions): void {
  const [, script = ''] = process.argv;
  const files = filesFor(client, {
    home: homedir(),
    folder: resolve(options.folder ?? '.'),
    program: [process.execPath, scriptFile(script)],
    identity: [
      '--server',
      serverUrl(options.server),
      ...(options.profile === undefined ? [] : ['--profile', options.profile]),
    ],
  });
  const changes = files.map((file) => changeOf(file, options.undo ?? false));
  if (!options.print) for (const change of changes) write(change);
  tell(client, changes, options);
}

/** What a client starts later has to be a file: `curl … | node -` is none. */
function scriptFile(script: string): string {
  if (existsSync(script)) return realpathSync(script);
  throw new CliError('not_installed', 'parley: this program is not in a file that a client could start', {
    exitCode: EXIT.misuse,
    hint: 'install it first: curl -fsS "$PARLEY_URL/install.sh" | sh',
  });
}

function changeOf(file: ClientFile, undo: boolean): Change {
  const { path, within } = file;
  if (within !== undefined) requireWithin(path, within);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  try {
    return { path, before, after: undo ? file.without(before ?? '') : file.with(before) };
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    throw new CliError('not_json', `parley: ${error.message}`, {
      exitCode: EXIT.misuse,
      hint: 'mend the file, or copy what "parley install … --print --folder" prints for an empty folder',
    });
  }
}

/** A project may be anybody's: a link in it must not lead what is written here into another file of the user. */
function requireWithin(path: string, folder: string): void {
  if (!existsSync(folder)) return;
  const root = realpathSync(folder);
  let there = path;
  while (!lstatSync(there, { throwIfNoEntry: false })) there = dirname(there);
  const real = existsSync(there) ? realpathSync(there) : '';
  if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return;
  throw new CliError('leads_elsewhere', `parley: ${there} is a link that leads out of ${folder}`, {
    exitCode: EXIT.misuse,
    hint: 'put a file in its place, or copy what "parley install … --print" prints for another folder',
  });
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
