import { given } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { ArtifactKind } from '../artifact.ts';
import { type FilingRow, filings } from '../artifact-store.ts';

export interface ArtifactAsk {
  /** Whose; undefined: everybody's. */
  readonly ownerId: string | undefined;
  readonly kind: ArtifactKind;
  readonly status: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** The latest first. */
export async function artifactsLately(reader: Reader, ask: ArtifactAsk): Promise<FilingRow[]> {
  const { ownerId, kind, status, offset, limit } = ask;
  return await filings
    .from(reader)
    .selectAll()
    .where((is) => is.and(given({ kind, owner_id: ownerId, status })))
    .orderBy('sorted_at', 'desc')
    .orderBy('artifact_id')
    .limit(limit)
    .offset(offset)
    .execute();
}
