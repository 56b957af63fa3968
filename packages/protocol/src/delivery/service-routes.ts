import { z } from 'zod';
import { declareRoute } from '../route.ts';
import { jsonObject, time } from './fields.ts';
import { INBOUND_POLICIES, LIVE_ATTESTATIONS } from './vocabulary.ts';

/** What the server says about itself, and a place where a webhook can be sent to see it arrive. */
export const serviceInfo = declareRoute({
  name: 'service_info',
  method: 'GET',
  path: '/v1/info',
  auth: 'none',
  summary: 'Version, who may do what by default, and what is switched off.',
  success: 200,
  answer: z.object({
    service: z.string(),
    version: z.string(),
    contract_version: z.string(),
    authorization: z.object({
      registration: z.string(),
      inbound_policy: z.enum(INBOUND_POLICIES),
      live_attestation: z.enum(LIVE_ATTESTATIONS),
      require_sender: z.boolean(),
    }),
    switched_off: z.array(z.string()),
  }),
});

export const echoStore = declareRoute({
  name: 'echo_store',
  method: 'POST',
  path: '/v1/echo/{token}',
  auth: 'none',
  summary:
    'Keep what is posted here for five minutes, under a token of at least 16 characters that you made up.',
  success: 200,
  answer: z.object({ stored: z.literal(true) }),
});

export const echoRead = declareRoute({
  name: 'echo_read',
  method: 'GET',
  path: '/v1/echo/{token}',
  auth: 'key',
  summary: 'What was posted under a token, or that nothing was yet.',
  success: 200,
  answer: z.union([
    z.object({ status: z.literal('waiting') }),
    z.object({
      status: z.literal('delivered'),
      payload: z.unknown(),
      headers: jsonObject,
      received_at: time,
    }),
  ]),
});

export const DELIVERY_SERVICE_ROUTES = [serviceInfo, echoStore, echoRead] as const;
