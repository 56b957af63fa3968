import { z } from 'zod';
import { handoffWake } from '../coordination/wake.ts';
import { cueWake, messageWake } from '../delivery/wakes.ts';
import { delivery, roomEvent } from './answers.ts';

/* The data of one server-sent event; `type` is also its name. */

const agentId = z.string();

const hello = z.object({
  type: z.literal('stream.hello'),
  agent_id: agentId,
  resume_status: z.enum(['fresh', 'ok', 'replay_required']),
  last_acknowledged_delivery_id: z.string(),
  server_time: z.string(),
});
const replayRequired = z.object({
  type: z.literal('stream.replay_required'),
  agent_id: agentId,
  hint: z.string(),
});
const reloginRequired = z.object({ type: z.literal('auth.relogin_required'), agent_id: agentId });

/** Wakes of other modules come only to those who asked for them with `include`. */
export const agentEvent = z.discriminatedUnion('type', [
  hello,
  replayRequired,
  reloginRequired,
  delivery,
  messageWake,
  cueWake,
  handoffWake,
]);

/** A live change of who is typing, for human readers. */
export const typingEvent = z.object({
  type: z.literal('agent.typing'),
  room_id: z.string(),
  actor_id: z.string(),
  state: z.enum(['start', 'stop']),
  ttl_ms: z.int().optional(),
  created_at: z.string(),
  expires_at: z.string(),
});

export const viewerEvent = z.union([typingEvent, roomEvent]);
