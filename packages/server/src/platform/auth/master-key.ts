import { constants } from 'node:fs';
import { type FileHandle, link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../error-words.ts';
import type { Random } from '../ids.ts';
import { syncFolder } from '../sync-path.ts';
import { KEY_BYTES, SecretBoxError } from './secret-box.ts';

export interface MasterKeyOptions {
  /** The value of `PARLEY_SECRET_KEY`: 32 bytes as hex or base64url. It wins over the file. */
  configured?: string | undefined;
  /** Read, or made on first use. */
  file: string;
  /** Whether there is a store that may hold what was sealed: a missing file is then a loss, not a first start. */
  storeExists: boolean;
  random: Random;
}

export async function loadMasterKey(options: MasterKeyOptions): Promise<Uint8Array> {
  const { configured, file, storeExists, random } = options;
  if (configured) return parseMasterKey(configured);
  const known = await readKeyFile(file);
  if (known) return known;
  if (storeExists) {
    throw new SecretBoxError(
      'missing_key_file',
      `the key file ${file} is missing, but the secrets in the database were sealed with a key; put the file back, ` +
        'or set PARLEY_SECRET_KEY to the key that was used. If it is lost, start once with PARLEY_ACCEPT_NEW_KEY=on: ' +
        'what it sealed stays unreadable',
    );
  }
  await createKeyFile(file, random);
  // Read back even when this process wrote it: if two started at once, both must use the one that stayed.
  const made = await readKeyFile(file);
  if (!made) throw new SecretBoxError('unsafe_key_file', `the key file ${file} vanished while it was made`);
  return made;
}

export function parseMasterKey(text: string): Uint8Array {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, 'hex');
  if (/^[A-Za-z0-9_-]{43}=?$/.test(trimmed)) return Buffer.from(trimmed, 'base64url');
  throw new SecretBoxError('bad_key', 'a secret key is 32 bytes, written as 64 hex digits or as base64url');
}

async function readKeyFile(file: string): Promise<Uint8Array | undefined> {
  const handle = await openIfThere(file);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw unreadable(file, 'EISDIR');
    if (process.platform !== 'win32' && (stats.mode & OTHERS) !== 0) {
      throw new SecretBoxError(
        'unsafe_key_file',
        `the key file ${file} is open to other users; run: chmod 600 ${file}`,
      );
    }
    return keyIn(await handle.readFile('utf8'), file);
  } finally {
    await handle.close();
  }
}

const unreadable = (file: string, code: string): SecretBoxError =>
  new SecretBoxError(
    'unsafe_key_file',
    `the key file ${file} cannot be read (${code}): give this user the right to, or name the key with PARLEY_SECRET_KEY`,
  );

function keyIn(text: string, file: string): Uint8Array {
  try {
    return parseMasterKey(text);
  } catch {
    throw new SecretBoxError(
      'bad_key',
      `the key file ${file} holds no key; a key is 32 bytes, written as 64 hex digits or as base64url`,
    );
  }
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, constants.O_RDONLY);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'EACCES') throw unreadable(file, 'EACCES');
    throw error;
  }
}

/** Written whole under another name and then linked, so that nobody ever reads half a key or replaces one in use. */
async function createKeyFile(file: string, random: Random): Promise<void> {
  const draft = `${file}.${random.hex(8)}.new`;
  const handle = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await handle.writeFile(`${Buffer.from(random.bytes(KEY_BYTES)).toString('hex')}\n`);
    await handle.sync();
    await link(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await handle.close();
    await unlink(draft);
  }
  // Secrets sealed under a key are worthless if the key's name is lost in a power cut.
  syncFolder(dirname(file));
}

const OTHERS = 0o077;
