import type { Reader } from '../../platform/database/database.ts';
import type { ArtifactKind } from '../artifact.ts';
import type { ArtifactRow } from '../artifact-store.ts';

interface Tables {
  coordination_artifacts: ArtifactRow;
}

export interface ArtifactAsk {
  /** Whose; undefined: everybody's. */
  readonly ownerId: string | undefined;
  readonly kind: ArtifactKind;
  readonly status: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** The latest first. */
export async function artifactsLately(reader: Reader, ask: ArtifactAsk): Promise<ArtifactRow[]> {
  const { ownerId, kind, status, offset, limit } = ask;
  let query = reader
    .kysely<Tables>()
    .selectFrom('coordination_artifacts')
    .selectAll()
    .where('kind', '=', kind)
    .orderBy('sorted_at', 'desc')
    .orderBy('artifact_id');
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId);
  if (status !== undefined) query = query.where('status', '=', status);
  return await query.limit(limit).offset(offset).execute();
}
