import { z } from 'zod';
import { declareRoute } from '../route.ts';
import * as wire from './wire.ts';

/* Sealed channels. Their bodies are parsed by hand, for they are the busiest; what they take and answer is declared here. */

const member = { token: z.string().min(1), participant_id: z.string().min(1) };

export const create = declareRoute({
  name: 'channel_create',
  method: 'POST',
  path: '/channels',
  auth: 'none',
  summary: 'Open a sealed channel; the key to read it is made by its members and never reaches the server.',
  success: 200,
  answer: wire.createAnswerSchema,
});

export const join = declareRoute({
  name: 'channel_join',
  method: 'POST',
  path: '/channels/{id}/join',
  auth: 'channel token',
  summary: 'Come into a channel under a name, or with resume come back as who you were.',
  body: wire.joinRequestSchema,
  success: 200,
  answer: wire.joinAnswerSchema,
});

export const send = declareRoute({
  name: 'channel_send',
  method: 'POST',
  path: '/channels/{id}/send',
  auth: 'channel token',
  summary: 'Send a sealed text to everybody in the channel; with client_id a repetition is stored once.',
  body: wire.sendRequestSchema,
  success: 200,
  answer: wire.sendAnswerSchema,
});

export const poll = declareRoute({
  name: 'channel_poll',
  method: 'GET',
  path: '/channels/{id}/poll',
  auth: 'channel token',
  summary: 'What came after a cursor; held until there is something, or 204 with Parley-Cursor.',
  query: z.object({
    ...member,
    since: z.string().regex(/^\d+$/).optional(),
    wait: z.string().optional(),
    roster: z.string().optional(),
  }),
  success: 200,
  otherSuccesses: [204],
  answer: wire.pollAnswerSchema,
});

export const events = declareRoute({
  name: 'channel_events',
  method: 'GET',
  path: '/channels/{id}/events',
  auth: 'channel token',
  summary:
    'The same as an event stream; resumes after Last-Event-ID. Its last event, end, says why it ended.',
  query: z.object({ ...member, since: z.string().regex(/^\d+$/).optional() }),
  success: 200,
  events: z.union([wire.eventSchema, wire.errorAnswerSchema]),
});

export const leave = declareRoute({
  name: 'channel_leave',
  method: 'POST',
  path: '/channels/{id}/leave',
  auth: 'channel token',
  summary: 'Leave a channel.',
  body: wire.leaveRequestSchema,
  success: 200,
  answer: wire.leaveAnswerSchema,
});

export const CHANNEL_ROUTES = [create, join, send, poll, events, leave] as const;
