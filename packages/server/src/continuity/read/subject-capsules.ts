import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { Reader } from '../../platform/database/database.ts';
import { archiveStamps, contentOf, findArchive } from '../artifacts/artifact-store.ts';
import { activePath, archivePath, fallbackPath } from '../artifacts/paths.ts';
import { findActive, findFallback } from '../artifacts/stored-capsule.ts';
import { openArchive } from '../capsule/envelopes.ts';
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
  const [active, fallback, stamps] = await Promise.all([
    findActive(reader, ownerId, subject),
    findFallback(reader, ownerId, subject),
    archiveStamps(reader, ownerId, subject),
  ]);
  const kept: KeptCapsule[] = [];
  if (active.kind === 'present') {
    kept.push({ state: 'active', path: activePath(subject), capsule: active.loaded.capsule });
  }
  if (fallback) kept.push({ state: 'fallback', path: fallbackPath(subject), capsule: fallback.capsule });
  for (const stamp of stamps) {
    const row = await findArchive(reader, ownerId, { ...subject, stamp });
    const envelope = row ? openArchive(contentOf(row)) : 'missing';
    if (typeof envelope === 'string') continue;
    kept.push({
      state: 'archived',
      path: archivePath(subject, stamp),
      capsule: envelope.loaded.capsule,
    });
  }
  return kept;
}
