import { type Capsule, continuityCapsule } from '@parley/protocol/continuity/capsule';
import { isObject } from '@parley/protocol/json';
import { compiled } from '../../platform/http/schema.ts';
import { isDeep } from './depth.ts';
import { capsuleFrom } from './incoming.ts';
import { upgradeStored } from './legacy-upgrade.ts';
import { loadRelatedDocuments } from '../rules/related-documents.ts';

export interface LoadedCapsule {
  readonly capsule: Capsule;
  readonly warnings: readonly string[];
}

/** Why a stored document is no capsule: its bytes say nothing, or they say something else. */
export interface Unreadable {
  readonly fault: 'json' | 'capsule';
  readonly reason: string;
}

const check = compiled(continuityCapsule);

/** A stored document as a capsule. Bounds of list items are not looked at: what was stored once stays readable. */
export function loadCapsule(document: string | Uint8Array): LoadedCapsule | Unreadable {
  const value = decode(document);
  return 'value' in value ? capsuleOf(value.value) : value;
}

export function isLoaded(result: LoadedCapsule | Unreadable): result is LoadedCapsule {
  return 'capsule' in result;
}

export function decode(document: string | Uint8Array): { value: unknown } | Unreadable {
  try {
    const text = typeof document === 'string' ? document : STRICT.decode(document);
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: 'json', reason: error instanceof TypeError ? 'not UTF-8' : 'not JSON' };
  }
}

/** A byte order mark stays, and is no JSON: bytes are read as the text they are kept as. */
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function capsuleOf(value: unknown): LoadedCapsule | Unreadable {
  if (!isObject(value)) return { fault: 'capsule', reason: 'not an object' };
  // The one field whose values stay whatever they are.
  if (isDeep(value.metadata)) return { fault: 'capsule', reason: 'metadata: nested too deeply' };
  const upgraded = upgradeStored(value);
  if (typeof upgraded === 'string') return { fault: 'capsule', reason: upgraded };
  const warnings: string[] = [];
  const continuity = upgraded.continuity;
  if (isObject(continuity) && continuity.related_documents !== undefined) {
    const { related_documents: documents, ...rest } = continuity;
    const loaded = loadRelatedDocuments(documents);
    if ('warning' in loaded) warnings.push(loaded.warning);
    upgraded.continuity = 'warning' in loaded ? rest : { ...rest, related_documents: loaded.documents };
  }
  const result = check(upgraded);
  if (result.success) return { capsule: capsuleFrom(result.data), warnings };
  const [issue] = result.error.issues;
  const at = issue?.path.join('.') ?? '';
  return { fault: 'capsule', reason: `${at === '' ? '' : `${at}: `}${issue?.message ?? 'not valid'}` };
}
