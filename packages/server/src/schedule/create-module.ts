import { auditIn } from '../continuity/audit.ts';
import { requireRoom } from '../continuity/documents-budget.ts';
import type { ContinuityService } from '../continuity/service.ts';
import type { HouseMail } from '../delivery/messages/house-mail.ts';
import type { IdentityService } from '../identity/service.ts';
import { errorFields } from '../platform/log.ts';
import type { Module } from '../platform/module.ts';
import type { Platform } from '../platform.ts';
import { DueWakes } from './due-wakes.ts';
import { countItems } from './item-store.ts';
import { OpenStores } from './open-stores.ts';
import type { ScheduleContext } from './schedule-context.ts';
import { ScheduleService } from './service.ts';
import { scheduleSettings } from './settings.ts';

export interface ScheduleModule extends Module {
  readonly service: ScheduleService;
}

/** What its routes are made from. */
export interface ScheduleRoutesContext extends Platform {
  readonly identity: IdentityService;
  readonly schedule: ScheduleModule;
}

export function createScheduleModule(
  platform: Platform,
  { directory }: IdentityService,
  continuity: ContinuityService,
  mail: HouseMail,
): ScheduleModule {
  const { database, clock, jobs, log, config } = platform;
  const context: ScheduleContext = {
    database,
    clock,
    settings: scheduleSettings(config),
    directory,
    journal: continuity.journal,
    room: (tx, ownerId) => requireRoom(continuity.memory, tx, ownerId),
    audit: auditIn(log, 'schedule'),
    stores: new OpenStores(database),
    wakes: new DueWakes({ database, clock, jobs, directory, mail }),
    onError: (error) => log.error('schedule_failed', errorFields(error)),
  };
  continuity.memory.held.add(countItems);
  const service = new ScheduleService(context);
  continuity.sections.provideSchedule((caller, scopes) => service.scoped(caller, scopes));
  return {
    service,
    start: async () => undefined,
    release: () => undefined,
    close: async () => undefined,
  };
}
