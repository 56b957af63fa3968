import { auditIn } from '../continuity/audit.ts';
import { requireRoom } from '../continuity/documents-budget.ts';
import type { MemoryCall } from '../continuity/memory-routes.ts';
import type { ContinuityService } from '../continuity/service.ts';
import type { HouseMail } from '../delivery/messages/house-mail.ts';
import type { IdentityService } from '../identity/service.ts';
import type { Tx } from '../platform/database/database.ts';
import { IDLE } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import { dueWakes } from './due-wakes.ts';
import { items } from './item-store.ts';
import { OpenStores } from './open-stores.ts';

/** What every operation works with. */
export type ScheduleContext = ReturnType<typeof scheduleContext>;

export function scheduleContext(
  platform: Platform,
  { directory }: IdentityService,
  { journal, memory }: ContinuityService,
  mail: HouseMail,
) {
  const { database, clock, log, config } = platform;
  memory.documents.addRows(items);
  return {
    ...IDLE,
    database,
    clock,
    directory,
    journal,
    /** What a startup read shows of the schedule. */
    settings: {
      dueLimit: config.scheduleDueLimit,
      upcomingLimit: config.scheduleUpcomingLimit,
      windowHours: config.scheduleUpcomingWindowHours,
    },
    /** Before one more is kept. */
    room: (tx: Tx, ownerId: string) => requireRoom(memory.documents, tx, ownerId),
    audit: auditIn(log, 'schedule'),
    stores: new OpenStores(database),
    wakes: dueWakes(platform, directory, mail),
    /** Where failures go that callers are told only a word about. */
    onError: log.failed('schedule_failed'),
  };
}

/** What was asked for and sent is looked at by the operation itself. */
export type ScheduleCall = MemoryCall<unknown, unknown>;
export type ItemAction = (context: ScheduleContext, call: ScheduleCall) => Promise<object>;

/** Where the schedule stands among an owner's memory, though it is rows. */
export const STORE_PATH = 'memory/schedule/schedule.db';

export const ITEMS_FOLDER = 'memory/schedule/items';
export const itemPath = (scheduleId: string): string => `${ITEMS_FOLDER}/${scheduleId}.json`;
