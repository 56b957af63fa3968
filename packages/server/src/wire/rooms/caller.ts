import type { FastifyRequest } from 'fastify';
import type { Caller, CallerGate } from '../caller.ts';
import { rateLimited, unauthorized } from './errors.ts';

/** The caller behind a session token or an API key, or the refusal of this protocol. */
export async function roomsCaller(
  gate: Pick<CallerGate, 'bearer'>,
  { headers, clientAddress }: FastifyRequest,
): Promise<Caller> {
  const admission = await gate.bearer.admit(headers.authorization, clientAddress);
  if (admission.kind === 'caller') return admission.caller;
  throw admission.kind === 'limited' ? rateLimited(admission) : unauthorized();
}
