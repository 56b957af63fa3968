import { fitsAsMetadata, LAST_INSTANT } from '@parley/protocol/delivery/fields';
import { MIN_TTL_SECONDS, MAX_TTL_SECONDS } from '@parley/protocol/delivery/limits';
import type { MessageCreate } from '@parley/protocol/delivery/types';
import type { MessagingContext } from '../messaging-context.ts';
import type { Caller } from '../../wire/caller.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { OwnerBudget } from '../../config/owner-budget.ts';
import { agentNotFound } from '../../identity/agents/agents.ts';
import { overBudget } from '../../wire/delivery/budget.ts';
import { DeliveryError, validationError } from '../../wire/delivery/errors.ts';
import { heldPlan } from './held-plan.ts';
import { planPush, type PushPlan } from '../routing/push-plan.ts';
import { fingerprint, isIdempotencyKey, judgeKey } from './idempotency.ts';
import type { Recipient } from '../routing/recipient.ts';
import type { Json } from '../../wire/delivery/signed-json.ts';
import { readKey, takeKey } from './idempotency-store.ts';
import { LoopTripped, passLoopGuard, refuseLoop } from './loops/loop-breaker.ts';
import type { MessageRow, Travel } from '../records/message-row.ts';
import { readMessage } from '../records/message-store.ts';
import { storeMessage } from './storing.ts';
import { type MessageDraft, newMessage, noticeOf } from './new-message.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import { findParties, type Parties } from './parties.ts';
import type { SendLimits } from './send-limits.ts';
import { bytesOf, usedIn } from '../usage/usage-store.ts';
import { monthOf } from '../../platform/month.ts';
import { addressOf } from '../../identity/agents/agent-details.ts';

export interface SendRequest {
  readonly body: MessageCreate;
  /** From the header; the body may name the sender too. */
  readonly from: string | undefined;
  readonly idempotencyKey: string | undefined;
}

export interface Sent {
  readonly message: MessageRow;
  readonly travel: Travel;
  readonly addresses: ReadonlyMap<string, string>;
  readonly repeated: boolean;
  readonly downgraded: boolean;
}

export interface SendingContext extends MessagingContext {
  readonly limits: SendLimits;
  readonly stored: OwnerBudget;
  /** Requests with one idempotency key, in the order they came. */
  readonly keys: OneAtATime;
}

type Times = ReturnType<typeof timesOf>;

interface Key {
  readonly ownerId: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** Takes a message in. Checks go from the cheap to the counted, and everything is stored in one write. */
export async function sendMessage(
  context: SendingContext,
  caller: Caller,
  request: SendRequest,
): Promise<Sent> {
  const { body, idempotencyKey } = request;
  if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) {
    throw new DeliveryError('invalid_idempotency_key');
  }
  if (!fitsAsMetadata(body.metadata)) throw new DeliveryError('metadata_too_large');
  const times = timesOf(context, body);
  const parties = await findParties(context, caller, body, request.from);
  if (idempotencyKey === undefined) return await sendFirst(context, caller, body, parties, times, undefined);
  const key = { ownerId: caller.ownerId, key: idempotencyKey, fingerprint: printOf(body, parties) };
  // Of several that arrive together, the first is counted and stored, and the others find it.
  return await context.keys.run(`${key.ownerId} ${key.key}`, async () => {
    const stored = await sentBefore(context, key, body, parties);
    return stored ?? (await sendFirst(context, caller, body, parties, times, key));
  });
}

function timesOf(context: SendingContext, body: MessageCreate) {
  const now = context.clock.now();
  const sendAt = body.send_at != null && body.send_at > now ? body.send_at : null;
  const due = sendAt ?? now;
  const ttl = body.ttl_seconds == null ? context.settings.messageTtlMs : body.ttl_seconds * 1000;
  const expiresAt = body.expires_at ?? Math.min(due + ttl, LAST_INSTANT);
  const life = expiresAt - due;
  if (body.expires_at != null && (life < MIN_TTL_SECONDS * 1000 || life > MAX_TTL_SECONDS * 1000)) {
    throw validationError([
      { field: 'body.expires_at', message: 'must be 1 minute to 365 days after the message is due' },
    ]);
  }
  return { now, sendAt, expiresAt };
}

/** What the key was used for before, if its window still stands. */
async function sentBefore(
  context: SendingContext,
  key: Key,
  { priority }: MessageCreate,
  parties: Parties,
): Promise<Sent | undefined> {
  const { database, clock, settings } = context;
  const row = await readKey(database.read, key.ownerId, key.key);
  const verdict = judgeKey(row, key.fingerprint, clock.now(), settings.idempotencyMs);
  if (!row || verdict === 'free') return undefined;
  if (verdict === 'conflict') {
    throw new DeliveryError(
      'idempotency_key_conflict',
      `this key was used for another message, ${row.messageId}`,
      {
        extra: { message_id: row.messageId },
      },
    );
  }
  const message = await readMessage(database.read, key.ownerId, row.messageId);
  if (!message) return undefined;
  // The same fingerprint is the same requested priority; a sender whose first answer was lost hears of it here.
  const downgraded = message.priority < priority;
  return { message, travel: message, addresses: addressesOf(parties), repeated: true, downgraded };
}

async function sendFirst(
  context: SendingContext,
  caller: Caller,
  body: MessageCreate,
  parties: Parties,
  times: Times,
  key: Key | undefined,
): Promise<Sent> {
  const { limits, recipients, database } = context;
  const { sender, recipient } = parties;
  const { priority, downgraded } = await limits.take({
    plan: caller.plan,
    ownerId: caller.ownerId,
    sender: sender.suffix,
    recipient: recipient.suffix,
    foreign: [recipient, ...parties.notified]
      .filter(({ ownerId }) => ownerId !== sender.ownerId)
      .map(({ suffix }) => suffix),
    priority: body.priority,
  });
  const draft: MessageDraft = { body, ...parties, ...times, priority, idempotencyKey: key?.key ?? null };
  const message = newMessage(draft, context.random);
  await checkBudget(context, caller, message);
  const guarded = { message, said: body, parent: parties.parent };
  const outcome = await database
    .write(async (tx) => {
      if (key && !(await takeFor(context, tx, key, message.id, times.now))) return undefined;
      // Under the time of the send, as the steps of the plan are: the trace never goes back.
      const step = { ...(await passLoopGuard(context, tx, guarded)), at: times.now };
      await checkQuota(context, tx, caller);
      const plan = times.sendAt === null ? await planFor(context, tx, recipient, body, times.now) : undefined;
      const stored = await storeMessage(context, tx, message, plan, [step], {
        counted: true,
        attach: body.attach ?? null,
      });
      for (const other of parties.notified)
        await storeNotice(context, tx, stored.message, other, parties, times);
      return stored;
    })
    .catch(async (error: unknown) => {
      throw error instanceof LoopTripped ? await refuseLoop(context, guarded, error) : error;
    });
  recipients.seen(sender.suffix);
  if (outcome) return { ...outcome, addresses: addressesOf(parties), repeated: false, downgraded };
  const stored = key && (await sentBefore(context, key, body, parties));
  if (!stored) throw new Error('a taken idempotency key leads to no message');
  return stored;
}

async function takeFor(
  context: SendingContext,
  tx: Tx,
  key: Key,
  messageId: string,
  now: number,
): Promise<boolean> {
  const { settings, sweeps } = context;
  const taken = await takeKey(tx, { ...key, messageId, createdAt: now }, settings.idempotencyMs);
  if (taken) await sweeps.ensure(tx, now + settings.idempotencyMs);
  return taken;
}

async function checkBudget(context: SendingContext, { ownerId }: Caller, message: MessageRow): Promise<void> {
  const { database, stored } = context;
  const current = await stored.take(database.read, ownerId, bytesOf(message));
  if (current !== undefined) throw overBudget(stored.budget, current);
}

async function checkQuota(context: SendingContext, tx: Tx, { ownerId, plan }: Caller): Promise<void> {
  const limit = context.settings.plans[plan].messagesPerMonth;
  if (limit === null) return;
  await tx.lock(`delivery.quota ${ownerId}`);
  const { messages: current } = await usedIn(tx, ownerId, monthOf(context.clock.now()));
  if (current >= limit) {
    throw new DeliveryError('quota_exceeded', `${current} of ${limit} messages of this month are sent`, {
      extra: { current, limit },
    });
  }
}

async function planFor(
  context: SendingContext,
  tx: Tx,
  recipient: Recipient,
  body: MessageCreate,
  now: number,
): Promise<PushPlan> {
  const plan = await heldPlan(context, tx, recipient, body, now);
  if (!plan) throw agentNotFound(body.to);
  return plan;
}

async function storeNotice(
  context: SendingContext,
  tx: Tx,
  original: MessageRow,
  other: Recipient,
  { sender, recipient }: Parties,
  { now, sendAt }: Times,
): Promise<void> {
  const { random, settings } = context;
  const names = { from: addressOf(sender, sender.ownerSlug), to: addressOf(recipient, recipient.ownerSlug) };
  const notice = noticeOf(original, other, names, random);
  const request = { mode: 'inbox', fallback: 'background', liveLabel: null } as const;
  const plan = sendAt === null ? planPush(other, request, { now, ...settings }) : undefined;
  await storeMessage(context, tx, notice, plan, [], { counted: false });
}

function printOf(body: MessageCreate, { sender, recipient, parent }: Parties): string {
  return fingerprint({
    to: recipient.suffix,
    from: sender.suffix,
    body: body.body,
    subject: body.subject ?? null,
    requestedPriority: body.priority,
    replyTo: parent?.id ?? null,
    // It was parsed from JSON.
    metadata: body.metadata as { readonly [key: string]: Json },
    deliveryMode: body.delivery_mode,
    liveFallbackMode: body.live_fallback_mode,
    sendAt: body.send_at ?? null,
    correlationId: body.correlation_id ?? null,
  });
}

const addressesOf = ({ sender, recipient }: Parties): ReadonlyMap<string, string> =>
  new Map([sender, recipient].map((party) => [party.suffix, addressOf(party, party.ownerSlug)]));
