import { loginAgent, logoutAgent, rotateAgentKey } from '@parley/protocol/identity/agent-routes';
import { roomHumanCode, roomKeep } from '@parley/protocol/rooms/extension-routes';
import {
  agentStreamAck,
  roomAccessToken,
  roomClose,
  roomContextAck,
  roomJoin,
  roomLeave,
  roomTranscript,
  roomTyping,
  roomViewers,
} from '@parley/protocol/rooms/routes';
import type { CorsRules } from '../../platform/http/cors.ts';
import { asRouted, callsOf } from '../../platform/http/call-name.ts';
import type { OwnedPaths } from '../../platform/http/unrouted.ts';
import { RoomsError } from './errors.ts';

/** Pages of the configured origins may call everything of this protocol. */
export const roomsCors = (origins: readonly string[]): CorsRules => ({
  origins,
  methods: ['GET', 'POST', 'DELETE', 'OPTIONS'],
  requestHeaders: ['Authorization', 'Content-Type', 'Last-Event-ID'],
});

const REFUSED = {
  host: 'misdirected_request',
  origin: 'forbidden',
  disk: 'insufficient_storage',
} as const;

/** `/v1/agent` is singular: `/v1/agents` belongs to another protocol. */
export const roomsPaths = (origins: readonly string[]): OwnedPaths => ({
  prefixes: [
    '/v1/agent',
    '/v1/listings',
    '/v1/rooms',
    '/v1/mode',
    '/v1/capabilities',
    '/healthz',
    '/skill.md',
    '/skill',
  ],
  echoesRequestIds: true,
  cors: roomsCors(origins),
  notFound: () => new RoomsError('not_found'),
  notLetIn: ({ reason, text }) => new RoomsError(REFUSED[reason], text),
  needNoRoom: callsOf(
    // Reading, and what has to come before it.
    loginAgent,
    roomJoin,
    roomAccessToken,
    roomTranscript,
    roomViewers,
    // Acknowledging, and ending.
    agentStreamAck,
    roomContextAck,
    roomClose,
    logoutAgent,
    // In memory, a mark, or in place of what was there.
    roomTyping,
    roomKeep,
    roomHumanCode,
    rotateAgentKey,
    // Only says that it does nothing.
    roomLeave,
  ),
  provenByBody: new Set([loginAgent, roomTranscript, roomViewers].map(({ path }) => asRouted(path))),
  malformed: () => new RoomsError('invalid_request', 'The path has a malformed percent escape.'),
});
