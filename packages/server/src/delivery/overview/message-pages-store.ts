import { MESSAGE_STATES, type MessageState } from '@parley/protocol/delivery/vocabulary';
import { given, newest, together } from '../../platform/database/built.ts';
import type { Reader } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { messageTable } from '../records/message-row.ts';
import type { RecordTables } from '../records/record-tables.ts';
import { before, pageAfter, type Place } from './place.ts';

/** A message as a list shows it: without its text. */
export const listedMessage = messageTable.pick(
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
);

export type ListedMessage = RowOf<typeof listedMessage>;

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
  const { ownerId, agent, state, after, limit } = ask;
  let query = reader
    .kysely<RecordTables>()
    .selectFrom(candidates(reader, ask).as('page'))
    .innerJoin('messages as m', 'm.id', 'page.id')
    .select(listedMessage.names.map((name) => `m.${name}` as const))
    .where((is) => is.and(given({ 'm.state': state })))
    // An agent that is not the owner's has nothing here: of what it got and sent each side is looked at alone.
    .where((is) =>
      is.or([
        is.and(given({ 'm.recipient_owner': ownerId, 'm.recipient': agent })),
        is.and(given({ 'm.sender_owner': ownerId, 'm.sender': agent })),
      ]),
    )
    .$call(newest('page.created_at', 'page.id', limit));
  if (after) query = query.where(before('m.created_at', 'm.id', after));
  return await query.execute();
}

/** The longest part of a thread that is looked at. */
const LONGEST_THREAD = 5_000;

function candidates(reader: Reader, ask: MessageAsk) {
  const { thread, limit } = ask;
  if (thread !== undefined)
    return places(reader)
      .where('thread_id', '=', thread)
      .$call(newest('created_at', 'id', LONGEST_THREAD));
  const parts = together(reader, stretches(reader, ask));
  if (!parts) throw new TypeError('there is no box to look into');
  return parts.$call(newest('created_at', 'id', limit));
}

function stretches(reader: Reader, { ownerId, agent, state, ...asked }: MessageAsk) {
  const page = () => places(reader).$call(pageAfter('created_at', 'id', asked));
  const states = state === undefined ? MESSAGE_STATES : [state];
  if (agent !== undefined) {
    const got = () => page().where('recipient', '=', agent);
    return [
      ...states.map((each) => got().where('state', '=', each).where('queued_at', 'is not', null)),
      got().where('queued_at', 'is', null),
      // What it wrote to itself it got.
      page().where('sender', '=', agent).where('recipient', '<>', agent),
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

const places = (reader: Reader) => messageTable.from(reader).select(['id', 'created_at']);
