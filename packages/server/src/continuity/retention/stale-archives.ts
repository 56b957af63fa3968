import type { MemoryContext } from '../memory-context.ts';

const DAY_MS = 86_400_000;

/** What was archived before this is old enough to be packed away. */
export const archivesStaleBefore = ({ settings }: MemoryContext, now: number): number =>
  now - settings.archiveDays * DAY_MS;
