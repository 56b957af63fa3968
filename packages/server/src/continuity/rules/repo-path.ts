import { TOP_LEVEL_FOLDERS } from '@parley/protocol/continuity/vocabulary';
import { ECHOED_CHARS } from '../../wire/memory/errors.ts';

const FORM = /^[A-Za-z0-9._/-]+$/;
const FOLDERS: ReadonlySet<string> = new Set(TOP_LEVEL_FOLDERS);

/** What is wrong with a path of `canonical_sources` or `load_next`; undefined when nothing is. */
export function repoPathFault(path: string, field: string): string | undefined {
  const refusal = `Invalid repo-relative path in ${field}`;
  if (!FORM.test(path)) return refusal;
  if (path.startsWith('/')) return `${refusal}: Path must be a non-empty relative path`;
  const segments = path.split('/').filter((segment) => segment !== '.' && segment !== '');
  const [first] = segments;
  if (first === undefined) return `${refusal}: Path must be a non-empty relative path`;
  if (!FOLDERS.has(first)) return `${refusal}: Top-level path not allowed: ${first.slice(0, ECHOED_CHARS)}`;
  return staysInside(segments) ? undefined : `${refusal}: Path escapes repository root`;
}

function staysInside(segments: readonly string[]): boolean {
  let depth = 0;
  for (const segment of segments) {
    depth += segment === '..' ? -1 : 1;
    if (depth < 0) return false;
  }
  return true;
}
