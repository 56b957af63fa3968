import type { Capsule } from '@parley/protocol/continuity/capsule';
import { contentOf } from '../artifacts/artifact-store.ts';
import type { RevisionContent } from '../artifacts/revision-store.ts';
import { canonicalCapsule, canonicalJson } from './canonical.ts';
import { fallbackEnvelope } from './envelopes.ts';
import { EPOCH } from './instant.ts';
import { isLoaded, loadCapsule } from './load-capsule.ts';

/** The fallback snapshot of a stored capsule, as it would lie under its path; undefined for what is no capsule. */
export function storedFallbackText(row: RevisionContent): string | undefined {
  const loaded = loadCapsule(contentOf(row));
  return isLoaded(loaded) ? fallbackText(loaded.capsule) : undefined;
}

/** Keys stay in order: `capsule` is the first of them. */
export function fallbackText(capsule: Capsule): string {
  const rest = canonicalJson({ ...fallbackEnvelope(capsule, EPOCH), capsule: undefined });
  return `{"capsule":${canonicalCapsule(capsule)},${rest.slice(1)}`;
}
