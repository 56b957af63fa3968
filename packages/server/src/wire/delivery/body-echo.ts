import { hash } from 'node:crypto';
import { isObject } from '@parley/protocol/json';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isNestedDeeper } from '../../platform/http/nesting.ts';
import { compactJson, type Json } from './signed-json.ts';

const WRITES = new Set(['POST', 'PATCH', 'PUT']);
const MESSAGES = '/v1/messages';
const FIRE = '/v1/cues/:id/fire';

/**
 * With `X-CueAPI-Verify-Echo: true` an answer also says what was received, so that a client can tell a mangled body from a
 * good one. The text of a message comes back as a string, because that is what its sender compares.
 */
export function echoBodies(app: FastifyInstance): void {
  app.addHook('preSerialization', (request, reply, payload: unknown, done) => {
    const wanted = asksForEcho(request) && reply.statusCode >= 200 && reply.statusCode < 300;
    done(null, wanted && isObject(payload) ? { ...payload, ...echoOf(request) } : payload);
  });
}

function asksForEcho({ method, headers }: FastifyRequest): boolean {
  const asked = headers['x-cueapi-verify-echo'];
  return WRITES.has(method) && typeof asked === 'string' && asked.trim().toLowerCase() === 'true';
}

function echoOf(request: FastifyRequest): { body_received: Json; body_received_sha256: string } {
  const route = request.routeOptions.url;
  if (route === FIRE) return { body_received: null, body_received_sha256: sha256('') };
  const body = parsed(request.body);
  if (route === MESSAGES) {
    const text = messageText(body);
    return { body_received: text, body_received_sha256: sha256(text) };
  }
  return { body_received: body, body_received_sha256: sha256(compactJson(body)) };
}

/**
 * Where a route reads its body, that was parsed once before. Where it reads none it may be anything: by now the work is
 * done, and the answer with its new key must not be lost over it.
 */
function parsed(raw: unknown): Json {
  if (typeof raw !== 'string' || raw.trim() === '' || isNestedDeeper(raw)) return {};
  try {
    return JSON.parse(raw) as Json;
  } catch {
    return {};
  }
}

function messageText(body: Json): string {
  const fields = isObject(body) ? (body as { body?: unknown; message?: unknown }) : {};
  const text = fields.body ?? fields.message;
  return typeof text === 'string' ? text : '';
}

const sha256 = (text: string): string => hash('sha256', text, 'hex');
