import type {
  ListedMessageAnswer,
  ListedThreadAnswer,
  MessagesAnswer,
  ThreadsAnswer,
} from '@parley/protocol/console/view-routes';
import type { messagesQuery, threadsQuery } from '@parley/protocol/console/view-schemas';
import type { z } from 'zod';
import type { ListedMessage, ListedThread } from '../delivery/overview/lately.ts';
import { DeliveryError } from '../wire/delivery/errors.ts';
import { iso, isoOrNull } from '../wire/delivery/times.ts';
import type { Person } from '../wire/person.ts';
import type { ConsoleContext } from './create-module.ts';
import {
  type Names,
  namesOf,
  pageAfter,
  placeOf,
  scopeOf,
  showsTexts,
  suffixOf,
  threadCursor,
  threadPlaceOf,
} from './scope.ts';

export async function messagesOf(
  context: ConsoleContext,
  person: Person,
  { cursor, limit, owner, agent, thread, state }: z.output<typeof messagesQuery>,
): Promise<MessagesAnswer> {
  const { lately } = context.console;
  const ownerId = await scopeOf(context, person, owner);
  const suffix = await suffixOf(context, person, agent);
  const ask = { ownerId, agent: suffix, thread, state, after: placeOf(cursor), limit: limit + 1 };
  const { page, next } = pageAfter(await lately.messages(ask), limit);
  const names = await namesIn(context, person, ownerId, page);
  // Told of a thread only to who has a message in it.
  const stopped = thread === undefined || page.length === 0 ? null : await lately.threadStoppedAt(thread);
  return {
    messages: page.map((row) => listedMessage(row, ownerId, names)),
    next,
    stopped_at: isoOrNull(stopped),
  };
}

export async function threadsOf(
  context: ConsoleContext,
  person: Person,
  { cursor, limit, owner, agent, q, ...filter }: z.output<typeof threadsQuery>,
): Promise<ThreadsAnswer> {
  const ownerId = await scopeOf(context, person, owner);
  // What is not shown is not searched either.
  if (q !== undefined && !showsTexts(person, ownerId ?? ''))
    throw new DeliveryError('invalid_filter', 'q: subjects are not shown here');
  const { rows, next } = await context.console.lately.threads({
    ownerId,
    agent: await suffixOf(context, person, agent),
    state: filter.state,
    priority: filter.priority,
    subject: q,
    from: threadPlaceOf(cursor),
    limit,
  });
  const names = await namesIn(context, person, ownerId, rows);
  return {
    threads: rows.map((row) => listedThread(row, ownerId, names)),
    next: next ? threadCursor(next) : null,
  };
}

interface NamesAndTexts extends Names {
  /** Whether the person may read texts between these two owners. */
  readonly texts: (row: Pick<ListedMessage, 'sender_owner' | 'recipient_owner'>) => boolean;
}

async function namesIn(
  context: ConsoleContext,
  person: Person,
  ownerId: string | undefined,
  rows: readonly ListedMessage[],
): Promise<NamesAndTexts> {
  const agents = rows.flatMap((row) => [row.sender, row.recipient]);
  const owners = rows.map((row) => ownerId ?? row.recipient_owner);
  return {
    ...(await namesOf(context, agents, owners)),
    // Each side of a message may show it.
    texts: (row) => showsTexts(person, row.recipient_owner) || showsTexts(person, row.sender_owner),
  };
}

/** `owner` is whose the object is for the person: the recipient's, or the sender's where only that is theirs. */
const listedMessage = (
  row: ListedMessage,
  ownerId: string | undefined,
  { addresses, slugs, texts }: NamesAndTexts,
): ListedMessageAnswer => ({
  id: row.id,
  owner: slugs.get(ownerId ?? row.recipient_owner) ?? '',
  from: addresses.get(row.sender) ?? row.sender,
  to: addresses.get(row.recipient) ?? row.recipient,
  thread_id: row.thread_id,
  subject: texts(row) ? row.subject : null,
  priority: row.priority,
  expects_reply: row.expects_reply === 1,
  state: row.state,
  proven_stage: row.proven_stage,
  error: row.dispatch_error,
  execution_id: row.execution_id,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** Replies mostly have no subject of their own; the thread has. */
const listedThread = (
  row: ListedThread,
  ownerId: string | undefined,
  names: NamesAndTexts,
): ListedThreadAnswer => ({
  ...listedMessage(row, ownerId, names),
  subject: names.texts(row) ? (row.subject ?? row.opened_as) : null,
  messages: row.messages,
  unread: row.unread,
  stopped_at: isoOrNull(row.tripped_at),
});
