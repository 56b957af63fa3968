import type { InboxQuery, SentQuery } from '@parley/protocol/delivery/types';
import { MESSAGE_STATES, type MessageState } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../../messaging-context.ts';
import { DeliveryError } from '../../../wire/delivery/errors.ts';
import { OPEN_STATES } from '../../records/message-states.ts';
import { isFilled, topics } from '../../records/wakes.ts';
import { type BoxFilter, countFiltered, filteredIds, openInbox, viewsOf } from './box-store.ts';
import type { MessageView } from '../../records/message-row.ts';
import { deliverPage } from './fetching.ts';

export interface BoxPage {
  readonly messages: readonly MessageView[];
  readonly total: number;
}

/** The agent named in the path and what is asked about its box. */
export async function boxFilter(
  context: MessagingContext,
  ownerId: string,
  ref: string,
  box: BoxFilter['box'],
  query: SentQuery,
): Promise<BoxFilter> {
  const { directory } = context;
  const { suffix } = await directory.resolveOwnOrDeleted(ownerId, ref);
  const states = statesOf(query.state, box === 'inbox' ? OPEN_STATES : MESSAGE_STATES);
  const counterpart =
    query.counterpart === undefined ? undefined : await directory.resolve(ownerId, query.counterpart);
  return { ...query, box, agent: suffix, states, counterpart: counterpart?.suffix };
}

export async function countBox(context: MessagingContext, filter: BoxFilter): Promise<number> {
  const { database, tallies } = context;
  const { since, thread_id: thread, counterpart, agent, box, states } = filter;
  const plain = since === undefined && thread === undefined && counterpart === undefined;
  if (plain) return await tallies.total(database.read, agent, box, new Set(states));
  return await countFiltered(database.read, filter);
}

export async function sentPage(
  context: MessagingContext,
  filter: BoxFilter,
  query: SentQuery,
): Promise<BoxPage> {
  const { read } = context.database;
  const [ids, total] = await Promise.all([filteredIds(read, filter, query), countBox(context, filter)]);
  return { messages: await viewsOf(read, ids), total };
}

/** Holds an empty page until something comes. What is returned counts as delivered, unless one only peeks. */
export async function inboxPage(
  context: MessagingContext,
  filter: BoxFilter,
  query: InboxQuery,
  signal: AbortSignal,
): Promise<BoxPage> {
  const { recipients, wakes, database } = context;
  const { read } = database;
  const { agent, states, thread_id: thread, counterpart, since = -1 } = filter;
  recipients.seen(agent);
  const usual = states === OPEN_STATES && thread === undefined && counterpart === undefined;
  const look = async () =>
    usual
      ? await openInbox(read, agent, { since, limit: query.limit, offset: query.offset })
      : await viewsOf(read, await filteredIds(read, filter, query));
  const topic = topics.inbox(agent);
  const waitMs = (query.wait ?? 0) * 1000;
  const messages = await wakes.hold({ topic, waitMs, signal, look, isDone: isFilled });
  const total = await countBox(context, filter);
  // Whoever has gone away has not got them.
  if (query.peek || signal.aborted) return { messages, total };
  return { messages: await deliverPage(context, messages), total };
}

const isState = (word: string): word is MessageState => MESSAGE_STATES.some((state) => state === word);

function statesOf(text: string | undefined, otherwise: readonly MessageState[]): readonly MessageState[] {
  if (text === undefined) return otherwise;
  const words = text.split(',').map((word) => word.trim());
  const states = [...new Set(words)].filter(isState);
  if (states.length !== new Set(words).size) {
    throw new DeliveryError('invalid_state_filter', `state may hold ${MESSAGE_STATES.join(', ')}`);
  }
  return states;
}
