import type { RelatedDocument } from '@parley/protocol/continuity/capsule';
import { RELATED_DOCUMENTS } from '@parley/protocol/continuity/limits';
import { RELEVANCES } from '@parley/protocol/continuity/vocabulary';
import { isObject } from '@parley/protocol/json';
import { charsWithin } from '../../platform/chars.ts';

/*
 * Pointers to documents, never their contents. All faults of the list are gathered, and the one of the lowest class,
 * entry and key is told: the classes are the order of the messages below.
 */

const RESERVED = new Set(['content', 'body', 'text', 'excerpt', 'markdown', 'html', 'payload']);
const KEYS = ['path', 'kind', 'label', 'relevance'] as const;
type Key = (typeof KEYS)[number];
const RANK: ReadonlyMap<string, number> = new Map(KEYS.map((key, rank) => [key, rank]));
const REQUIRED = ['path', 'kind', 'label'] as const;
const PATH = /^[A-Za-z0-9._/-]+$/;
const KIND = /^[a-z][a-z0-9_]*$/;
const LIST = 'continuity.related_documents';

interface Fault {
  readonly class: number;
  readonly entry: number;
  readonly key: number;
  readonly message: string;
}

/** The fault to tell; undefined for a list that may be kept. */
export function relatedDocumentsFault(value: unknown): string | undefined {
  const faults: Fault[] = [];
  const add = (order: number, entry: number, key: number, message: string): void =>
    void faults.push({ class: order, entry, key, message });
  if (!Array.isArray(value)) {
    add(3, -1, 0, `Invalid value type in ${LIST}[]`);
    if (hasReservedKey(value)) add(1, -1, 0, `Embedded content is not allowed in ${LIST}[]`);
  } else {
    for (const [index, entry] of value.entries()) checkEntry(entry, index, add);
    checkDuplicates(value, add);
    if (value.length > RELATED_DOCUMENTS.items) {
      add(11, RELATED_DOCUMENTS.items, 0, `Too many entries in ${LIST}`);
    }
  }
  const inOrder = faults.toSorted((a, b) => a.class - b.class || a.entry - b.entry || a.key - b.key);
  return inOrder[0]?.message;
}

/** Whether something that would smuggle content in is anywhere inside. A loop: what is sent may be nested very deeply. */
function hasReservedKey(value: unknown): boolean {
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, inner] of Object.entries(next)) {
      if (!Array.isArray(next) && RESERVED.has(key)) return true;
      if (typeof inner === 'object') waiting.push(inner);
    }
  }
  return false;
}

type Add = (order: number, entry: number, key: number, message: string) => void;

function checkEntry(entry: unknown, index: number, add: Add): void {
  if (hasReservedKey(entry)) add(1, index, 0, `Embedded content is not allowed in ${LIST}[]`);
  if (!isObject(entry)) return add(3, index, 0, `Invalid value type in ${LIST}[]`);
  for (const key of Object.keys(entry)) {
    if (!RANK.has(key) && !RESERVED.has(key)) add(2, index, KEYS.length, `Unknown key in ${LIST}[]`);
  }
  for (const key of REQUIRED) {
    if (!Object.hasOwn(entry, key)) add(4, index, rankOf(key), `Missing required key in ${LIST}[]`);
  }
  for (const key of KEYS) if (Object.hasOwn(entry, key)) checkValue(entry[key], key, index, add);
}

function checkValue(value: unknown, key: Key, index: number, add: Add): void {
  const rank = rankOf(key);
  if (typeof value !== 'string' || !value.isWellFormed()) {
    return add(3, index, rank, `Invalid value type in ${LIST}[]`);
  }
  if (value === '') return add(7, index, rank, `Value too short in ${LIST}[]`);
  if (value !== value.trim()) {
    return add(8, index, rank, `Leading or trailing whitespace is not allowed in ${LIST}[]`);
  }
  if (!charsWithin(value, RELATED_DOCUMENTS[key])) {
    return add(9, index, rank, `Value too long in ${LIST}[].${key}`);
  }
  if (key === 'path' && (!PATH.test(value) || value.startsWith('/') || value.includes('..'))) {
    add(5, index, rank, `Invalid path in ${LIST}[].path`);
  }
  if (key === 'kind' && !KIND.test(value)) add(6, index, rank, `Invalid kind format in ${LIST}[]`);
  if (key === 'relevance' && !RELEVANCES.some((word) => word === value)) {
    add(6, index, rank, `Invalid relevance in ${LIST}[]`);
  }
}

function checkDuplicates(entries: readonly unknown[], add: Add): void {
  const seen = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    if (!isObject(entry)) continue;
    const { path, kind, label, relevance } = entry;
    if (![path, kind, label].every((part) => typeof part === 'string')) continue;
    const key = `${String(path)}\n${String(kind)}\n${String(label)}\n${String(relevance)}`;
    if (seen.has(key)) add(10, index, 0, 'Duplicate related_documents entry');
    seen.add(key);
  }
}

const rankOf = (key: string): number => RANK.get(key) ?? KEYS.length;

/** What a stored list yields: itself in the order of its keys, or a warning that it was left out. */
export function loadRelatedDocuments(value: unknown): { documents: RelatedDocument[] } | { warning: string } {
  if (relatedDocumentsFault(value) === undefined) {
    // The rules above have just vouched for every entry.
    return { documents: (value as RelatedDocument[]).map(inKeyOrder) };
  }
  const warning = hasReservedKey(value)
    ? 'related_documents_omitted_non_metadata'
    : 'related_documents_omitted_invalid';
  return { warning };
}

function inKeyOrder({ path, kind, label, relevance }: RelatedDocument): RelatedDocument {
  return { path, kind, label, ...(relevance !== undefined && { relevance }) };
}
