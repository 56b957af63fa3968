import {
  deviceCodePoll,
  deviceCodeSubmitEmail,
  deviceLoginForm,
  sessionOpen,
} from '@parley/protocol/identity/device-login-routes';
import { consoleSessionCreate } from '@parley/protocol/console/session-routes';
import { alertAcknowledge } from '@parley/protocol/delivery/alert-routes';
import { cueBulkDelete } from '@parley/protocol/delivery/cue-routes';
import { subscriptionAck } from '@parley/protocol/delivery/event-routes';
import { agentBeat, agentSecretRotate } from '@parley/protocol/delivery/agent-routes';
import * as executions from '@parley/protocol/delivery/execution-routes';
import { liveSessionBeat, liveSessionPatch } from '@parley/protocol/delivery/live-session-routes';
import { messageAck, messageInvoked, messageMarkRead } from '@parley/protocol/delivery/message-routes';
import { agentWakeReceipt } from '@parley/protocol/delivery/wake-routes';
import { regenerateKey, rotateAlertSecret, rotateWebhookSecret } from '@parley/protocol/identity/routes';
import type { FastifyInstance } from 'fastify';
import { allowOrigins } from '../../platform/http/cors.ts';
import { asRouted, callsOf } from '../../platform/http/call-name.ts';
import type { OwnedPaths } from '../../platform/http/unrouted.ts';
import type { Log } from '../../platform/log.ts';
import { DeliveryError, shapeDeliveryErrors } from './errors.ts';
import { keepNowhere } from '../../platform/http/no-store.ts';

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-CueAPI-Usage-Warning',
  'X-CueAPI-Priority-Downgraded',
  'ETag',
];

/** What every answer of this protocol has in common: its errors, its headers, and pages of any origin may ask. */
export function asDelivery(app: FastifyInstance, { log }: { log: Log }): void {
  shapeDeliveryErrors(app, log);
  allowOrigins(app, {
    origins: 'any',
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    requestHeaders: [
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-None-Match',
      'Last-Event-ID',
      'Prefer',
      'X-Confirm-Destructive',
      'X-CueAPI-Verify-Echo',
      'X-Cueapi-From-Agent',
      'X-On-Behalf-Of',
      'X-Parley-Invite',
      'X-Worker-Id',
    ],
    exposedHeaders: EXPOSED_HEADERS,
  });
  keepNowhere(app);
}

const REFUSED = {
  host: 'misdirected_request',
  origin: 'origin_not_allowed',
  disk: 'insufficient_storage',
} as const;

/** Everything under `/v1` that no other protocol claims. */
export const deliveryPaths: OwnedPaths = {
  prefixes: ['/v1'],
  echoesRequestIds: false,
  headers: {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': EXPOSED_HEADERS.join(', '),
  },
  notFound: () => new DeliveryError('http_error'),
  notLetIn: ({ reason, text }) => new DeliveryError(REFUSED[reason], text),
  needNoRoom: callsOf(
    // Acknowledging, and what shows that somebody is still there to do it.
    messageMarkRead,
    messageAck,
    messageInvoked,
    agentWakeReceipt,
    alertAcknowledge,
    subscriptionAck,
    agentBeat,
    liveSessionBeat,
    executions.workerBeat,
    executions.executionBeat,
    executions.executionClaim,
    executions.executionClaimNext,
    executions.executionLiveClaim,
    executions.executionOutcome,
    executions.executionVerify,
    executions.executionVerificationPending,
    // Making room.
    cueBulkDelete,
    // A secret that others know is replaced at any time; the new one takes the place of the old.
    regenerateKey,
    rotateWebhookSecret,
    rotateAlertSecret,
    agentSecretRotate,
    liveSessionPatch,
    // Looking after a server whose disk is full needs a way in.
    consoleSessionCreate,
    // Whoever waits at a terminal hears how it stands.
    deviceCodePoll,
  ),
  // A code or token that nobody guesses; and the form of a page that tells no origin sends `null` as its own.
  provenByBody: new Set(
    [deviceCodePoll, deviceCodeSubmitEmail, deviceLoginForm, sessionOpen].map(({ path }) => asRouted(path)),
  ),
  malformed: () =>
    new DeliveryError('http_error', 'the path holds a malformed percent escape', { status: 400 }),
};
