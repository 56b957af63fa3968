import { z } from 'zod';
import { time } from '../delivery/fields.ts';
import { declareRoute } from '../route.ts';
import { owner } from './fields.ts';

/** Of a message to an agent, of a room an agent is in, of events an agent asked to be told of. */
export const WEBHOOK_KINDS = ['agent', 'room', 'events'] as const;

const webhook = z.object({
  /** Its kind, a dot, and the agent, endpoint or subscription it belongs to. */
  id: z.string(),
  kind: z.enum(WEBHOOK_KINDS),
  owner: z.string(),
  agent: z.string(),
  url: z.string(),
  /** The event, where it is for one. */
  event: z.string().nullable(),
  enabled: z.boolean(),
  /** Attempts that were taken, and that were not. */
  delivered: z.int(),
  failed: z.int(),
  last_status: z.int().nullable(),
  last_error: z.string().nullable(),
  last_at: time.nullable(),
  failing_since: time.nullable(),
  /** Since or until when nothing is sent to it. */
  off: time.nullable(),
  created_at: time,
});

const webhooksAnswer = z.object({ webhooks: z.array(webhook) });
const replayed = z.object({ replayed: z.int() });
const rotated = z.object({ key_id: z.string(), secret: z.string() });

export const consoleWebhooks = declareRoute({
  name: 'console_webhooks',
  method: 'GET',
  path: '/v1/console/webhooks',
  auth: 'person',
  summary: 'Endpoints of agents, rooms and events with what they answered, newest first.',
  query: z.object({ owner }),
  success: 200,
  answer: webhooksAnswer,
});

export const consoleWebhookReplay = declareRoute({
  name: 'console_webhook_replay',
  method: 'POST',
  path: '/v1/console/webhooks/{id}/replay',
  auth: 'person',
  summary: 'Send again now what an endpoint did not take and waits, or what a room gave up.',
  success: 200,
  answer: replayed,
});

export const consoleWebhookRotate = declareRoute({
  name: 'console_webhook_rotate',
  method: 'POST',
  path: '/v1/console/webhooks/{id}/rotate',
  auth: 'person',
  summary: 'Replace the secret of an endpoint of rooms; the new one is shown once.',
  success: 200,
  answer: rotated,
});

export const CONSOLE_WEBHOOK_ROUTES = [consoleWebhooks, consoleWebhookReplay, consoleWebhookRotate] as const;

export type ConsoleWebhooksAnswer = z.infer<typeof webhooksAnswer>;
export type ConsoleWebhookRotatedAnswer = z.infer<typeof rotated>;
