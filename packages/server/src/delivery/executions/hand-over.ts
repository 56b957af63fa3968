import type { Channel } from '@parley/protocol/delivery/vocabulary';
import type { Tx } from '../../platform/database/database.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { ExecutionPatch, ExecutionRow } from '../records/execution-row.ts';
import { statusAfter, statusesTaking } from '../records/execution-states.ts';
import { executionById, moveExecutions } from '../records/execution-store.ts';
import { topics } from '../records/wakes.ts';
import { traceStep } from '../routing/trace.ts';
import { withdrawOffer } from './journeys.ts';

/** How the recipient came to have a message that was to be pushed. */
export type Taken = 'fetched' | 'read' | 'acked';

type HandedOver = Pick<ExecutionRow, 'id' | 'source' | 'status' | 'channel' | 'session_id'>;

/**
 * The recipient has these messages, so nobody has to be pushed any more. What somebody works on already goes on, but for an
 * attempt of ours that just ended: that is `accepted`, with what was heard of it.
 */
export async function handOver(
  context: MessagingContext,
  tx: Tx,
  executions: readonly HandedOver[],
  how: Taken,
  { event = 'fetched', heard = {} }: { event?: 'fetched' | 'accepted'; heard?: ExecutionPatch } = {},
): Promise<void> {
  const now = context.clock.now();
  for (const execution of executions) withdrawOffer(context, tx, execution);
  const before = await cueExecutions(tx, executions);
  for (const [channel, ids] of byChannel(executions)) {
    const change = { ...heard, ...endOfWay(channel, now), status: statusAfter(event), updated_at: now };
    await moveExecutions(tx, ids, statusesTaking(event), change, traceStep(now, 'recipient', how));
  }
  for (const row of before) {
    const after = await executionById(tx, row.id);
    if (after) await context.ends.changed(tx, { before: row, after });
  }
  context.wakes.after(tx, ...executions.map(({ id }) => topics.execution(id)));
}

/** Those of them that a cue made: something may follow from their end. */
async function cueExecutions(tx: Tx, executions: readonly HandedOver[]): Promise<ExecutionRow[]> {
  const made = executions.filter(({ source }) => source === 'cue');
  const rows = await Promise.all(made.map(({ id }) => executionById(tx, id)));
  return rows.filter((row) => row !== undefined);
}

/** Whichever way it was on ends in the inbox. What waited there keeps the route that led it there. */
export function endOfWay(channel: Channel | null, now: number) {
  const turned = { channel: 'inbox', route: 'inbox_direct' } as const;
  return {
    ...(channel !== 'inbox' && turned),
    held: 0,
    next_retry_at: null,
    delivered_at: now,
  } satisfies ExecutionPatch;
}

/** Nearly always there is but one: the inbox itself. */
function byChannel(executions: readonly HandedOver[]): Map<Channel | null, string[]> {
  const ids = new Map<Channel | null, string[]>();
  for (const { channel, id } of executions) ids.set(channel, [...(ids.get(channel) ?? []), id]);
  return ids;
}
