import type { MessageCreate } from '@parley/protocol/delivery/types';
import { messageId, SUFFIX_LENGTH } from '@parley/protocol/delivery/ids';
import { DEFAULT_PRIORITY } from '@parley/protocol/delivery/limits';
import { NO_FALLBACK } from '@parley/protocol/delivery/vocabulary';
import { LOWER_ALPHANUMERIC, type Random, uuid } from '../../platform/ids.ts';
import { firstStatus } from '../records/execution-states.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import type { PushPlan } from '../routing/push-plan.ts';
import { stateAfter } from '../records/message-states.ts';
import { provedByPlan } from '../records/proof.ts';
import type { Recipient } from '../routing/recipient.ts';
import type { TraceStep } from '../routing/trace.ts';
import { implicitCueId } from '@parley/protocol/delivery/ids';
import type { MessageRow, MessageView } from '../records/message-row.ts';
import type { Sender } from './senders.ts';

type Said = 'body' | 'metadata' | 'expects_reply' | 'delivery_mode' | 'live_fallback_mode';

/** Everything known about a message before it is routed. */
export interface MessageDraft {
  readonly body: Pick<MessageCreate, Said> & Partial<MessageCreate>;
  readonly sender: Pick<Sender, 'ownerId' | 'suffix' | 'origin'>;
  readonly recipient: Pick<Recipient, 'ownerId' | 'suffix'>;
  readonly parent?: MessageView | undefined;
  readonly replyToAgent?: string | null;
  readonly priority: number;
  readonly idempotencyKey?: string | null;
  /** Null: at once. */
  readonly sendAt?: number | null;
  readonly expiresAt: number;
  readonly now: number;
}

/** Which thread a message is in: a first message opens one under its own id, a reply stays in its parent's. */
export const threadOf = (id: string, parent: { readonly thread_id: string } | undefined): string =>
  parent?.thread_id ?? id;

/** Without a plan it is not due yet. */
export function newMessage(draft: MessageDraft, random: Random): MessageRow {
  const { body, sender, recipient, parent, now, sendAt = null } = draft;
  const id = messageId(random.text(SUFFIX_LENGTH, LOWER_ALPHANUMERIC));
  return {
    id,
    sender_owner: sender.ownerId,
    recipient_owner: recipient.ownerId,
    sender: sender.suffix,
    recipient: recipient.suffix,
    thread_id: threadOf(id, parent),
    reply_to: parent?.id ?? null,
    reply_to_agent: draft.replyToAgent ?? null,
    origin: sender.origin,
    subject: body.subject ?? null,
    body: body.body,
    metadata: JSON.stringify(body.metadata),
    correlation_id: body.correlation_id ?? null,
    idempotency_key: draft.idempotencyKey ?? null,
    expects_reply: body.expects_reply ? 1 : 0,
    priority: draft.priority,
    delivery_mode: body.delivery_mode,
    live_fallback_mode: body.live_fallback_mode,
    live_label: body.live_label ?? null,
    execution_id: uuid(random),
    state: 'queued',
    proven_stage: 'stored',
    dispatch_error: null,
    warning: null,
    send_at: body.send_at ?? null,
    created_at: now,
    queued_at: sendAt === null ? now : null,
    delivered_at: null,
    invoked_at: null,
    invoked_by: null,
    read_at: null,
    acked_at: null,
    failed_at: null,
    expires_at: draft.expiresAt,
    updated_at: now,
  };
}

/** A message as its first routing leaves it. */
export function routed(message: MessageRow, plan: PushPlan, now: number): MessageRow {
  if (plan.action !== 'miss') {
    return { ...message, warning: plan.warning, proven_stage: provedByPlan(plan) };
  }
  return {
    ...message,
    warning: plan.warning,
    state: stateAfter('push_failed'),
    failed_at: now,
    dispatch_error: NO_FALLBACK,
  };
}

/** What those get who are only to know of a message: who wrote to whom about what, without the text. */
export function noticeOf(
  message: MessageRow,
  recipient: Recipient,
  names: { from: string; to: string },
  random: Random,
): MessageRow {
  const id = messageId(random.text(SUFFIX_LENGTH, LOWER_ALPHANUMERIC));
  const about = message.subject === null ? '' : `: ${message.subject}`;
  return {
    ...message,
    id,
    recipient_owner: recipient.ownerId,
    recipient: recipient.suffix,
    reply_to_agent: null,
    body: `${names.from} wrote to ${names.to}${about}`,
    metadata: JSON.stringify({ kind: 'notice', message_id: message.id, from: names.from, to: names.to }),
    idempotency_key: null,
    expects_reply: 0,
    priority: DEFAULT_PRIORITY,
    delivery_mode: 'inbox',
    live_label: null,
    execution_id: uuid(random),
    state: 'queued',
    proven_stage: 'stored',
    failed_at: null,
    dispatch_error: null,
    warning: null,
  };
}

/** Written out field by field: this runs for every message, and objects put together from parts are slow ones. */
export function newExecution(
  message: MessageRow,
  plan: PushPlan | undefined,
  trace: readonly TraceStep[],
  now: number,
): ExecutionRow {
  const missed = plan?.action === 'miss';
  const way = plan?.columns;
  return {
    id: message.execution_id,
    owner_id: message.recipient_owner,
    sender_owner: message.sender_owner,
    source: 'message',
    cue_id: way?.cue_id ?? implicitCueId(message.recipient),
    message_id: message.id,
    agent: way?.agent ?? message.recipient,
    target: null,
    session_id: way?.session_id ?? null,
    task: way?.task ?? null,
    status: firstStatus({ missed }),
    triggered_by: 'message',
    payload: null,
    delivery_mode: message.delivery_mode,
    live_fallback_mode: message.live_fallback_mode,
    channel: way?.channel ?? null,
    route: way?.route ?? null,
    held: way?.held ?? 0,
    via_parent: way?.via_parent ?? 0,
    beat_age_ms: way?.beat_age_ms ?? null,
    scheduled_for: message.queued_at === null ? (message.send_at ?? now) : now,
    live_deadline_at: way?.live_deadline_at ?? null,
    live_claimed_at: null,
    live_token_hash: null,
    live_attestation: null,
    live_unclaimed_reason: missed ? plan.missReason : null,
    attempts: 0,
    claimed_by: null,
    claimed_at: null,
    lease_expires_at: null,
    last_heartbeat_at: null,
    started_at: null,
    delivered_at: null,
    last_attempt_at: null,
    next_retry_at: null,
    http_status: null,
    response_body: null,
    error_message: missed ? NO_FALLBACK : null,
    executed_via: null,
    outcome_success: missed ? 0 : null,
    outcome_state: missed ? NO_FALLBACK : null,
    result_type: null,
    has_evidence: 0,
    chain_parent_id: null,
    chain_depth: 0,
    replayed_from: null,
    verification: null,
    max_attempts: null,
    attach: null,
    trace: JSON.stringify(trace),
    created_at: now,
    updated_at: now,
  };
}
