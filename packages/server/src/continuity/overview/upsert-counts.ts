import type { MemoryContext } from '../memory-context.ts';
import { revisionCountsSince } from './upsert-counts-store.ts';

export const upsertCounts = (
  { database }: Pick<MemoryContext, 'database'>,
  ownerId: string | undefined,
  since: number,
  step: number,
) => revisionCountsSince(database.read, ownerId, since, step);
