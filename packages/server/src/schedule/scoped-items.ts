import { isoSeconds } from '@parley/protocol/iso-seconds';
import type { NamedSubject } from '../continuity/capsule/subject.ts';
import { mayRead } from '../continuity/access.ts';
import type { Caller } from '../wire/caller.ts';
import { readable } from './item.ts';
import { itemsAbout } from './list-store.ts';
import { type ScheduleContext, STORE_PATH } from './schedule-context.ts';
import { reading } from './storage-trouble.ts';
import { HOUR } from '../platform/units.ts';

/** Before every time there is. */
const EVER = '';

/** What is due about some subjects, and what soon will be. It never makes the read fail that shows it. */
export async function scopedItems(
  context: ScheduleContext,
  caller: Caller,
  scopes: readonly NamedSubject[],
): Promise<object> {
  const { settings, clock, stores, database } = context;
  const { ownerId } = caller;
  if (!mayRead(caller, STORE_PATH)) return section(context, [], [], ['schedule_source_denied']);
  const now = clock.now();
  const at = isoSeconds(now);
  const ahead = isoSeconds(now + settings.windowHours * HOUR);
  // One more than is shown tells whether there is more.
  const look = (after: string, until: string, shown: number) =>
    itemsAbout(database.read, ownerId, scopes, { after, until, limit: shown + 1 });
  return await reading<object>(
    context,
    async () => {
      const opened = await stores.open(ownerId, now);
      const [due, upcoming] = await Promise.all([
        look(EVER, at, settings.dueLimit),
        look(at, ahead, settings.upcomingLimit),
      ]);
      return section(context, due, upcoming, opened, at);
    },
    (word) => section(context, [], [], [word]),
  );
}

type Rows = Parameters<typeof readable>[0];

function section(
  { settings }: ScheduleContext,
  due: Rows,
  upcoming: Rows,
  warnings: readonly string[],
  now = '',
): object {
  const dueShown = readable(due.slice(0, settings.dueLimit), now);
  const comingShown = readable(upcoming.slice(0, settings.upcomingLimit), now);
  const skipped = new Set([...dueShown.warnings, ...comingShown.warnings]);
  return {
    due: {
      items: dueShown.items,
      count: dueShown.items.length,
      truncated: due.length > settings.dueLimit,
    },
    upcoming: {
      window_hours: settings.windowHours,
      items: comingShown.items,
      count: comingShown.items.length,
      truncated: upcoming.length > settings.upcomingLimit,
    },
    warnings: [...warnings, ...inOrder(skipped)],
  };
}

/** The word for all of them comes last. */
const inOrder = (warnings: ReadonlySet<string>): string[] => {
  const rest = [...warnings].filter((word) => word !== 'schedule_rows_skipped');
  return rest.length === 0 ? [] : [...rest, 'schedule_rows_skipped'];
};
