import { z } from 'zod';
import { claimable } from './answers/execution-answers.ts';
import { time } from './fields.ts';
import { CHANNELS, DELIVERY_ROUTE_NAMES, TRIGGERS } from './vocabulary.ts';

/* What wakes an agent or a live session: the data of one server-sent event. */

const mode = z.enum(CHANNELS).nullable();
const route = z.enum(DELIVERY_ROUTE_NAMES).nullable();

export const messageWake = z.object({
  type: z.literal('message.wake'),
  agent_id: z.string(),
  message_id: z.string(),
  execution_id: z.string(),
  thread_id: z.string(),
  reply_to: z.string().nullable(),
  from: z.object({ agent_id: z.string(), slug: z.string() }),
  subject: z.string().nullable(),
  preview: z.string(),
  priority: z.int(),
  expects_reply: z.boolean(),
  effective_delivery_mode: mode,
  delivery_route: route,
  created_at: time,
  lag_ms: z.int(),
  inbox_waiting: z.int(),
});

export const cueWake = z.object({
  type: z.literal('cue.wake'),
  agent_id: z.string(),
  cue_id: z.string(),
  cue_name: z.string().nullable(),
  execution_id: z.string(),
  message_id: z.string().nullable(),
  task: z.string().nullable(),
  triggered_by: z.enum(TRIGGERS),
  scheduled_for: time,
  /** Null where it is too long for a wake: claim or read the execution. */
  payload: z.unknown(),
  attempt: z.int(),
  effective_delivery_mode: mode,
  delivery_route: route,
  live_claim_deadline_at: time.nullable(),
  lag_ms: z.int(),
});

/** On the stream of a live session, by the name of the event: `offer`, `withdrawn`, `ping`. */
export const liveEvent = z.union([
  claimable.shape.executions.element,
  z.object({ execution_id: z.string() }),
  z.object({ server_time: time }),
]);
