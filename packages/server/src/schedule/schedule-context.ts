import type { Agents } from '../identity/agents/agents.ts';
import type { Audit } from '../continuity/audit.ts';
import type { Journal } from '../continuity/journal.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Platform } from '../platform.ts';
import type { OpenStores } from './open-stores.ts';
import type { ScheduleSettings } from './settings.ts';
import type { DueWakes } from './due-wakes.ts';

/** What every operation works with. */
export interface ScheduleContext extends Pick<Platform, 'database' | 'clock'> {
  readonly settings: ScheduleSettings;
  readonly directory: Agents;
  readonly journal: Journal;
  /** Before one more is kept. */
  readonly room: (tx: Tx, ownerId: string) => Promise<void>;
  readonly audit: Audit;
  readonly stores: OpenStores;
  readonly wakes: DueWakes;
  /** Where failures go that callers are told only a word about. */
  readonly onError: (error: unknown) => void;
}

/** Where the schedule stands among an owner's memory, though it is rows. */
export const STORE_PATH = 'memory/schedule/schedule.db';

export const ITEMS_FOLDER = 'memory/schedule/items';
export const itemPath = (scheduleId: string): string => `${ITEMS_FOLDER}/${scheduleId}.json`;
