import { type Budget, budgetsOf } from '../config/budgets.ts';
import type { Config } from '../config/settings.ts';
import { SUBJECT_LOCK_MS } from '@parley/protocol/continuity/limits';
import { DAY } from '../platform/units.ts';

export interface ContinuitySettings {
  /** Archives older than this may go into cold storage. */
  readonly archiveDays: number;
  readonly revisionsKept: number;
  readonly lockMs: number;
  readonly budget: Budget;
  readonly byteBudget: Budget;
}

export function continuitySettings(config: Config): ContinuitySettings {
  return {
    archiveDays: config.continuityRetentionArchiveDays,
    revisionsKept: config.continuityRevisionsKept,
    lockMs: SUBJECT_LOCK_MS,
    budget: budgetsOf(config).documents,
    byteBudget: budgetsOf(config).documentBytes,
  };
}

/** What was archived before this is old enough to be packed away. */
export const archivesStaleBefore = (
  { settings }: { readonly settings: ContinuitySettings },
  now: number,
): number => now - settings.archiveDays * DAY;
