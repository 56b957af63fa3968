import type { DeliveryModule } from '../create-module.ts';
import type { CueRow } from '../cues/record/cue-row.ts';
import { nextTimes, readSchedule, type Schedule } from '../cues/schedule/schedule.ts';
import { localTime } from '../cues/schedule/zone.ts';
import { cuesComing } from './cue-pages-store.ts';

/** A cue that fires each minute would fill the day alone. */
const MOST_OF_ONE = 48;

/** Every fire of the cues that are due first, until a moment, the earliest first. */
export async function comingFires(
  { cues }: DeliveryModule,
  ownerId: string | undefined,
  agent: string | undefined,
  until: number,
  most: number,
) {
  const { database } = cues;
  const rows = await cuesComing(database.read, ownerId, agent, until, most);
  return rows
    .flatMap((row) =>
      nextTimes(row, (row.next_run ?? until) - 1, MOST_OF_ONE, until).map((at) => ({
        at,
        cueId: row.id,
        cue: row.name,
        ownerId: row.owner_id,
        /** By suffix; null where a worker or a callback is meant. */
        agent: row.agent,
      })),
    )
    .toSorted((a, b) => a.at - b.at)
    .slice(0, most);
}

const localTimes = (zone: string, times: readonly number[]): { at: number; local: string }[] =>
  times.map((at) => ({ at, local: localTime(zone, at) }));

/** The times for which a cue waits, as its own clock shows them; none of one that is paused or over. */
export const comingTimes = (
  cue: Schedule & Pick<CueRow, 'next_run'>,
  count: number,
): { at: number; local: string }[] =>
  cue.next_run === null ? [] : localTimes(cue.timezone, nextTimes(cue, cue.next_run - 1, count));

/** The next times of a cron line that is being written; throws what is wrong with it. */
export function previewed(
  { cron, timezone }: { cron: string; timezone: string },
  now: number,
  count: number,
): { at: number; local: string }[] {
  const schedule = readSchedule({ type: 'recurring', cron, at: null, timezone }, now);
  return localTimes(timezone, nextTimes(schedule, now, count));
}
