import type { CoordinationAnswer, MemoryAnswer, ScheduleAnswer } from '@parley/protocol/console/kept-routes';
import type { coordinationQuery, memoryQuery, scheduleQuery } from '@parley/protocol/console/kept-schemas';
import { HEALTH_STATUSES } from '@parley/protocol/continuity/vocabulary';
import type { z } from 'zod';
import { subjects } from '../continuity/overview/subjects.ts';
import { exchanged, type Exchanged } from '../coordination/overview/artifacts.ts';
import { items } from '../schedule/overview/items.ts';
import type { Person } from '../wire/person.ts';
import type { ConsoleContext } from './create-module.ts';
import { offsetOf, pageAt, scopeOf, scopeOfAgent, showsTexts } from './scope.ts';

/** What agents remember. */
export async function memoryOf(
  context: ConsoleContext,
  person: Person,
  { cursor, limit, kind, health, order, ...asked }: z.output<typeof memoryQuery>,
): Promise<MemoryAnswer> {
  const { ownerId, peer } = await scopeOfAgent(context, person, asked);
  const offset = offsetOf(cursor);
  const rank = health === undefined ? undefined : HEALTH_STATUSES.indexOf(health);
  const found = await subjects(context.continuity.service.memory, {
    ownerId,
    kind,
    health: rank,
    writer: peer,
    order,
    offset,
    limit: limit + 1,
  });
  const { page, next } = pageAt(found, offset, limit);
  const slugs = await slugsOf(context, page);
  return {
    subjects: page.map(({ ownerId: whose, row, writer }) => ({
      ...row,
      ...(!showsTexts(person, whose) && { thread_descriptor: null }),
      owner: slugs.get(whose) ?? '',
      written_by: writer,
    })),
    next,
  };
}

/** What agents want to be reminded of. */
export async function scheduleOf(
  context: ConsoleContext,
  person: Person,
  { cursor, limit, side, ...asked }: z.output<typeof scheduleQuery>,
): Promise<ScheduleAnswer> {
  const { ownerId, peer } = await scopeOfAgent(context, person, asked);
  const offset = offsetOf(cursor);
  const ask = { ownerId, open: side === 'open', peer, offset, limit: limit + 1 };
  const { page, next } = pageAt(await items(context, ask), offset, limit);
  const slugs = await slugsOf(context, page);
  return {
    items: page.flatMap(({ ownerId: whose, item }) => {
      if (!item) return [];
      const hidden = { title: '', note: null, metadata: {}, terminal_reason: null };
      return [{ ...item, ...(!showsTexts(person, whose) && hidden), owner: slugs.get(whose) ?? '' }];
    }),
    next,
  };
}

/** What agents hand to each other. */
export async function coordinationOf(
  context: ConsoleContext,
  person: Person,
  { cursor, limit, owner, kind, status }: z.output<typeof coordinationQuery>,
): Promise<CoordinationAnswer> {
  const ownerId = await scopeOf(context, person, owner);
  const offset = offsetOf(cursor);
  const found = await exchanged(context, { ownerId, kind, status, offset, limit: limit + 1 });
  const { page, next } = pageAt(found, offset, limit);
  const slugs = await slugsOf(context, page);
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
}

const slugsOf = ({ identity }: ConsoleContext, rows: readonly { readonly ownerId: string }[]) =>
  identity.ownerSlugs(rows.map(({ ownerId }) => ownerId));

/** Who gave, and to whom: names alone. */
function partiesOf({ handoff, shared, reconciliation }: Exchanged): { from: string; to: string[] } {
  if (handoff) return { from: handoff.sender_peer, to: [handoff.recipient_peer] };
  const board = shared ?? reconciliation;
  return { from: board?.owner_peer ?? '', to: board?.participant_peers ?? [] };
}
