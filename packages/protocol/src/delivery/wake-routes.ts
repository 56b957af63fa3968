import { z } from 'zod';
import { declareRoute } from '../route.ts';
import { line, queryWhole, time } from './fields.ts';
import { MAX_LABEL } from './limits.ts';
import { WAKE_KINDS, WAKE_STAGES } from './vocabulary.ts';

/** Long enough for a room and its turn. */
const MAX_WAKE_ID = 128;
const SHOWN = { default: 50, max: 200 };

const wake = z.object({
  kind: z.enum(WAKE_KINDS),
  id: z.string(),
  bridge: z.string().nullable(),
  /** On the disk of the machine where the agent lives. */
  delivered_at: time,
  /** The agent was started, or told. */
  invoked_at: time.nullable(),
  /** The agent came to a good end with it, or says that it took it up. */
  resumed_at: time.nullable(),
  updated_at: time,
});

export const agentWakeReceipt = declareRoute({
  name: 'agent_wake_receipt',
  method: 'POST',
  path: '/v1/agents/{ref}/wakes',
  auth: 'key',
  summary: 'A bridge of the agent says how far a wake came: delivered, invoked or resumed.',
  body: z.strictObject({
    kind: z.enum(WAKE_KINDS),
    /** Of the message, the execution or the handoff; of a turn in a room, `<room>-<turn>`. */
    id: line(MAX_WAKE_ID),
    stage: z.enum(WAKE_STAGES),
    bridge: line(MAX_LABEL).nullable().optional(),
  }),
  success: 200,
  answer: wake,
});

export const agentWakes = declareRoute({
  name: 'agent_wakes',
  method: 'GET',
  path: '/v1/agents/{ref}/wakes',
  auth: 'key',
  summary: 'The last wakes of the agent and how far its bridge says each came, newest first.',
  query: z.object({ limit: queryWhole(1, SHOWN.max).default(SHOWN.default) }),
  success: 200,
  answer: z.object({ wakes: z.array(wake) }),
});

export const WAKE_ROUTES = [agentWakeReceipt, agentWakes] as const;
