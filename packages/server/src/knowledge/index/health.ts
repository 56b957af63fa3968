import { INDEX_FRESH_SECONDS } from '@parley/protocol/knowledge/limits';
import type { IndexRow } from './index-store.ts';

export type IndexHealth = 'missing' | 'stale' | 'healthy';

export function healthOf(index: Pick<IndexRow, 'generated_at'> | undefined, now: number): IndexHealth {
  const generatedAt = index?.generated_at ?? null;
  if (generatedAt === null) return 'missing';
  return now - generatedAt > INDEX_FRESH_SECONDS * 1000 ? 'stale' : 'healthy';
}
