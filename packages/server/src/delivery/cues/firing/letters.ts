import { DEFAULT_PRIORITY, MAX_MESSAGE_BYTES, MAX_SUBJECT } from '@parley/protocol/delivery/limits';
import type { Tx } from '../../../platform/database/database.ts';
import { iso } from '../../../wire/delivery/times.ts';
import { messageDelivered } from '../../records/event-payloads.ts';
import { type MessageDraft, newMessage } from '../../messages/new-message.ts';
import type { ExecutionRow } from '../../records/execution-row.ts';
import { patchExecution } from '../../records/execution-store.ts';
import type { MessageRow } from '../../records/message-row.ts';
import { insertMessage } from '../../records/message-store.ts';
import type { CueContext } from '../cue-context.ts';
import { cueById } from '../record/cue-store.ts';
import { FireRound } from './fire-round.ts';

/** A fire that ends in an inbox is a message there, from the owner itself: what is in no inbox nobody reads. */
export async function draftLetter(
  round: FireRound,
  execution: ExecutionRow,
  cueName: string,
): Promise<MessageRow> {
  const { clock, random, settings } = round.context;
  const { owner_id: ownerId } = execution;
  const sender = await round.selfOf(ownerId);
  const now = clock.now();
  const { body, cut } = textOf(execution.payload ?? '{}');
  const metadata = {
    kind: 'cue',
    cue_id: execution.cue_id,
    cue_name: cueName,
    execution_id: execution.id,
    scheduled_for: iso(execution.scheduled_for),
    ...(cut && { truncated: true }),
  };
  const draft: MessageDraft = {
    body: {
      subject: cueName.slice(0, MAX_SUBJECT),
      body,
      metadata,
      expects_reply: false,
      delivery_mode: 'inbox',
      live_fallback_mode: execution.live_fallback_mode ?? 'background',
    },
    sender: { ownerId, suffix: sender, origin: 'cue' },
    recipient: { ownerId, suffix: execution.target ?? execution.agent ?? sender },
    priority: DEFAULT_PRIORITY,
    expiresAt: now + settings.messageTtlMs,
    now,
  };
  return { ...newMessage(draft, random), execution_id: execution.id, proven_stage: 'offered' };
}

export async function storeLetter(round: FireRound, message: MessageRow): Promise<void> {
  const { context, tx } = round;
  await insertMessage(tx, message);
  round.countLetter(message);
  await context.sweeps.ensure(tx, message.expires_at);
  context.events.note(tx, messageDelivered(message, 'inbox', context.settings.spellAgent));
}

/** For a run that was on another way before. */
export async function writeLetter(context: CueContext, tx: Tx, execution: ExecutionRow): Promise<MessageRow> {
  const round = new FireRound(context, tx);
  const cue = await cueById(tx, execution.cue_id);
  const message = await draftLetter(round, execution, cue?.name ?? execution.cue_id);
  await patchExecution(tx, execution.id, { message_id: message.id });
  await storeLetter(round, message);
  await round.close();
  return message;
}

/** What the payload says as text, else the payload itself. An inbox holds no more than a message may; the execution has all of it. */
function textOf(payload: string): { body: string; cut: boolean } {
  const { message } = JSON.parse(payload) as { message?: unknown };
  const body = typeof message === 'string' && message !== '' ? message : payload;
  const bytes = Buffer.from(body);
  if (bytes.length <= MAX_MESSAGE_BYTES) return { body, cut: false };
  // Not in the middle of a character.
  let end = MAX_MESSAGE_BYTES;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return { body: bytes.subarray(0, end).toString(), cut: true };
}
