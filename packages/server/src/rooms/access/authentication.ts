import { ROOM_TOKEN_PREFIX } from '@parley/protocol/rooms/secrets';
import type { RouteDeclaration } from '@parley/protocol/route';
import type { FastifyRequest } from 'fastify';
import type { Caller, Credential } from '../../wire/caller.ts';
import type { IdentityService } from '../../identity/service.ts';
import { bearerToken } from '../../platform/auth/bearer.ts';
import { roomsCaller } from '../../wire/rooms/caller.ts';
import { rateLimited, RoomsError, unauthorized } from '../../wire/rooms/errors.ts';
import type { RoomsContext } from '../create-module.ts';
import { hashSecret } from '../../platform/auth/secrets.ts';
import { findToken } from './token-store.ts';

/** The agent that calls. */
export interface RoomCaller {
  /** Its suffix. */
  readonly agent: string;
  /** What streams check again while they are open; absent when a room token was used. */
  readonly credential?: Credential;
}

/**
 * | auth of the route      | API key or session    | room token                          |
 * |------------------------|-----------------------|-------------------------------------|
 * | `bearer`               | the agent             | 401                                 |
 * | `bearer_or_room_token` | the agent             | its agent; 403 for another room     |
 * | `bearer_or_human_code` | the agent             | 401; without a header the body's code is asked |
 * | `viewer_token`         | read by the stream; only a missing header is refused here, with 401 |
 * | `none`, `human_code`   | not needed; who is known anyway may see more                       |
 */
export async function roomCaller(
  context: RoomsContext,
  route: RouteDeclaration,
  request: FastifyRequest,
): Promise<RoomCaller | undefined> {
  // A path that only says it does nothing says so to anyone.
  if (route.unsupported) return undefined;
  const token = bearerToken(request.headers.authorization);
  switch (route.auth) {
    case 'bearer':
      return await agentCaller(context.identity, request);
    case 'bearer_or_room_token':
      return token?.startsWith(ROOM_TOKEN_PREFIX)
        ? await tokenCaller(context, request, token)
        : await agentCaller(context.identity, request);
    case 'bearer_or_human_code':
      return request.headers.authorization === undefined && !request.person
        ? undefined
        : await agentCaller(context.identity, request);
    case 'viewer_token':
      if (token === undefined) throw unauthorized();
      return undefined;
    default:
      return undefined;
  }
}

/** For public routes: somebody only if the credential is good. */
export async function optionalCaller(
  { identity }: RoomsContext,
  request: FastifyRequest,
): Promise<RoomCaller | undefined> {
  const token = bearerToken(request.headers.authorization);
  const caller =
    request.person?.caller ?? (token === undefined ? undefined : await identity.authenticate(token));
  return caller && (await actingFor(identity, caller));
}

async function agentCaller(identity: IdentityService, request: FastifyRequest): Promise<RoomCaller> {
  return await actingFor(identity, request.person?.caller ?? (await roomsCaller(identity, request)));
}

async function actingFor(identity: IdentityService, caller: Caller): Promise<RoomCaller> {
  const { suffix } = await identity.directory.acting(caller);
  return { agent: suffix, credential: caller.credential };
}

async function tokenCaller(
  { identity, database, clock }: RoomsContext,
  request: FastifyRequest,
  token: string,
): Promise<RoomCaller> {
  const known = await findToken(database.read, hashSecret(token), clock.now());
  if (
    !known ||
    !(await identity.credentials.stillValid({ kind: known.credentialKind, id: known.credentialId }))
  ) {
    const limited = await identity.bearer.failed(request.clientAddress);
    throw limited ? rateLimited(limited) : unauthorized();
  }
  // The route's own parameter, which its path declares.
  const { id } = request.params as { id?: string };
  if (known.roomId !== id?.trim()) throw new RoomsError('forbidden', 'This room token is for another room.');
  return { agent: known.agent };
}
