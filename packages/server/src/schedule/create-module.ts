import type { ContinuityService } from '../continuity/service.ts';
import type { HouseMail } from '../delivery/messages/house-mail.ts';
import type { IdentityService } from '../identity/service.ts';
import type { Platform } from '../platform.ts';
import { items } from './item-store.ts';
import { type ScheduleContext, scheduleContext } from './schedule-context.ts';
import { scopedItems } from './scoped-items.ts';

export function createScheduleModule(
  platform: Platform,
  identity: IdentityService,
  continuity: ContinuityService,
  mail: HouseMail,
): ScheduleContext {
  const context = scheduleContext(platform, identity, continuity, mail);
  continuity.memory.documents.addRows(items);
  continuity.sections.scheduleOf = (caller, about) => scopedItems(context, caller, about);
  return context;
}
