import type { MessagingContext } from '../../messaging-context.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { statusAfter, takes } from '../../records/execution-states.ts';
import { endOfWay, handOver } from '../../executions/hand-over.ts';
import { nextMessageState, stateAfter } from '../../records/message-states.ts';
import { viewsOf } from './box-store.ts';
import { lockPage, markDelivered } from './fetching-store.ts';
import { movedDeltas } from '../../records/message-moves.ts';
import type { MessageView } from '../../records/message-row.ts';
import { further } from '../../records/proof.ts';

const DELIVERED = stateAfter('fetched');
const FETCHED = statusAfter('fetched');

/**
 * Hands a page of an inbox over: a few statements for the whole page. Looking must not steal a push that somebody is asked
 * to take, so what is offered live or in the background keeps its state; a webhook not yet under way is spared. Either way
 * the recipient has the text from now on, and the sender is told.
 * Returns the page as it is once its messages count as delivered.
 */
export async function deliverPage(
  context: MessagingContext,
  page: readonly MessageView[],
): Promise<readonly MessageView[]> {
  const { database, clock } = context;
  const ids = page.filter((message) => waitsForFetch(message) || unseen(message)).map(({ id }) => id);
  if (ids.length === 0) return page;
  const now = clock.now();
  const taken = await database.write((tx) => takePage(context, tx, ids, now));
  // Another poll was faster with these, or they were only seen; they are shown as they are left.
  const others = await viewsOf(
    database.read,
    ids.filter((id) => !taken.has(id)),
  );
  const changed = new Map(others.map((message) => [message.id, message]));
  return page.map((message) =>
    taken.has(message.id) ? fetched(message, now) : (changed.get(message.id) ?? message),
  );
}

async function takePage(
  context: MessagingContext,
  tx: Tx,
  ids: readonly string[],
  now: number,
): Promise<ReadonlySet<string>> {
  const { tallies } = context;
  const locked = await lockPage(tx, ids);
  const seen = locked.filter((message) => unseen(message) && !waitsForFetch(message)).map(({ id }) => id);
  if (seen.length > 0) await markDelivered(tx, seen, now);
  const messages = locked.filter(waitsForFetch);
  if (messages.length === 0) return new Set();
  const taken = messages.map(({ id }) => id);
  await markDelivered(tx, taken, now, DELIVERED);
  const executions = messages.map(({ execution_id: id, ...message }) => ({ ...message, id }));
  await handOver(context, tx, executions, 'fetched');
  await tallies.add(
    tx,
    messages.flatMap((message) => movedDeltas(message, DELIVERED)),
  );
  return new Set(taken);
}

function waitsForFetch({ state, channel }: Pick<MessageView, 'state' | 'channel'>): boolean {
  const pushed = state === 'queued' && (channel === 'live' || channel === 'bg');
  return !pushed && nextMessageState(state, 'fetched') !== undefined;
}

const unseen = ({ delivered_at: at }: Pick<MessageView, 'delivered_at'>): boolean => at === null;

function fetched(message: MessageView, now: number): MessageView {
  const { held, channel, route } = { ...message, ...endOfWay(message.channel, now) };
  return {
    ...message,
    state: DELIVERED,
    delivered_at: message.delivered_at ?? now,
    proven_stage: further(message.proven_stage, 'delivered'),
    updated_at: now,
    status: takes(message.status, 'fetched') ? FETCHED : message.status,
    held,
    channel,
    route,
  };
}
