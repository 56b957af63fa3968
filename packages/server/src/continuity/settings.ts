import type { Config } from '../config/settings.ts';
import { SUBJECT_LOCK_MS } from '@parley/protocol/continuity/limits';
import { DAY } from '../platform/units.ts';

export type ContinuitySettings = ReturnType<typeof continuitySettings>;

export const continuitySettings = (config: Config) => ({
  /** Archives older than this may go into cold storage. */
  archiveDays: config.continuityRetentionArchiveDays,
  revisionsKept: config.continuityRevisionsKept,
  lockMs: SUBJECT_LOCK_MS,
});

/** What was archived before this is old enough to be packed away. */
export const archivesStaleBefore = (
  { settings }: { readonly settings: ContinuitySettings },
  now: number,
): number => now - settings.archiveDays * DAY;
