import type { Handoff, Reconciliation, SharedState } from '@parley/protocol/coordination/artifacts';
import type { CoordinationContext } from '../coordination-context.ts';
import { type ArtifactAsk, artifactsLately } from '../artifact-store.ts';

/** One of the three, by its kind. */
export interface Exchanged {
  readonly ownerId: string;
  readonly id: string;
  readonly at: string;
  readonly status: string | null;
  readonly handoff: Handoff | null;
  readonly shared: SharedState | null;
  readonly reconciliation: Reconciliation | null;
}

const NONE = { handoff: null, shared: null, reconciliation: null };

/** What people see of what agents exchange. */
export async function exchanged(
  { database }: Pick<CoordinationContext, 'database'>,
  ask: ArtifactAsk,
): Promise<Exchanged[]> {
  const rows = await artifactsLately(database.read, ask);
  return rows.map((row) => ({
    ownerId: row.owner_id,
    id: row.artifact_id,
    at: row.sorted_at,
    status: row.status,
    ...NONE,
    // The column holds what we put there.
    [row.kind]: JSON.parse(row.document) as Handoff | SharedState | Reconciliation,
  }));
}
