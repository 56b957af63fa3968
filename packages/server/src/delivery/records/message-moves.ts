import type { ProvenStage } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { messageReceipt } from './event-payloads.ts';
import { isOver, type MessageEvent, nextMessageState } from './message-states.ts';
import type { MessageRow } from './message-row.ts';
import { type MessagePatch, patchMessage } from './message-store.ts';
import { further, provedBy, reaches } from './proof.ts';
import { boxesOf } from './tallies.ts';
import type { Count } from './tally-store.ts';

/** Which time an event writes beside that of the first delivery, which goes with its proof. */
const STAMPS: Readonly<Partial<Record<MessageEvent, 'read_at' | 'acked_at' | 'failed_at'>>> = {
  push_failed: 'failed_at',
  read: 'read_at',
  acked: 'acked_at',
};

/**
 * Moves a message from state to state, with everything that is counted and scheduled by it. The message is locked by the caller. Where its state does not take the event, it still counts what that proves: the
 * recipient has what it has. Comes back as it is when nothing changed.
 */
export async function advanceMessage(
  context: MessagingContext,
  tx: Tx,
  message: MessageRow,
  event: MessageEvent,
  patch: Pick<MessagePatch, 'dispatch_error'> = {},
  proved: ProvenStage = provedBy(event),
): Promise<MessageRow> {
  const to = nextMessageState(message.state, event);
  if (to === undefined) return await note(context, tx, message, proved);
  const now = context.clock.now();
  const stamp = STAMPS[event];
  const stamped = stamp && { [stamp]: message[stamp] ?? now };
  const change: MessagePatch = { ...patch, ...stamped, ...proofOf(message, proved, now), updated_at: now };
  await patchMessage(tx, message.id, { ...change, state: to });
  await context.tallies.add(tx, movedDeltas(message, to));
  if (isOver(to)) await context.sweeps.ensure(tx, now + context.settings.removalAfterTerminalMs);
  else if (message.expires_at <= now) await context.sweeps.ensure(tx, now);
  const moved = { ...message, ...change, state: to };
  context.events.note(tx, messageReceipt(moved, context.settings.spellAgent));
  return moved;
}

/** Without a move, so `updated_at` stays: what is over is removed by it. */
async function note(
  context: MessagingContext,
  tx: Tx,
  message: MessageRow,
  proved: ProvenStage,
): Promise<MessageRow> {
  if (reaches(message.proven_stage, proved)) return message;
  const change = proofOf(message, proved, context.clock.now());
  await patchMessage(tx, message.id, change);
  return { ...message, ...change };
}

/** What a message gains by a proof. */
export function proofOf(message: MessageRow, proved: ProvenStage, now: number): MessagePatch {
  const delivered = reaches(proved, 'delivered') ? { delivered_at: message.delivered_at ?? now } : {};
  return { proven_stage: further(message.proven_stage, proved), ...delivered };
}

/** What a move counts. */
export const movedDeltas = (message: Parameters<typeof boxesOf>[0], to: MessageRow['state']): Count[] => [
  ...boxesOf(message, -1),
  ...boxesOf({ ...message, state: to }, 1),
];
