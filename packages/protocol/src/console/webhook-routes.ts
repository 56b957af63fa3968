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
const replay = z.object({
  /** Only what was first sent since then. */
  since: time.optional(),
  /** Only this one. */
  delivery: z.string().max(100).optional(),
});
const replayed = z.object({ replayed: z.int() });
const untaken = z.object({
  deliveries: z.array(
    z.object({
      /** As its receiver is told it with every attempt. */
      id: z.string(),
      /** What it tells of. */
      event: z.string(),
      /** Where that is shown. */
      view: z.string().nullable(),
      attempts: z.int(),
      error: z.string().nullable(),
      /** First sent. */
      at: time,
      /** It is not tried again by itself. */
      given_up: z.boolean(),
    }),
  ),
});
const tested = z.object({ status: z.int().nullable(), error: z.string().nullable() });
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

export const consoleWebhookUntaken = declareRoute({
  name: 'console_webhook_untaken',
  method: 'GET',
  path: '/v1/console/webhooks/{id}/untaken',
  auth: 'person',
  summary: 'What an endpoint did not take and waits, or what a room gave up, newest first.',
  success: 200,
  answer: untaken,
});

export const consoleWebhookTest = declareRoute({
  name: 'console_webhook_test',
  method: 'POST',
  path: '/v1/console/webhooks/{id}/test',
  auth: 'person',
  summary: 'One signed request to an endpoint of rooms or events, and what it answered.',
  success: 200,
  answer: tested,
});

export const consoleWebhookReplay = declareRoute({
  name: 'console_webhook_replay',
  method: 'POST',
  path: '/v1/console/webhooks/{id}/replay',
  auth: 'person',
  summary:
    'Send again now what an endpoint did not take and waits, or what a room gave up: all of it, a range, or one.',
  body: replay,
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

export const CONSOLE_WEBHOOK_ROUTES = [
  consoleWebhooks,
  consoleWebhookUntaken,
  consoleWebhookTest,
  consoleWebhookReplay,
  consoleWebhookRotate,
] as const;

export type ConsoleWebhooksAnswer = z.infer<typeof webhooksAnswer>;
export type ConsoleWebhookRotatedAnswer = z.infer<typeof rotated>;
export type ConsoleWebhookUntakenAnswer = z.infer<typeof untaken>;
export type ConsoleWebhookTestedAnswer = z.infer<typeof tested>;
export type ConsoleWebhookReplayAsked = z.infer<typeof replay>;
