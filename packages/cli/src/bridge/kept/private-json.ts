import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type JsonObject, parsedObject } from '@parley/protocol/json';
import { wrongConfiguration } from '../failures.ts';

const STRAY = /^\..*\.tmp$/;
const STRAY_MS = 60_000;

export function writePrivateJson(path: string, value: object): void {
  writePrivateText(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** A reader sees the old file or the new one, also after a power cut, and nobody but the owner sees either. */
export function writePrivateText(path: string, text: string): void {
  // Not by process id: in a container the one that comes after a kill has the same, and finds the draft that was left.
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`);
  const file = fs.openSync(draft, 'wx', 0o600);
  try {
    fs.writeFileSync(file, text);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
  fs.renameSync(draft, path);
  syncFolder(dirname(path));
}

/** Undefined when there is no such file. One that is no JSON object is never taken for an empty one. */
export function readJsonObject(path: string): JsonObject | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  const value = parsedObject(text);
  if (value) return value;
  throw wrongConfiguration(`${path} is not a JSON object`, 'mend the file or move it away');
}

function readText(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function removeFile(path: string): void {
  fs.rmSync(path, { force: true });
}

/** The names of the JSON files in a folder; none when there is no folder. */
export function jsonFilesIn(folder: string): string[] {
  return namesIn(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
}

/** Drafts of a process that was ended in the middle of a write. Young ones may belong to one that is at it. */
export function removeStrays(folder: string, now: number): void {
  for (const name of namesIn(folder).filter((entry) => STRAY.test(entry))) {
    const path = join(folder, name);
    const found = fs.statSync(path, { throwIfNoEntry: false });
    if (found && now - found.mtimeMs > STRAY_MS) removeFile(path);
  }
}

/** An id becomes part of a file name: one with a slash in it would lead out of its folder. */
export function isFileId(id: unknown): id is string {
  return typeof id === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(id);
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** Not every file system can; the rename has happened all the same. */
function syncFolder(folder: string): void {
  try {
    const handle = fs.openSync(folder, 'r');
    try {
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
  } catch {}
}
