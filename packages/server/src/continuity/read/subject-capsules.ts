import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { Reader } from '../../platform/database/database.ts';
import { contentOf, findSubjectDocuments } from '../artifacts/artifact-store.ts';
import { ACTIVE, ARCHIVED, FALLBACK } from '../artifacts/artifact-table.ts';
import { activePath, archivePath, fallbackPath } from '../artifacts/paths.ts';
import { loadActive, loadFallback } from '../artifacts/stored-capsule.ts';
import { capsuleIn } from '../capsule/envelopes.ts';
import type { Subject } from '../capsule/subject.ts';

export interface KeptCapsule {
  readonly state: 'active' | 'fallback' | 'archived';
  readonly path: string;
  readonly capsule: Capsule;
}

/** Every capsule of a subject that can be read, in whatever state; cold copies are not looked into. */
export async function subjectCapsules(
  reader: Reader,
  ownerId: string,
  subject: Subject,
): Promise<KeptCapsule[]> {
  const rows = await findSubjectDocuments(reader, ownerId, subject);
  const active = rows.find(({ state }) => state === ACTIVE);
  const present = active && loadActive(active, subject);
  // An active capsule may be its own fallback.
  const snapshot = rows.find(({ state }) => state === FALLBACK) ?? (active?.has_snapshot === 1 && active);
  const fallback = snapshot ? loadFallback(snapshot, subject) : undefined;
  const kept: KeptCapsule[] = [];
  if (present?.kind === 'present') {
    kept.push({ state: 'active', path: activePath(subject), capsule: present.loaded.capsule });
  }
  if (fallback) kept.push({ state: 'fallback', path: fallbackPath(subject), capsule: fallback.capsule });
  for (const row of rows.filter(({ state }) => state === ARCHIVED)) {
    const loaded = capsuleIn('archived', contentOf(row));
    if (!loaded) continue;
    kept.push({ state: 'archived', path: archivePath(subject, row.stamp), capsule: loaded.capsule });
  }
  return kept;
}
