import { PREVIEW_CHARS } from '@parley/protocol/delivery/limits';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import { type AgentNames, party } from '../records/agent-names.ts';
import { whyNotFurther } from './why-not-further.ts';
import type { MessageRow, Travel } from '../records/message-row.ts';

export interface AnswerNames extends AgentNames {
  /** Messages whose push is asked of somebody who has not been heard of for too long. */
  readonly silent: ReadonlySet<string>;
}

/** A message as `viewer`, one of the two owners, sees it. */
export function messageAnswer(
  m: MessageRow,
  travel: Travel,
  viewer: string,
  names: AnswerNames,
): MessageAnswer {
  const { addresses, spellAgent, silent } = names;
  return {
    id: m.id,
    user_id: m.sender_owner,
    from_agent_id: spellAgent(m.sender),
    to_agent_id: spellAgent(m.recipient),
    from: party(names, m.sender),
    to: addresses.get(m.recipient) ?? '',
    thread_id: m.thread_id,
    reply_to: m.reply_to,
    reply_to_agent_id: m.reply_to_agent === null ? null : spellAgent(m.reply_to_agent),
    subject: m.subject,
    body: m.body,
    preview: previewOf(m.body),
    priority: m.priority,
    expects_reply: m.expects_reply === 1,
    metadata: JSON.parse(m.metadata) as Record<string, unknown>,
    correlation_id: m.correlation_id,
    // The sender's own business.
    idempotency_key: viewer === m.sender_owner ? m.idempotency_key : null,
    delivery_mode: m.delivery_mode,
    live_fallback_mode: m.live_fallback_mode,
    effective_delivery_mode: travel.channel,
    delivery_route: travel.route,
    execution_id: m.execution_id,
    delivery_warning: m.warning,
    recipient_lease_age_sec: travel.beat_age_ms === null ? null : Math.round(travel.beat_age_ms / 100) / 10,
    delivery_state: m.state,
    state: m.state,
    proven_stage: m.proven_stage,
    proven_stage_reason: whyNotFurther(m, travel, silent.has(m.id)),
    message_dispatch_error: m.dispatch_error,
    dispatch_priority_bucket: m.priority,
    send_at: isoOrNull(m.send_at),
    created_at: iso(m.created_at),
    queued_at: isoOrNull(m.queued_at),
    delivered_at: isoOrNull(m.delivered_at),
    invoked_at: isoOrNull(m.invoked_at),
    invoked_by: m.invoked_by,
    read_at: isoOrNull(m.read_at),
    acked_at: isoOrNull(m.acked_at),
    failed_at: isoOrNull(m.failed_at),
    expires_at: iso(m.expires_at),
    updated_at: iso(m.updated_at),
  };
}

/** Whole characters only. */
export function previewOf(body: string): string {
  if (body.length <= PREVIEW_CHARS) return body;
  const cut = Array.from(body.slice(0, 2 * PREVIEW_CHARS));
  return cut.slice(0, PREVIEW_CHARS).join('');
}
