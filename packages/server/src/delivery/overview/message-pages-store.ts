import { MESSAGE_STATES, type MessageState, type ProvenStage } from '@parley/protocol/delivery/vocabulary';
import type { Kysely } from 'kysely';
import type { Reader } from '../../platform/database/database.ts';
import { before, type Place } from './place.ts';

/** A message as a list shows it: without its text. */
export interface ListedMessage {
  readonly id: string;
  readonly sender: string;
  readonly recipient: string;
  readonly sender_owner: string;
  readonly recipient_owner: string;
  readonly thread_id: string;
  readonly subject: string | null;
  readonly priority: number;
  readonly expects_reply: number;
  readonly state: MessageState;
  readonly proven_stage: ProvenStage;
  readonly dispatch_error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly execution_id: string;
}

interface Tables {
  messages: ListedMessage & { readonly queued_at: number | null };
}

const MESSAGE = [
  'id',
  'sender',
  'recipient',
  'sender_owner',
  'recipient_owner',
  'thread_id',
  'subject',
  'priority',
  'expects_reply',
  'state',
  'proven_stage',
  'dispatch_error',
  'created_at',
  'updated_at',
  'execution_id',
] as const;

export interface MessageAsk {
  /** Whose; undefined: everybody's. */
  readonly ownerId: string | undefined;
  readonly agent: string | undefined;
  readonly state: MessageState | undefined;
  readonly thread: string | undefined;
  readonly after: Place | undefined;
  readonly limit: number;
}

/**
 * Newest first. Each box and state is a stretch of an index that has this order, so the page is among the beginnings of those
 * stretches: as few rows are read where a state is rare as where it is common.
 */
export async function messagesLately(reader: Reader, ask: MessageAsk): Promise<ListedMessage[]> {
  const kysely = reader.kysely<Tables>();
  const { ownerId, agent, state, after, limit } = ask;
  let query = kysely
    .selectFrom(candidates(kysely, ask).as('page'))
    .innerJoin('messages as m', 'm.id', 'page.id')
    .select(MESSAGE.map((name) => `m.${name}` as const))
    .orderBy('page.created_at', 'desc')
    .orderBy('page.id', 'desc')
    .limit(limit);
  if (state !== undefined) query = query.where('m.state', '=', state);
  if (agent !== undefined)
    query = query.where((is) => is.or([is('m.recipient', '=', agent), is('m.sender', '=', agent)]));
  // An agent that is not the owner's has nothing here: of what it got and sent each side is looked at alone.
  if (ownerId !== undefined)
    query = query.where((is) =>
      is.or([
        is.and([
          is('m.recipient_owner', '=', ownerId),
          ...(agent === undefined ? [] : [is('m.recipient', '=', agent)]),
        ]),
        is.and([
          is('m.sender_owner', '=', ownerId),
          ...(agent === undefined ? [] : [is('m.sender', '=', agent)]),
        ]),
      ]),
    );
  if (after) query = query.where(before('m.created_at', 'm.id', after));
  return await query.execute();
}

/** The longest part of a thread that is looked at. */
const LONGEST_THREAD = 5_000;

function candidates(kysely: Kysely<Tables>, ask: MessageAsk) {
  const { thread, limit } = ask;
  if (thread !== undefined) return newest(kysely, LONGEST_THREAD).where('thread_id', '=', thread);
  const [first, ...others] = stretches(kysely, ask).map((each) =>
    // A part of a union that has an order of its own has to be a table for both databases.
    kysely.selectFrom(each.as('part')).selectAll(),
  );
  if (!first) throw new TypeError('there is no box to look into');
  return kysely
    .selectFrom(others.reduce((all, next) => all.union(next), first).as('parts'))
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
}

function stretches(kysely: Kysely<Tables>, { ownerId, agent, state, after, limit }: MessageAsk) {
  const page = () => {
    const query = newest(kysely, limit);
    return after ? query.where(before('created_at', 'id', after)) : query;
  };
  const states = state === undefined ? MESSAGE_STATES : [state];
  if (agent !== undefined) {
    const got = () => page().where('recipient', '=', agent);
    return [
      ...states.map((each) => got().where('state', '=', each).where('queued_at', 'is not', null)),
      got().where('queued_at', 'is', null),
      page().where('sender', '=', agent),
    ].map((query) => (state === undefined ? query : query.where('state', '=', state)));
  }
  return states.flatMap((each) => {
    const of = () => page().where('state', '=', each);
    return ownerId === undefined
      ? [of()]
      : [
          of().where('recipient_owner', '=', ownerId),
          of().where('sender_owner', '=', ownerId).whereRef('sender_owner', '<>', 'recipient_owner'),
        ];
  });
}

const newest = (kysely: Kysely<Tables>, limit: number) =>
  kysely
    .selectFrom('messages')
    .select(['id', 'created_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
