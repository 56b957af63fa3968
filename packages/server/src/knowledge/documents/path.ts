import { DOCUMENT_PATH_BYTES } from '@parley/protocol/knowledge/limits';
import { DOCUMENT_FOLDERS, MANAGED_FOLDERS } from '@parley/protocol/knowledge/vocabulary';
import type { Scope } from '@parley/protocol/identity/scopes';
import { cutChars } from '../../platform/chars.ts';
import { badRequest, DetailError, ECHOED_CHARS } from '../../wire/memory/errors.ts';

const FOLDERS: ReadonlySet<string> = new Set(DOCUMENT_FOLDERS);

/**
 * The key a path stands for: dots and doubled slashes are gone. Refuses what leads outside, in whatever spelling: other
 * programs read the folders that memory is exported to, and some of them decode, fold or split more than we do.
 */
export function requirePath(path: string): string {
  if (path === '' || path.startsWith('/') || path.split('/').includes('..')) throw invalid(path);
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  const key = segments.join('/');
  // Its length first: what follows looks at it again and again.
  if (key === '' || Buffer.byteLength(key) > DOCUMENT_PATH_BYTES) throw invalid(path);
  if (!path.isWellFormed() || (!isTaskFile(key) && segments.some(isTreacherous))) throw invalid(path);
  const [first = ''] = segments;
  if (!FOLDERS.has(first)) throw badRequest(`Top-level path not allowed: ${cutChars(first, ECHOED_CHARS)}`);
  return key;
}

/** The key of a path that somebody else wrote down, or why it has none. */
export function keyOf(path: string): { key: string; fault?: undefined } | { key?: undefined; fault: string } {
  try {
    return { key: requirePath(path) };
  } catch (error) {
    if (error instanceof DetailError) return { fault: error.message };
    throw error;
  }
}

/** No right of a key would change it. */
const invalid = (path: string) =>
  new DetailError(403, `Invalid path for namespace check: ${cutChars(path, ECHOED_CHARS)}`, {
    code: 'invalid_path',
  });

export const managed = (path: string): DetailError =>
  new DetailError(403, `Path is managed by the server: ${path}`, { code: 'path_managed' });

/** An id of a task may be spelled as no document can be. The server alone makes such files. */
const isTaskFile = (key: string): boolean => /^tasks\/(?:open|done)\/[^/\p{Cc}]+\.json$/u.test(key);

const UNSHOWABLE = /[\p{Cc}\p{Zl}\p{Zp}\\]/u;

/** A segment that another program may take for a step up, a separator or the inside of a git repository. */
function isTreacherous(segment: string): boolean {
  if (UNSHOWABLE.test(segment)) return true;
  const plain = plainForm(segment);
  return plain === '' || /[/\\]/.test(plain) || streamless(plain) === '.git' || plain.startsWith('git~');
}

/** Some disks keep more than one text under a name: what follows the colon says which. */
const streamless = (plain: string): string => plain.replace(/[. ]*:.*$/s, '');

/**
 * Percent escapes undone, however often they were made; compatible characters, case and invisible ones evened out, and dots
 * and blanks at the end gone, as some disks do it. Nothing is left of steps to the same folder or up.
 */
function plainForm(segment: string): string {
  let text = segment;
  for (let before = ''; text !== before; ) {
    before = text;
    text = unescaped(text);
  }
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[. ]+$/, '');
}

/** Escapes that make no text stay as they are. */
const unescaped = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });

/** Whether the server keeps what is there, or would on a disk that does not tell these spellings apart. */
export function isManaged(key: string): boolean {
  const plain = key
    .split('/')
    .map((segment) => streamless(plainForm(segment)))
    .join('/');
  return MANAGED_FOLDERS.some((folder) => plain === folder || plain.startsWith(`${folder}/`));
}

const WRITE_SCOPES: Readonly<Record<string, Scope>> = {
  journal: 'write:journal',
  messages: 'write:messages',
};

export function writeScope(key: string): Scope {
  const [first = ''] = key.split('/');
  return WRITE_SCOPES[first] ?? 'write:projects';
}

/** Whether search looks into it. */
export const isIndexable = (key: string): boolean => /\.(md|txt|json|jsonl)$/i.test(key);
