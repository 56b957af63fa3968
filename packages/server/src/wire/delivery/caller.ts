import type { RouteDeclaration } from '@parley/protocol/route';
import { ADMIN_SCOPE, hasScope } from '@parley/protocol/identity/scopes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DeliveryError, deliveryRefusals, rateLimitExceeded } from './errors.ts';
import type { RouteShape } from '../../platform/http/route-table.ts';
import type { Caller, CallerGate, ShownLimit } from '../caller.ts';

/** Routes of the delivery protocol for callers with a credential; those declared `owner` want an owner-wide key. */
export function deliveryShape(gate: CallerGate): RouteShape<Caller> {
  return {
    ...deliveryRefusals,
    async authenticate(route: RouteDeclaration, request: FastifyRequest): Promise<Caller> {
      const caller = await deliveryCaller(gate, request);
      if (route.auth === 'owner') requireOwner(caller);
      return caller;
    },
    async count(caller: Caller, reply: FastifyReply): Promise<void> {
      if (await gate.nearQuota(caller)) void reply.header('X-CueAPI-Usage-Warning', 'approaching_limit');
      if (caller.credential.kind === 'internal' || caller.credential.kind === 'console') return;
      const counted = await gate.requestLimits.take(caller);
      if (!counted) return;
      showLimit(reply, counted.shown);
      const { verdict } = counted;
      if (!verdict.ok) {
        const extra = { limit: counted.shown?.limit ?? 0, window_seconds: 60 };
        throw rateLimitExceeded(verdict, extra);
      }
    },
  };
}

export function showLimit(reply: FastifyReply, shown: ShownLimit | undefined): void {
  if (!shown) return;
  void reply.headers({
    'X-RateLimit-Limit': String(shown.limit),
    'X-RateLimit-Remaining': String(shown.remaining),
    'X-RateLimit-Reset': String(shown.reset),
  });
}

async function deliveryCaller(gate: CallerGate, request: FastifyRequest): Promise<Caller> {
  if (request.person) {
    if (!request.person.caller) throw new DeliveryError('owner_not_named');
    return request.person.caller;
  }
  const vouched = await gate.integrator.admit(request.headers);
  if (vouched?.kind === 'unknown_owner') throw new DeliveryError('user_not_found');
  if (vouched) return vouched.caller;
  const admission = await gate.bearer.admit(request.headers.authorization, request.clientAddress);
  if (admission.kind === 'caller') return admission.caller;
  if (admission.kind === 'limited') throw rateLimitExceeded(admission);
  throw new DeliveryError(admission.reason === 'rotated' ? 'key_rotated' : 'invalid_api_key');
}

/** A key that was given less than everything must not be able to give itself more. */
function requireOwner(caller: Caller): void {
  if (caller.agent) throw new DeliveryError('owner_key_required');
  if (!hasScope(caller.scopes, ADMIN_SCOPE)) {
    throw new DeliveryError('missing_scope', `Missing scope: ${ADMIN_SCOPE}`);
  }
}

/** Calls that cannot be undone are not made by accident. */
export function requireConfirmation({ headers }: FastifyRequest): void {
  const given = headers['x-confirm-destructive'];
  if (typeof given !== 'string' || given.trim().toLowerCase() !== 'true') {
    throw new DeliveryError('confirmation_required');
  }
}
