import * as declared from '@parley/protocol/console/kept-routes';
import { HEALTH_STATUSES } from '@parley/protocol/continuity/vocabulary';
import { subjects } from '../../continuity/overview/subjects.ts';
import { exchanged, type Exchanged } from '../../coordination/overview/artifacts.ts';
import { comingFires, comingTimes, previewed } from '../../delivery/overview/coming.ts';
import type { ListedCue } from '../../delivery/overview/lately.ts';
import type { RouteTable } from '../../platform/http/route-table.ts';
import { items } from '../../schedule/overview/items.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import type { Person } from '../../wire/person.ts';
import type { Names } from '../answers.ts';
import type { ConsoleContext } from '../create-module.ts';
import { agentNamed, cut, namesOf, offsetOf, pageAt, placeOf, scopeOf, showsTexts } from '../scope.ts';
import { type MaybePerson, personOf } from '../shape.ts';
import { DAY } from '../../platform/units.ts';

const MOST_FIRES = 500;
const PREVIEWED = 5;

interface Asked {
  readonly owner?: string | undefined;
  readonly agent?: string | undefined;
}

/** What agents keep, of one owner or of all that the person may see. */
export function keptRoutes(table: RouteTable<MaybePerson>, context: ConsoleContext): void {
  const { clock, identity, console, continuity, delivery } = context;

  /** Whose, and by which of its agents. */
  const scope = async (person: Person, { owner, agent }: Asked) => {
    if (agent === undefined || agent === '') return { ownerId: await scopeOf(context, person, owner) };
    const found = await agentNamed(context, person, agent);
    return { ownerId: found.ownerId, peer: found.slug, suffix: found.suffix };
  };
  const slugsOf = (rows: readonly { readonly ownerId: string }[]) =>
    identity.ownerSlugs(rows.map(({ ownerId }) => ownerId));

  table.add(declared.consoleMemory, async (call) => {
    const person = personOf(call);
    const { cursor, limit, kind, health, order, ...asked } = call.query;
    const { ownerId, peer } = await scope(person, asked);
    const offset = offsetOf(cursor);
    const rank = health === undefined ? undefined : HEALTH_STATUSES.indexOf(health);
    const found = await subjects(continuity.service.memory, {
      ownerId,
      kind,
      health: rank,
      writer: peer,
      order,
      offset,
      limit: limit + 1,
    });
    const { page, next } = pageAt(found, offset, limit);
    const slugs = await slugsOf(page);
    return {
      subjects: page.map(({ ownerId: whose, row, writer }) => ({
        ...row,
        ...(!showsTexts(person, whose) && { thread_descriptor: null }),
        owner: slugs.get(whose) ?? '',
        written_by: writer,
      })),
      next,
    };
  });

  table.add(declared.consoleSchedule, async (call) => {
    const person = personOf(call);
    const { cursor, limit, side, ...asked } = call.query;
    const { ownerId, peer } = await scope(person, asked);
    const offset = offsetOf(cursor);
    const ask = { ownerId, open: side === 'open', peer, offset, limit: limit + 1 };
    const { page, next } = pageAt(await items(context, ask), offset, limit);
    const slugs = await slugsOf(page);
    return {
      items: page.flatMap(({ ownerId: whose, item }) => {
        if (!item) return [];
        const hidden = { title: '', note: null, metadata: {}, terminal_reason: null };
        return [{ ...item, ...(!showsTexts(person, whose) && hidden), owner: slugs.get(whose) ?? '' }];
      }),
      next,
    };
  });

  table.add(declared.consoleCoordination, async (call) => {
    const person = personOf(call);
    const { cursor, limit, owner, kind, status } = call.query;
    const ownerId = await scopeOf(context, person, owner);
    const offset = offsetOf(cursor);
    const found = await exchanged(context, { ownerId, kind, status, offset, limit: limit + 1 });
    const { page, next } = pageAt(found, offset, limit);
    const slugs = await slugsOf(page);
    return {
      exchanges: page.map((each) => {
        const { ownerId: whose, ...shown } = each;
        const hidden = { handoff: null, shared: null, reconciliation: null };
        return {
          ...shown,
          kind,
          ...partiesOf(each),
          ...(!showsTexts(person, whose) && hidden),
          owner: slugs.get(whose) ?? '',
        };
      }),
      next,
    };
  });

  table.add(declared.consoleCues, async (call) => {
    const { cursor, limit, status, ...asked } = call.query;
    const { ownerId, suffix } = await scope(personOf(call), asked);
    const ask = { ownerId, agent: suffix, status, after: placeOf(cursor), limit: limit + 1 };
    const { page, next } = cut(await console.lately.cues(ask), limit);
    const agents = page.map(({ agent }) => agent);
    const owners = page.map((row) => row.owner_id);
    const names = await namesOf(context, agents, owners);
    return { cues: page.map((row) => cueAnswer(row, names)), next };
  });

  table.add(declared.consoleComing, async (call) => {
    const { ownerId, suffix } = await scope(personOf(call), call.query);
    const now = clock.now();
    const fires = await comingFires(delivery, ownerId, suffix, now + DAY, MOST_FIRES);
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
  });

  table.add(declared.consoleNextTimes, async (call) => {
    personOf(call);
    const times = previewed(call.query, clock.now(), PREVIEWED);
    return { times: times.map(({ at, local }) => ({ at: iso(at), local })) };
  });
}

function cueAnswer(row: ListedCue, { slugs, addresses }: Omit<Names, 'texts'>): declared.ListedCueAnswer {
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

/** Who gave, and to whom: names alone. */
function partiesOf({ handoff, shared, reconciliation }: Exchanged): { from: string; to: string[] } {
  if (handoff) return { from: handoff.sender_peer, to: [handoff.recipient_peer] };
  const board = shared ?? reconciliation;
  return { from: board?.owner_peer ?? '', to: board?.participant_peers ?? [] };
}
