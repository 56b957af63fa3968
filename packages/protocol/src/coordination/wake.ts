import { z } from 'zod';
import { SUBJECT_KINDS } from '../continuity/vocabulary.ts';

/** A handoff on the stream of the agent it is for. */
export const handoffWake = z.object({
  type: z.literal('handoff.wake'),
  agent_id: z.string(),
  handoff_id: z.string(),
  message_id: z.string().nullable(),
  sender_peer: z.string(),
  subject_kind: z.enum(SUBJECT_KINDS),
  subject_id: z.string(),
  task_id: z.string().nullable(),
  thread_id: z.string().nullable(),
  note: z.string().nullable(),
  created_at: z.string(),
  lag_ms: z.int(),
});
