import type {
  ComingAnswer,
  CuesAnswer,
  ListedCueAnswer,
  NextTimesAnswer,
} from '@parley/protocol/console/kept-routes';
import type { comingQuery, cuesQuery, nextTimesQuery } from '@parley/protocol/console/kept-schemas';
import type { z } from 'zod';
import { comingFires, comingTimes, previewed } from '../delivery/overview/coming.ts';
import type { ListedCue } from '../delivery/overview/lately.ts';
import { DAY } from '../platform/units.ts';
import { iso, isoOrNull } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import type { ConsoleContext } from './create-module.ts';
import { type Names, namesOf, pageAfter, placeOf, scopeOfAgent } from './scope.ts';

const MOST_FIRES = 500;
const PREVIEWED = 5;

export async function cuesOf(
  context: ConsoleContext,
  person: Person,
  { cursor, limit, status, ...asked }: z.output<typeof cuesQuery>,
): Promise<CuesAnswer> {
  const { ownerId, suffix } = await scopeOfAgent(context, person, asked);
  const ask = { ownerId, agent: suffix, status, after: placeOf(cursor), limit: limit + 1 };
  const { page, next } = pageAfter(await context.console.lately.cues(ask), limit);
  const agents = page.map(({ agent }) => agent);
  const owners = page.map((row) => row.owner_id);
  const names = await namesOf(context, agents, owners);
  return { cues: page.map((row) => listedCue(row, names)), next };
}

/** What fires within a day. */
export async function comingOf(
  context: ConsoleContext,
  person: Person,
  asked: z.output<typeof comingQuery>,
): Promise<ComingAnswer> {
  const { ownerId, suffix } = await scopeOfAgent(context, person, asked);
  const now = context.clock.now();
  const fires = await comingFires(context.delivery, ownerId, suffix, now + DAY, MOST_FIRES);
  const agents = fires.map(({ agent }) => agent);
  const owners = fires.map((fire) => fire.ownerId);
  const { addresses, slugs } = await namesOf(context, agents, owners);
  return {
    since: iso(now),
    until: iso(now + DAY),
    fires: fires.map(({ at, cueId, cue, ownerId: whose, agent }) => ({
      at: iso(at),
      cue_id: cueId,
      cue,
      owner: slugs.get(whose) ?? '',
      agent: agent === null ? null : (addresses.get(agent) ?? null),
    })),
  };
}

/** When a cue that is being written would fire. */
export const nextTimesOf = (
  { clock }: ConsoleContext,
  asked: z.output<typeof nextTimesQuery>,
): NextTimesAnswer => ({
  times: previewed(asked, clock.now(), PREVIEWED).map(({ at, local }) => ({ at: iso(at), local })),
});

function listedCue(row: ListedCue, { slugs, addresses }: Names): ListedCueAnswer {
  const { id, name, status, cron, timezone, transport, agent } = row;
  return {
    id,
    owner: slugs.get(row.owner_id) ?? '',
    name,
    status,
    cron,
    at: isoOrNull(row.at),
    timezone,
    transport,
    agent: agent === null ? null : (addresses.get(agent) ?? null),
    next_run: isoOrNull(row.next_run),
    times: comingTimes(row, PREVIEWED).map(({ at, local }) => ({ at: iso(at), local })),
    created_at: iso(row.created_at),
  };
}
