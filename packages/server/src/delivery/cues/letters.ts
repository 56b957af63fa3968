import { messageId, SUFFIX_LENGTH } from '@parley/protocol/delivery/ids';
import { DEFAULT_PRIORITY, MAX_MESSAGE_BYTES, MAX_SUBJECT } from '@parley/protocol/delivery/limits';
import { SELF_SLUG } from '@parley/protocol/identity/slug';
import type { Tx } from '../../platform/database/database.ts';
import { LOWER_ALPHANUMERIC } from '../../platform/ids.ts';
import { iso } from '../../wire/delivery/times.ts';
import { messageDelivered } from '../events/event-payloads.ts';
import { bytesOf, countMessage, monthOf } from '../messages/usage-store.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { patchExecution } from '../records/execution-store.ts';
import type { MessageRow } from '../records/message-row.ts';
import { insertMessage } from '../records/message-store.ts';
import type { LetterWriter } from '../records/transport.ts';
import type { CueContext } from './cue-context.ts';
import { cueById } from './cue-store.ts';

/** A fire that ends in an inbox is a message there, from the owner itself: what is in no inbox nobody reads. */
export const letterWriter = (context: CueContext): LetterWriter => ({
  write: (tx, execution, cueName) => writeLetter(context, tx, execution, cueName),
});

async function writeLetter(
  context: CueContext,
  tx: Tx,
  execution: ExecutionRow,
  cueName: string | undefined,
): Promise<MessageRow> {
  const { clock, tallies, sweeps } = context;
  const now = clock.now();
  const name = cueName ?? (await cueById(tx, execution.cue_id))?.name ?? execution.cue_id;
  const sender = await selfOf(context, tx, execution.owner_id);
  const message = letter(context, execution, { sender, name, now });
  await insertMessage(tx, message);
  await patchExecution(tx, execution.id, { message_id: message.id });
  const { recipient, state } = message;
  await tallies.add(tx, [
    { agent: recipient, box: 'inbox', state, by: 1 },
    { agent: sender, box: 'sent', state, by: 1 },
  ]);
  const counted = { ownerId: execution.owner_id, month: monthOf(now), shard: tallies.shard() };
  await countMessage(tx, { ...counted, messages: 0, bytes: bytesOf(message) });
  await sweeps.ensure(tx, message.expires_at);
  context.events.note(tx, messageDelivered(message, execution.channel, context.settings.spellAgent));
  return message;
}

/** The owner's own identity, made on first use. */
async function selfOf({ directory }: CueContext, tx: Tx, ownerId: string): Promise<string> {
  const [known] = await directory.withSlugs(tx, ownerId, [SELF_SLUG]);
  if (known) return known.suffix;
  const made = await directory.insert(tx, { ownerId, name: SELF_SLUG, slug: SELF_SLUG });
  const [other] = made ? [made] : await directory.withSlugs(tx, ownerId, [SELF_SLUG]);
  if (!other) throw new Error('the agent "self" could neither be made nor found');
  return other.suffix;
}

function letter(
  { random, settings }: CueContext,
  execution: ExecutionRow,
  { sender, name, now }: { sender: string; name: string; now: number },
): MessageRow {
  const id = messageId(random.text(SUFFIX_LENGTH, LOWER_ALPHANUMERIC));
  const { body, cut } = textOf(execution.payload ?? '{}');
  const metadata = {
    kind: 'cue',
    cue_id: execution.cue_id,
    cue_name: name,
    execution_id: execution.id,
    scheduled_for: iso(execution.scheduled_for),
    ...(cut && { truncated: true }),
  };
  return {
    id,
    sender_owner: execution.owner_id,
    recipient_owner: execution.owner_id,
    sender,
    recipient: execution.target ?? execution.agent ?? sender,
    thread_id: id,
    reply_to: null,
    reply_to_agent: null,
    origin: 'cue',
    subject: name.slice(0, MAX_SUBJECT),
    body,
    metadata: JSON.stringify(metadata),
    correlation_id: null,
    idempotency_key: null,
    expects_reply: 0,
    priority: DEFAULT_PRIORITY,
    delivery_mode: 'inbox',
    live_fallback_mode: execution.live_fallback_mode ?? 'background',
    live_label: null,
    execution_id: execution.id,
    state: 'queued',
    proven_stage: 'offered',
    dispatch_error: null,
    warning: null,
    send_at: null,
    created_at: now,
    queued_at: now,
    delivered_at: null,
    invoked_at: null,
    invoked_by: null,
    read_at: null,
    acked_at: null,
    failed_at: null,
    expires_at: now + settings.messageTtlMs,
    updated_at: now,
  };
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
