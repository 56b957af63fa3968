import { z } from 'zod';
import { pageAnswer, time } from '../fields.ts';
import {
  CHANNELS,
  DELIVERY_MODES,
  DELIVERY_ROUTE_NAMES,
  LIVE_FALLBACK_MODES,
  MESSAGE_STATES,
  PROVEN_STAGES,
} from '../vocabulary.ts';

const state = z.enum(MESSAGE_STATES);

export const message = z.object({
  id: z.string(),
  user_id: z.string(),
  from_agent_id: z.string(),
  to_agent_id: z.string(),
  from: z.object({ agent_id: z.string(), slug: z.string() }),
  to: z.string(),
  thread_id: z.string(),
  reply_to: z.string().nullable(),
  reply_to_agent_id: z.string().nullable(),
  subject: z.string().nullable(),
  body: z.string(),
  preview: z.string(),
  priority: z.int(),
  expects_reply: z.boolean(),
  metadata: z.record(z.string(), z.unknown()),
  correlation_id: z.string().nullable(),
  idempotency_key: z.string().nullable(),
  delivery_mode: z.enum(DELIVERY_MODES),
  live_fallback_mode: z.enum(LIVE_FALLBACK_MODES),
  effective_delivery_mode: z.enum(CHANNELS).nullable(),
  delivery_route: z.enum(DELIVERY_ROUTE_NAMES).nullable(),
  execution_id: z.string(),
  delivery_warning: z.string().nullable(),
  /** When it was routed: how long ago the live session or bg handler that takes it was last heard of. */
  recipient_lease_age_sec: z.number().nullable(),
  delivery_state: state,
  state,
  proven_stage: z.enum(PROVEN_STAGES),
  /** Why it is not further; null when it has arrived at the end. */
  proven_stage_reason: z.string().nullable(),
  message_dispatch_error: z.string().nullable(),
  dispatch_priority_bucket: z.int(),
  send_at: time.nullable(),
  created_at: time,
  queued_at: time.nullable(),
  delivered_at: time.nullable(),
  /** When a bridge first started the agent with it, and which. */
  invoked_at: time.nullable(),
  invoked_by: z.string().nullable(),
  read_at: time.nullable(),
  acked_at: time.nullable(),
  failed_at: time.nullable(),
  expires_at: time,
  updated_at: time,
});

export const messageRead = z.object({ delivery_state: state, read_at: time.nullable() });
export const messageInvoked = z.object({
  proven_stage: z.enum(PROVEN_STAGES),
  invoked_at: time,
  invoked_by: z.string().nullable(),
});
export const messageAcked = z.object({ delivery_state: state, acked_at: time });

/** With `count_only` the answer is the count alone. */
export const box = z.union([
  z.object({ messages: z.array(message), ...pageAnswer }),
  z.object({ count: z.int() }),
]);

export const threadResumed = z.object({
  thread_id: z.string(),
  hops: z.literal(0),
  resumed: z.literal(true),
});
