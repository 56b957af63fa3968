import * as fs from 'node:fs';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = fs.constants;
const OWNER_ONLY = 0o600;

/** /tmp is shared: somebody may have put a link or a file of their own where ours should be. */
export class UnsafeFileError extends Error {
  override readonly name = 'UnsafeFileError';
}

/** Makes the file, or replaces an earlier one of our own. Never writes through a link. */
export function createPrivateFile(path: string, text: string): void {
  refuseForeign(path);
  fs.rmSync(path, { force: true });
  writeNew(path, text);
}

/** Fails when the path exists, whatever is there. */
export function createNewPrivateFile(path: string, text: string): void {
  writeNew(path, text);
}

/** Readers see the old text or the new one, never half of it. */
export function replacePrivateFile(path: string, text: string): void {
  refuseForeign(path);
  const temporary = `${path}.${process.pid}`;
  fs.rmSync(temporary, { force: true });
  writeNew(temporary, text);
  fs.renameSync(temporary, path);
}

export function readPrivateFile(path: string): string {
  const file = openChecked(path, O_RDONLY);
  try {
    return fs.readFileSync(file, 'utf8');
  } finally {
    fs.closeSync(file);
  }
}

/** A file that only grows; each `write` is one append, so that lines of two writers do not mix. */
export function openPrivateLog(path: string): { write: (text: string) => void } {
  const file = openChecked(path, O_WRONLY | O_APPEND | O_CREAT);
  fs.fchmodSync(file, OWNER_ONLY);
  return { write: (text) => void fs.writeSync(file, text) };
}

function writeNew(path: string, text: string): void {
  const file = fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY);
  try {
    fs.writeFileSync(file, text);
  } finally {
    fs.closeSync(file);
  }
}

function openChecked(path: string, flags: number): number {
  refuseForeign(path);
  const file = fs.openSync(path, flags | O_NOFOLLOW, OWNER_ONLY);
  const found = fs.fstatSync(file);
  if (found.isFile() && isOurs(found)) return file;
  fs.closeSync(file);
  throw new UnsafeFileError(`${path} is not a file of this user`);
}

function refuseForeign(path: string): void {
  const found = fs.lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isSymbolicLink()) throw new UnsafeFileError(`${path} is a symbolic link; it is not followed`);
  if (!found.isFile() || !isOurs(found)) throw new UnsafeFileError(`${path} is not a file of this user`);
}

function isOurs(found: fs.Stats): boolean {
  return process.getuid === undefined || found.uid === process.getuid();
}
