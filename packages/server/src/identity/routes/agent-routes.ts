import { agentId } from '@parley/protocol/identity/agent-id';
import * as declared from '@parley/protocol/identity/agent-routes';
import { isoSeconds } from '@parley/protocol/iso-seconds';
import { MAX_BODY_BYTES } from '@parley/protocol/rooms/limits';
import type { FastifyInstance } from 'fastify';
import type { Platform } from '../../platform.ts';
import { allowOrigins } from '../../platform/http/cors.ts';
import { keepNowhere } from '../../platform/http/no-store.ts';
import { echoRequestNames } from '../../platform/http/request-id.ts';
import { type RouteShape, RouteTable } from '../../platform/http/route-table.ts';
import { roomsCaller } from '../../wire/rooms/caller.ts';
import {
  notSupported,
  mustPass,
  rateLimited,
  RoomsError,
  roomsRefusals,
  shapeRoomsErrors,
  unauthorized,
} from '../../wire/rooms/errors.ts';
import { roomsCors } from '../../wire/rooms/paths.ts';
import type { Caller } from '../../wire/caller.ts';
import { readKey } from '../keys/key-store.ts';
import { rotateKey } from '../keys/keys.ts';
import { endSession, endSessions, openSession } from '../keys/sessions.ts';
import { registerAgent, RegistrationRefused } from '../owners/registration.ts';
import { inviteOf } from './invite-header.ts';
import type { IdentityService } from '../service.ts';

type AgentRoutesContext = Pick<Platform, 'config' | 'log' | 'random'> & { identity: IdentityService };

/** Register, log in, end sessions, rotate the key: identity as the rooms protocol speaks of it. */
export async function agentRoutes(app: FastifyInstance, context: AgentRoutesContext): Promise<void> {
  shapeRoomsErrors(app, context.log);
  echoRequestNames(app, context.random);
  allowOrigins(app, roomsCors(context.config.corsOrigins));
  keepNowhere(app);
  await app.register(async (scope) => publicRoutes(scope, context));
  await app.register(async (scope) => sessionRoutes(scope, context));
}

function publicRoutes(app: FastifyInstance, { identity }: AgentRoutesContext): void {
  const { limiters } = identity;
  const shape: RouteShape<undefined> = {
    ...roomsRefusals,
    authenticate: async () => undefined,
    async limit(route, request) {
      if (route !== declared.registerAgent) return;
      mustPass(await limiters.registrations.take(request.clientAddress));
    },
  };
  const table = new RouteTable(app, shape, { bodyLimit: MAX_BODY_BYTES });

  table.add(declared.registerAgent, async ({ body, request }) => {
    const registered = await registerAgent(identity, body.name, inviteOf(request, body.invite)).catch(refuse);
    return { agent_id: agentId.rooms(registered.agent.suffix), api_key: registered.apiKey };
  });

  table.add(declared.loginAgent, async ({ body, request }) => {
    const opened = await openSession(identity, body.api_key);
    if (!opened) {
      const verdict = await limiters.failedLogins.take(request.clientAddress);
      throw verdict.ok ? new RoomsError('unauthorized', 'Check the API key.') : rateLimited(verdict);
    }
    return {
      session_token: opened.token,
      agent_id: agentId.rooms(opened.agent.suffix),
      expires_at: isoSeconds(opened.expiresAt),
    };
  });

  const { logoutAgent } = declared;
  table.add(logoutAgent, () => {
    throw notSupported(logoutAgent.path, logoutAgent.unsupported?.hint ?? '');
  });
  table.refuseOtherMethods();
}

function sessionRoutes(app: FastifyInstance, { identity }: AgentRoutesContext): void {
  const shape: RouteShape<Caller> = {
    ...roomsRefusals,
    authenticate: (_route, request) => roomsCaller(identity, request),
  };
  const table = new RouteTable(app, shape, { bodyLimit: MAX_BODY_BYTES });

  table.add(declared.endSession, async ({ caller }) => {
    const { kind, id } = caller.credential;
    if (kind !== 'session') {
      throw new RoomsError(
        'invalid_request',
        'Authorization: call this with the session token that is to end.',
      );
    }
    return { ended: (await endSession(identity, caller.ownerId, id)) ? 1 : 0 };
  });

  table.add(declared.endSessions, async ({ caller }) => ({
    ended: await endSessions(identity, await identity.directory.acting(caller)),
  }));

  table.add(declared.rotateAgentKey, async ({ caller }) => {
    const { ownerId, keyId, credential } = caller;
    const suffix = (await readKey(identity.database.read, ownerId, keyId))?.agent_suffix;
    // A session opened with an owner-wide key speaks for one agent; it must not come by a key for the whole owner.
    if (suffix === null) {
      throw new RoomsError('forbidden', 'Owner-wide keys are replaced with POST /v1/auth/key/regenerate.');
    }
    const kept = credential.kind === 'session' ? credential.id : undefined;
    const minted = suffix === undefined ? undefined : await rotateKey(identity, ownerId, keyId, kept);
    if (!minted || suffix === undefined) {
      // A 401 would send a client whose session stands to log in with the key that was just replaced.
      throw (await identity.credentials.stillValid(credential)) ? new RoomsError('conflict') : unauthorized();
    }
    return { agent_id: agentId.rooms(suffix), api_key: minted.secret };
  });
  table.refuseOtherMethods();
}

function refuse(error: unknown): never {
  if (!(error instanceof RegistrationRefused)) throw error;
  throw new RoomsError(
    'forbidden',
    error.reason === 'closed'
      ? 'Registration is closed on this server. Ask its operator for a key.'
      : 'Registration needs a valid, unused invite code. Ask the operator and send it as "invite".',
  );
}
