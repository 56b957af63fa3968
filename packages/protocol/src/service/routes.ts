import { z } from 'zod';
import { declareRoute } from '../route.ts';

/* What operators and supervisors ask for. No tenant data, no credentials. */

const state = z.enum(['healthy', 'degraded']);
const services = z.record(z.string(), z.enum(['ok', 'failing']));

/** Modules add keys of their own: counts of channels and queues. */
export const health = declareRoute({
  name: 'health',
  method: 'GET',
  path: '/health',
  auth: 'none',
  summary: 'That the process answers, since when, which version, and how its parts are.',
  success: 200,
  answer: z.looseObject({
    ok: z.literal(true),
    status: state,
    service: z.string(),
    version: z.string(),
    contract_version: z.string(),
    time: z.iso.datetime(),
    timestamp: z.iso.datetime(),
    uptime_seconds: z.int(),
    services,
  }),
});

export const status = declareRoute({
  name: 'status',
  method: 'GET',
  path: '/status',
  auth: 'none',
  summary: 'One word; 503 when it is degraded.',
  success: 200,
  otherSuccesses: [503],
  answer: z.object({ status: state }),
});

export const ready = declareRoute({
  name: 'ready',
  method: 'GET',
  path: '/ready',
  auth: 'none',
  summary: 'Whether requests should be sent here; 503 when not, and which part fails.',
  success: 200,
  otherSuccesses: [503],
  answer: z.object({ ready: z.boolean(), services }),
});

export const healthz = declareRoute({
  name: 'healthz',
  method: 'GET',
  path: '/healthz',
  auth: 'none',
  summary: 'Whether the process answers.',
  success: 200,
  answer: z.object({ status: z.literal('ok') }),
});

export const metrics = declareRoute({
  name: 'metrics',
  method: 'GET',
  path: '/metrics',
  auth: 'none',
  summary: 'Figures for Prometheus.',
  success: 200,
  media: 'text/plain',
});

export const openApi = declareRoute({
  name: 'openapi',
  method: 'GET',
  path: '/openapi.json',
  auth: 'none',
  summary: 'This interface as OpenAPI 3.1. Honours If-None-Match.',
  success: 200,
  answer: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }),
});

export const SERVICE_ROUTES = [health, status, ready, healthz, metrics, openApi] as const;
