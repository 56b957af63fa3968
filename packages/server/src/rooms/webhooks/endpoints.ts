import { isoSeconds } from '@parley/protocol/iso-seconds';
import { MAX_WEBHOOKS } from '@parley/protocol/rooms/limits';
import type { CreateWebhook, WebhookAnswer, WebhooksAnswer } from '@parley/protocol/rooms/types';
import { randomText } from '../../platform/ids.ts';
import type { Platform } from '../../platform.ts';
import type { RoomsService } from '../service.ts';
import { isLoopbackAddress } from '../../platform/http/client-address.ts';
import { type AddressRules, checkUrl, type Target } from '../../platform/outbound/address-rules.ts';
import { RoomsError } from '../../wire/rooms/errors.ts';
import { forgetWebhookResults } from '../../platform/outbound/webhook-results.ts';
import { newId } from '../ids.ts';
import { wireAgent } from '../room/room.ts';
import { mustHaveOwner } from '../room/text-budget.ts';
import * as store from './endpoint-store.ts';
import { isIP } from 'node:net';

/** Where agents want to be told of their rooms. */
export async function listEndpoints({ database }: RoomsService, agent: string): Promise<WebhooksAnswer> {
  return { items: (await store.endpointsOf(database.read, agent)).map(toAnswer) };
}

/** As people see them, without their secrets: of one account, or of all. */
export const listHooks = (
  { database }: RoomsService,
  ownerId: string | undefined,
  limit: number,
): Promise<store.ListedEndpoint[]> => store.endpointsLately(database.read, ownerId, limit);

export async function createEndpoint(
  rooms: RoomsService,
  agent: string,
  wanted: CreateWebhook,
): Promise<WebhookAnswer> {
  const { database, clock, random, secrets, addressRules } = rooms;
  mustBeEndpointUrl(wanted.url, addressRules);
  const ownerId = await mustHaveOwner(rooms, agent);
  const id = newId(random, 'whk');
  const now = clock.now();
  const endpoint: store.StoredEndpoint = {
    id,
    agent,
    url: wanted.url,
    sealedSecret: secrets.seal(wanted.secret, purpose(id)),
    keyId: wanted.key_id,
    enabled: wanted.enabled ? 1 : 0,
    createdAt: now,
    updatedAt: now,
  };
  await database.write(async (tx) => {
    await tx.lock(`room-webhooks:${agent}`);
    const present = await store.endpointsOf(tx, agent);
    if (present.length >= MAX_WEBHOOKS) {
      throw new RoomsError('invalid_request', `An agent may have at most ${MAX_WEBHOOKS} webhook endpoints.`);
    }
    await store.insertEndpoint(tx, endpoint, ownerId);
  });
  return toAnswer(endpoint);
}

/** Whose it is; undefined where there is none. */
export async function endpointAgent({ database }: RoomsService, id: string): Promise<string | undefined> {
  return (await store.findEndpoint(database.read, id))?.agent;
}

const SECRET_BYTES = 32;

/** What signs its hooks from now on; shown once, as it is kept sealed. Undefined where there is none. */
export async function rotateEndpoint(
  { database, clock, random, secrets }: RoomsService,
  id: string,
): Promise<{ secret: string; keyId: string } | undefined> {
  const secret = randomText(random, SECRET_BYTES);
  return await database.write(async (tx) => {
    const endpoint = await store.findEndpoint(tx, id);
    if (!endpoint) return undefined;
    await store.saveSecret(tx, id, secrets.seal(secret, purpose(id)), clock.now());
    return { secret, keyId: endpoint.keyId };
  });
}

/** What is still queued for it is thrown away when its turn comes. */
export async function removeEndpoint({ database }: RoomsService, agent: string, id: string): Promise<void> {
  const removed = await database.write(async (tx) => {
    const deleted = await store.deleteEndpoint(tx, agent, id);
    if (deleted) await forgetWebhookResults(tx, id);
    return deleted;
  });
  if (!removed) throw new RoomsError('not_found');
}

export type Destination = NonNullable<Awaited<ReturnType<typeof destinationOf>>>;

/** Where a hook goes and what signs it. */
export async function destinationOf(
  { database, secrets }: Pick<Platform, 'database' | 'secrets'>,
  id: string,
) {
  const endpoint = await store.findEndpoint(database.read, id);
  if (!endpoint) return undefined;
  const { agent, url, keyId, enabled, sealedSecret } = endpoint;
  return { agent, url, keyId, enabled: enabled === 1, secret: secrets.open(sealedSecret, purpose(id)) };
}

function purpose(id: string): string {
  return `room-webhook:${id}`;
}

function toAnswer(endpoint: store.StoredEndpoint): WebhookAnswer {
  return {
    id: endpoint.id,
    agent_id: wireAgent(endpoint.agent),
    url: endpoint.url,
    key_id: endpoint.keyId,
    enabled: endpoint.enabled === 1,
    created_at: isoSeconds(endpoint.createdAt),
    updated_at: isoSeconds(endpoint.updatedAt),
  };
}

/**
 * What may be stored as an endpoint, judged by its text alone: where a name leads is checked at every delivery, and a
 * resolver that is down must not keep anyone from setting up a webhook.
 */
function mustBeEndpointUrl(text: string, rules: AddressRules): void {
  // The URL parser drops some of these silently, so that what is called would differ from what was shown.
  if (/[\s\p{Cc}]/u.test(text)) throw refusal('may not contain white space');
  const verdict = checkUrl(text, rules);
  if (!verdict.ok) throw refusal(verdict.detail);
  if (/[?#]/.test(text)) throw refusal('may not have a query or a fragment');
  const { target } = verdict;
  if (target.url.protocol === 'http:' && !isAllowedLoopback(target, rules)) {
    throw refusal('must be https, or http on a loopback host that the operator allows');
  }
}

function isAllowedLoopback({ host, port }: Target, { allow }: AddressRules): boolean {
  const loopback = host === 'localhost' || isLoopbackAddress(host);
  return loopback && (allow.permitsHost(host, port) || (isIP(host) !== 0 && allow.permitsAddress(host)));
}

function refusal(problem: string): RoomsError {
  return new RoomsError('invalid_request', `url: ${problem}.`);
}
