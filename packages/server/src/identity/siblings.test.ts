import { CONTINUITY_ROUTES } from '@parley/protocol/continuity/routes';
import { CONSOLE_ROUTES } from '@parley/protocol/console/routes';
import { COORDINATION_ROUTES } from '@parley/protocol/coordination/routes';
import { DELIVERY_ROUTES } from '@parley/protocol/delivery/routes';
import { AGENT_ROUTES } from '@parley/protocol/identity/agent-routes';
import { DEVICE_LOGIN_ROUTES } from '@parley/protocol/identity/device-login-routes';
import { IDENTITY_ROUTES } from '@parley/protocol/identity/routes';
import { AGENT_KEY_SCOPES, FOUNDING_KEY_SCOPES } from '@parley/protocol/identity/scopes';
import { ALL_ROOMS_ROUTES } from '@parley/protocol/rooms/endpoints';
import type { RouteDeclaration } from '@parley/protocol/route';
import { SCHEDULE_ROUTES } from '@parley/protocol/schedule/routes';
import { beforeAll, describe, expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { describeEachServer } from '../testing/each-server.ts';
import type { DeliveryErrorAnswer } from './testing/people.ts';

/**
 * What an agent's key may do to another agent of its owner. A new route takes a stand here, or the suite fails.
 *
 * | stand     | of a sibling                                                                      |
 * |-----------|-----------------------------------------------------------------------------------|
 * | `manage`  | only with `manage:agents`                                                         |
 * | `visible` | anyone of the owner                                                               |
 * | `owners`  | belongs to the owner as a whole, or is narrowed to what is the caller's (see below) |
 * | `self`    | names no agent: acts on the caller's own                                          |
 * | `member`  | only who is in the room, however many agents the owner has (`rooms/tenancy.test.ts`) |
 * | `memory`  | the owner's, guarded by scopes and namespaces of its own (`continuity/access.test.ts`) |
 * | `owner key`, `open` | needs an owner-wide key; needs none                                     |
 */
type Stand = 'manage' | 'visible' | 'owners' | 'self' | 'member' | 'memory' | 'owner key' | 'open';

const DELIVERY: Readonly<Record<string, Stand>> = {
  agent_create: 'manage',
  agent_list: 'visible',
  agent_directory: 'visible',
  agent_roster: 'visible',
  agent_read: 'visible',
  agent_update: 'manage',
  agent_rename: 'manage',
  agent_delete: 'manage',
  agent_profile_read: 'visible',
  agent_profile_update: 'manage',
  agent_presence: 'visible',
  agent_webhook_secret_read: 'manage',
  agent_webhook_secret_regenerate: 'manage',
  agent_heartbeat: 'manage',
  live_session_attach: 'manage',
  live_session_list: 'manage',
  live_session_update: 'manage',
  live_session_heartbeat: 'manage',
  live_session_detach: 'manage',
  live_session_stream: 'manage',
  message_send: 'self',
  message_get: 'manage',
  message_read: 'manage',
  message_invoked: 'manage',
  message_ack: 'manage',
  agent_wake_receipt: 'manage',
  agent_wakes: 'manage',
  agent_inbox: 'manage',
  agent_sent: 'manage',
  thread_resume: 'owners',
  execution_list: 'owners',
  execution_claimable: 'owners',
  execution_claim_next: 'owners',
  execution_get: 'manage',
  execution_attempts: 'manage',
  execution_claim: 'manage',
  execution_heartbeat: 'manage',
  execution_live_claim: 'manage',
  execution_outcome: 'manage',
  execution_evidence: 'manage',
  execution_evidence_post: 'manage',
  execution_verify: 'manage',
  execution_verification_pending: 'manage',
  execution_replay: 'manage',
  worker_heartbeat: 'owners',
  worker_list: 'owners',
  worker_delete: 'owners',
  subscription_create: 'manage',
  subscription_list: 'manage',
  subscription_ack: 'manage',
  subscription_delete: 'manage',
  event_list: 'manage',
  alert_list: 'owners',
  alert_acknowledge: 'owners',
  // Those of a sibling are refused one by one: `cues/targets.test.ts`.
  cue_create: 'owners',
  cue_list: 'owners',
  cue_bulk_delete: 'owners',
  cue_get: 'owners',
  cue_update: 'owners',
  cue_delete: 'owners',
  cue_fire: 'owners',
  cue_next: 'owners',
  cue_backfill: 'owners',
  agent_card: 'open',
  service_info: 'open',
  echo_store: 'open',
  echo_read: 'owners',
};

/** What a route's auth says of siblings by itself. */
const BY_AUTH: Readonly<Record<string, Stand>> = {
  none: 'open',
  'login session': 'open',
  human_code: 'member',
  viewer_token: 'member',
  bearer_or_room_token: 'member',
  owner: 'owner key',
  token: 'memory',
  // People with a cookie: no key opens these (`console/gate.test.ts`).
  person: 'owner key',
  operator: 'owner key',
};
const IDENTITY: Readonly<Record<string, Stand>> = {
  account_read: 'owners',
  usage_read: 'owners',
  whoami: 'self',
  agent_session_end: 'self',
  agent_sessions_end: 'self',
  agent_key_rotate: 'self',
};

/** Bodies that get past the shape, so that the answer is about whose it is. */
const BODIES: Readonly<Record<string, object>> = {
  agent_create: { slug: 'planted' },
  agent_update: { display_name: 'Mallory' },
  agent_rename: { slug: 'taken-over' },
  agent_profile_update: { display_name: 'Mallory' },
  live_session_attach: { label: 'main', task_name: 'b-main-live' },
  agent_heartbeat: { channel: 'bg' },
  agent_wake_receipt: { kind: 'room', id: 'room_x-0', stage: 'invoked' },
  execution_claim: { worker_id: 'w' },
  execution_live_claim: { session_token: 'x' },
  execution_outcome: { success: true },
  execution_evidence: { external_id: 'x' },
  execution_evidence_post: { external_id: 'x' },
  execution_verify: { valid: true },
  subscription_create: { event_type: 'turn.pass', delivery_target: 'pull' },
  subscription_ack: { acked_event_id: 1 },
};

describe('every route', () => {
  const all: readonly RouteDeclaration[] = [
    ...DELIVERY_ROUTES,
    ...IDENTITY_ROUTES,
    ...DEVICE_LOGIN_ROUTES,
    ...AGENT_ROUTES,
    ...ALL_ROOMS_ROUTES,
    ...CONTINUITY_ROUTES,
    ...SCHEDULE_ROUTES,
    ...COORDINATION_ROUTES,
    ...CONSOLE_ROUTES,
  ];
  const roomNames = new Set<string>(ALL_ROOMS_ROUTES.map(({ name }) => name));
  const standOf = ({ name, auth }: RouteDeclaration): Stand | undefined =>
    DELIVERY[name] ?? IDENTITY[name] ?? BY_AUTH[auth] ?? (roomNames.has(name) ? 'member' : undefined);

  test('says what it lets siblings do', () => {
    expect(all.filter((route) => standOf(route) === undefined).map(({ name }) => name)).toEqual([]);
    expect(Object.keys(DELIVERY).toSorted()).toEqual(DELIVERY_ROUTES.map(({ name }) => name).toSorted());
  });
});

describeEachServer('siblings', (start) => {
  let max: MessageClient;
  let ids: { a: string; b: string; message: string; execution: string };
  /** Bound to `a`: without the scope, and with it. */
  let plain: string;
  let manager: string;

  const keyFor = async (agent: string, scopes?: readonly string[]): Promise<string> => {
    const made = await max.call<{ api_key: string }>('POST', '/v1/keys', {
      body: { agent, ...(scopes && { scopes }) },
    });
    return made.body.api_key;
  };

  beforeAll(async () => {
    const server = await start({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    max = await MessageClient.register(server);
    const a = await max.create({ slug: 'a', delivery_capabilities: ['bg', 'inbox'] });
    const b = await max.create({
      slug: 'b',
      delivery_capabilities: ['bg', 'inbox'],
      webhook_url: 'http://127.0.0.1:9/hook',
    });
    await max.attach('b');
    const sent = await max.send('b', { delivery_mode: 'bg' });
    ids = { a: a.id, b: b.id, message: sent.id, execution: sent.execution_id ?? '' };
    plain = await keyFor('a');
    manager = await keyFor('a', FOUNDING_KEY_SCOPES);
  });

  const call = (route: RouteDeclaration, key: string, ref = 'b') => {
    const body = BODIES[route.name];
    const id = route.path.startsWith('/v1/messages') ? ids.message : ids.execution;
    const path = route.path.replace('{ref}', ref).replace('{label}', 'main').replace('{id}', id);
    return max.people.call<DeliveryErrorAnswer & { error?: { hint?: string } }>(route.method, path, {
      key,
      headers: { 'x-confirm-destructive': 'true' },
      ...(body && { body }),
    });
  };
  const managed = DELIVERY_ROUTES.filter(({ name }) => DELIVERY[name] === 'manage');
  const visible = DELIVERY_ROUTES.filter(({ name }) => DELIVERY[name] === 'visible');

  test.each(managed.map((route) => [route.name, route] as const))('%s is refused', async (_name, route) => {
    const answer = await call(route, plain);
    expect([answer.status, answer.body.error.code]).toEqual([403, 'missing_scope']);
    expect(answer.body.error).toMatchObject({
      message: 'Missing scope: manage:agents',
      hint: expect.stringContaining('owner-wide key'),
    });
    expect(answer.body.detail.error).toEqual(answer.body.error);
  });

  test.each(visible.map((route) => [route.name, route] as const))('%s is open', async (_name, route) => {
    expect((await call(route, plain)).status).toBe(200);
  });

  test('a session of the key reaches no further than the key', async () => {
    const session = await max.people.login(plain);
    expect((await max.people.call('GET', '/v1/agents/b/inbox', { key: session })).status).toBe(403);
    expect((await max.people.call('GET', '/v1/agents/a/inbox', { key: session })).status).toBe(200);
  });

  test('an agent keeps everything that is its own, in every spelling', async () => {
    for (const ref of ['a', ids.a, ids.a.replace('agent_', 'agt_'), `a@${max.owner.slug}`, ' A ']) {
      const path = `/v1/agents/${encodeURIComponent(ref)}`;
      expect((await max.people.call('GET', `${path}/inbox`, { key: plain })).status).toBe(200);
      const renamed = await max.people.call('PATCH', path, { key: plain, body: { display_name: 'Ann' } });
      expect(renamed.status).toBe(200);
    }
    const own = await max.send('a', { delivery_mode: 'bg' });
    const claimed = await max.people.call('POST', `/v1/executions/${own.execution_id}/claim`, {
      key: plain,
      body: { worker_id: 'w' },
    });
    expect(claimed.status).toBe(200);
  });

  test('what is not there is told before anything about scopes', async () => {
    expect((await max.people.call('GET', '/v1/agents/nobody/inbox', { key: plain })).status).toBe(404);
    expect((await max.people.call('GET', '/v1/messages/msg_aaaaaaaaaaaa', { key: plain })).status).toBe(404);
  });

  test("lists leave out what is a sibling's, and naming the sibling is refused", async () => {
    const list = async (path: string, key: string): Promise<string[]> => {
      const answer = await max.people.call<{ executions: { id?: string; execution_id?: string }[] }>(
        'GET',
        path,
        { key },
      );
      return answer.body.executions.map(({ id, execution_id: other }) => id ?? other ?? '');
    };
    for (const path of ['/v1/executions', '/v1/executions/claimable']) {
      expect(await list(path, plain)).not.toContain(ids.execution);
      expect(await list(path, manager)).toContain(ids.execution);
      expect((await max.people.call('GET', `${path}?agent=b`, { key: plain })).status).toBe(403);
    }
    const next = { worker_id: 'w', agent: 'b' };
    const taken = await max.people.call<DeliveryErrorAnswer>('POST', '/v1/executions/claim', {
      key: plain,
      body: next,
    });
    expect([taken.status, taken.body.error.code]).toEqual([403, 'missing_scope']);
    const anything = await max.people.call<DeliveryErrorAnswer>('POST', '/v1/executions/claim', {
      key: plain,
      body: { worker_id: 'w' },
    });
    expect([anything.status, anything.body.error.code]).toEqual([409, 'claim_failed']);
  });

  test('with the scope, or an owner-wide key, nothing of this is refused', async () => {
    for (const key of [manager, max.owner.key]) {
      for (const route of [...managed, ...visible]) {
        // These end what the others look at, or do not answer until somebody hangs up.
        if (['agent_delete', 'agent_rename', 'live_session_stream'].includes(route.name)) continue;
        const answer = await call(route, key);
        expect([route.name, answer.status, answer.body.error?.code]).not.toContain(403);
      }
    }
  });

  test('the founding key of an agent that registered by itself has it, and keeps it when rotated', async () => {
    const founder = await max.people.agent('Founder');
    expect((await max.people.whoami(founder.key)).body.scopes).toEqual(FOUNDING_KEY_SCOPES);
    const made = await max.people.call('POST', '/v1/agents', { key: founder.key, body: { slug: 'second' } });
    expect(made.status).toBe(201);
    const rotated = await max.people.call<{ api_key: string }>('POST', '/v1/agent/keys/rotate', {
      key: founder.key,
    });
    expect(
      (await max.people.call('GET', '/v1/agents/second/inbox', { key: rotated.body.api_key })).status,
    ).toBe(200);
    expect((await max.people.whoami(plain)).body.scopes).toEqual(AGENT_KEY_SCOPES);
  });

  test('an owner-wide key that was given less acts for the owner alone', async () => {
    const narrow = await max.call<{ api_key: string }>('POST', '/v1/keys', { body: { scopes: ['search'] } });
    const key = narrow.body.api_key;
    expect((await max.people.call('GET', '/v1/agents/self/inbox', { key })).status).toBe(200);
    expect((await max.people.call('GET', '/v1/agents/b/inbox', { key })).status).toBe(403);
  });

  test('the scope opens no memory', async () => {
    const key = await keyFor('a', ['manage:agents']);
    for (const { method, path } of CONTINUITY_ROUTES) {
      const answer = await max.people.call(method, path, { key, ...(method === 'POST' && { body: {} }) });
      expect([path, [400, 403, 422].includes(answer.status)]).toEqual([path, true]);
    }
  });
});
