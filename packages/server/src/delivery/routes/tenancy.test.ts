import { DELIVERY_ROUTES } from '@parley/protocol/delivery/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { CueClient } from '../testing/cue-client.ts';

/** Bodies that get past the shape, so that the answer is about whose it is. */
const BODIES: Readonly<Record<string, object>> = {
  agent_update: { display_name: 'x' },
  agent_rename: { slug: 'other' },
  agent_profile_update: { specialization: 'x' },
  agent_heartbeat: { channel: 'bg' },
  agent_wake_receipt: { kind: 'room', id: 'room_x-0', stage: 'invoked' },
  live_session_attach: { label: 'new', task_name: 't' },
  live_session_update: { session_token: 'x' },
  execution_claim: { worker_id: 'w' },
  execution_live_claim: { session_token: 'T' },
  execution_outcome: { success: true },
  execution_evidence: { external_id: 'x' },
  execution_evidence_post: { external_id: 'x' },
  cue_update: { description: 'x' },
  cue_backfill: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  subscription_create: { event_type: 'turn.pass', delivery_target: 'pull' },
  subscription_ack: { acked_event_id: 1 },
};

/** What is answered for a thing of another owner, where that is not 404. */
const OTHERWISE: Readonly<Record<string, number>> = {
  // A claim says only that it failed, whatever the reason.
  execution_claim: 409,
  // Nobody's: whoever knows the token.
  echo_store: 200,
  echo_read: 200,
};

/** What a list answers to one of whose own there is nothing to show, where that is not 200. */
const NONE: Readonly<Record<string, number>> = {
  // No agent of this server is shown to everybody.
  agent_card: 404,
};

const UNKNOWN = {
  agent: 'agent_zzzzzzzzzzzz',
  message: 'msg_zzzzzzzzzzzz',
  execution: '00000000-0000-4000-8000-000000000000',
  worker: 'no-such-worker',
  cue: 'cue_zzzzzzzzzzzz',
  subscription: '00000000-0000-4000-8000-000000000001',
  alert: '00000000-0000-4000-8000-000000000002',
};

type Things = typeof UNKNOWN;

function pathOf({ path }: RouteDeclaration, things: Things): string {
  const kinds = {
    '/v1/executions': things.execution,
    '/v1/cues': things.cue,
    '/v1/agents': things.subscription,
    '/v1/alerts': things.alert,
  };
  const known = Object.entries(kinds).find(([prefix]) => path.startsWith(prefix));
  const id = known?.[1] ?? things.message;
  return path
    .replace('{ref}', things.agent)
    .replace('{label}', 'main')
    .replace('{token}', '0123456789abcdef')
    .replace('{worker_id}', things.worker)
    .replace('{id}', id);
}

/** By an outcome that somebody does not believe. */
async function raise(owner: CueClient): Promise<string> {
  const { execution_id: id } = await owner.send('app', { delivery_mode: 'bg' });
  await owner.claim(id);
  await owner.outcome(id, { success: true });
  await owner.call('POST', `/v1/executions/${id}/verify`, { body: { valid: false } });
  const { body } = await owner.call<{ alerts: { id: string }[] }>('GET', '/v1/alerts');
  return body.alerts[0]?.id ?? '';
}

describeEachServer('delivery › another owner', (start) => {
  let max: CueClient;
  let eve: CueClient;
  let own: Things;

  beforeAll(async () => {
    // Time stands still: nothing lapses or fires by itself while every route is asked.
    const server = await start({ rateLimits: false, clock: new FakeClock() });
    max = await CueClient.register(server, 'max@example.com');
    eve = await CueClient.register(server, 'eve@example.com');
    const { id } = await max.create({ slug: 'app', delivery_capabilities: ['live', 'bg', 'inbox'] });
    await max.attach('app', { session_token: 'T' });
    await max.workerBeats('w1', ['app']);
    const sent = await max.send('app', { delivery_mode: 'live' });
    const cue = await max.cue({ agent: 'app' });
    const subscribed = await max.call<{ id: string }>('POST', '/v1/agents/app/subscriptions', {
      body: { event_type: 'message.delivered', delivery_target: 'pull' },
    });
    own = {
      agent: id,
      message: sent.id,
      execution: sent.execution_id,
      worker: 'w1',
      cue: cue.id,
      subscription: subscribed.body.id,
      alert: await raise(max),
    };
  });

  const ask = async (route: RouteDeclaration, things: Things) => {
    const body = BODIES[route.name];
    const { status, text } = await eve.call(route.method, pathOf(route, things), {
      headers: { 'X-Confirm-Destructive': 'true' },
      ...(body && { body }),
    });
    const named = Object.values(things).reduce((said, name) => said.replaceAll(name, '<name>'), text);
    return { status, said: named };
  };

  const one = DELIVERY_ROUTES.filter(({ path }) => path.includes('{'));
  const many = DELIVERY_ROUTES.filter(({ path, method }) => !path.includes('{') && method === 'GET');

  describe('one thing', () => {
    test.each(one.map((route) => [route.method, route.path, route] as const))(
      '%s %s answers as for what does not exist',
      async (_method, _path, route) => {
        const foreign = await ask(route, own);
        expect(foreign).toEqual(await ask(route, UNKNOWN));
        expect(foreign.status).toBe(OTHERWISE[route.name] ?? 404);
      },
    );
  });

  describe('lists', () => {
    test.each(many.map((route) => [route.path, route] as const))(
      '%s shows none of it',
      async (path, route) => {
        const { status, text } = await eve.call('GET', path);
        expect(status).toBe(NONE[route.name] ?? 200);
        for (const name of Object.values(own)) expect(text).not.toContain(name);
      },
    );
  });

  test('nothing of all that changed anything', async () => {
    expect(await max.message(own.message)).toMatchObject({
      delivery_state: 'queued',
      delivery_route: 'live',
    });
    expect((await max.read('app')).body.live_sessions).toHaveLength(1);
    expect((await max.execution(own.execution)).outcome).toBeNull();
    expect(await max.readCue(own.cue)).toMatchObject({ status: 'active', fired_count: 0, description: null });
  });
});
