import {
  consoleWebhooks,
  type ConsoleWebhookRotatedAnswer,
  type ConsoleWebhooksAnswer,
  type ConsoleWebhookUntakenAnswer,
} from '@parley/protocol/console/webhook-routes';
import { beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { describeEachServer } from '../testing/each-server.ts';
import type { TestServer } from '../testing/start-server.ts';
import { statementsOf } from '../testing/statements.ts';
import { WebhookSink } from '../testing/webhook-sink.ts';
import { conversation } from './testing/conversation.ts';
import { PersonClient } from './testing/person-client.ts';

const SECRET = 'tell-nobody-of-this-secret';
const list = async (person: PersonClient) =>
  (await person.read<ConsoleWebhooksAnswer>('/v1/console/webhooks')).webhooks;

describeEachServer('console › webhooks', (start, dialect) => {
  let server: TestServer;
  let ann: MessageClient;
  let anns: PersonClient;
  let bobs: PersonClient;
  let operator: PersonClient;
  const sink = new WebhookSink();
  let up = false;

  beforeAll(async () => {
    await sink.listen();
    sink.answer = () => (up ? 200 : 410);
    server = await start({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    ann = await MessageClient.register(server, 'ann@example.com');
    const bob = await MessageClient.register(server, 'bob@example.com');
    await ann.create({ slug: 'harbour', webhook_url: sink.url() });
    await ann.create({ slug: 'tide' });
    anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    bobs = await PersonClient.signIn(server, { api_key: bob.owner.key });
    operator = await PersonClient.operator(server);
    const body = { url: sink.url(), secret: SECRET };
    expect((await anns.as('tide').call('POST', '/v1/agent/webhooks', { body })).status).toBe(201);
    return () => sink.close();
  });

  const untaken = async (id: string) =>
    (await anns.read<ConsoleWebhookUntakenAnswer>(`/v1/console/webhooks/${id}/untaken`)).deliveries;
  const replay = async (id: string, body?: object) => {
    const path = `/v1/console/webhooks/${id}/replay`;
    return (await anns.call<{ replayed: number }>('POST', path, { ...(body && { body }) })).body.replayed;
  };
  const one = async (kind: 'agent' | 'room' | 'events') =>
    (await list(anns)).find((each) => each.kind === kind);

  test('endpoints of agents and rooms stand in one list with what they answered', async () => {
    expect((await list(anns)).map(({ kind, delivered, last_at: at }) => [kind, delivered, at])).toEqual(
      expect.arrayContaining([
        ['agent', 0, null],
        ['room', 0, null],
      ]),
    );
    await ann.send('harbour', { delivery_mode: 'webhook' });
    await conversation([anns.as('harbour'), anns.as('tide')], { topic: 'x' }, ['hello', 'hello', 'and now?']);
    await expect.poll(async () => (await one('agent'))?.failed).toBe(1);
    await expect.poll(async () => (await one('room'))?.failed).toBe(2);
    expect(await one('agent')).toMatchObject({ last_status: 410, agent: `harbour@${ann.owner.slug}` });
    expect((await one('room'))?.failing_since).not.toBeNull();
  });

  test('an owner sees its own, an operator all, and nobody a secret', async () => {
    expect(await list(bobs)).toEqual([]);
    const { text, body } = await operator.call<ConsoleWebhooksAnswer>('GET', '/v1/console/webhooks');
    expect(body.webhooks).toHaveLength(2);
    expect(consoleWebhooks.answer?.safeParse(body).error).toBeUndefined();
    expect(text).not.toMatch(new RegExp(`${SECRET}|whsec_`));
  });

  test('what a room was not told is sent again once its receiver is back', async () => {
    const id = (await one('room'))?.id ?? '';
    for (const act of ['replay', 'rotate', 'test'])
      expect((await bobs.call('POST', `/v1/console/webhooks/${id}/${act}`)).status).toBe(404);
    expect((await bobs.call('GET', `/v1/console/webhooks/${id}/untaken`)).status).toBe(404);
    expect(
      (await anns.call('POST', `/v1/console/webhooks/${id}/replay`, { body: { since: 'soon' } })).status,
    ).toBe(422);
    expect((await anns.call('POST', '/v1/console/webhooks/room.none/replay')).status).toBe(404);
    up = true;
    const failed = (await one('room'))?.failed ?? 0;
    const before = await untaken(id);
    expect(before).toHaveLength(failed);
    expect(before[0]).toMatchObject({ given_up: true, attempts: 1, error: 'answered 410' });
    // One, then what is in a range, then all that is left.
    const single = before[0];
    expect(await replay(id, { delivery: single?.id })).toBe(1);
    await expect.poll(async () => (await one('room'))?.delivered).toBe(1);
    expect((await untaken(id)).map((each) => each.id)).toEqual(before.slice(1).map((each) => each.id));
    expect(await replay(id, { delivery: single?.id })).toBe(0);
    expect(await replay(id, { since: new Date(server.context.clock.now() + 1).toISOString() })).toBe(0);
    expect(await replay(id, { since: before.at(-1)?.at })).toBe(failed - 1);
    await expect.poll(async () => (await one('room'))?.delivered).toBe(failed);
    expect(await replay(id)).toBe(0);
    expect(await one('room')).toMatchObject({ failing_since: null, last_status: 200 });
  });

  test('a new secret signs from then on, and is shown once', async () => {
    const id = (await one('room'))?.id ?? '';
    const { body, status } = await anns.call<ConsoleWebhookRotatedAnswer>(
      'POST',
      `/v1/console/webhooks/${id}/rotate`,
    );
    expect([status, body.secret.length]).toEqual([200, 43]);
    expect((await operator.call('GET', '/v1/console/webhooks')).text).not.toContain(body.secret);
  });

  test('an endpoint of rooms or events is tried with a signed request that says nothing', async () => {
    const body = {
      event_type: 'message.delivered',
      delivery_target: 'webhook',
      webhook_url: sink.url('/told'),
    };
    const subscribed = await ann.call<{ id: string }>('POST', '/v1/agents/tide/subscriptions', { body });
    expect(subscribed.status).toBe(201);
    const tried = async (kind: 'agent' | 'room' | 'events') =>
      await anns.call('POST', `/v1/console/webhooks/${(await one(kind))?.id}/test`);
    expect((await tried('events')).body).toEqual({ status: 200, error: null });
    const told = sink.received.at(-1);
    expect(told?.path).toBe('/told');
    expect(told?.headers).toMatchObject({
      'x-cueapi-event-count': '0',
      'x-cueapi-signature': expect.stringMatching(/^v1=/),
    });
    expect(told?.body).toMatchObject({ subscription_id: subscribed.body.id, events: [] });
    expect((await tried('room')).body).toEqual({ status: 200, error: null });
    const roomTold = sink.received.at(-1);
    expect(roomTold?.headers).toMatchObject({
      'x-parley-event-type': 'webhook.test',
      'x-parley-signature': expect.stringMatching(/^sha256=/),
    });
    expect(roomTold?.body).toMatchObject({ type: 'webhook.test', reason: 'webhook_test' });
    up = false;
    expect((await tried('room')).body).toEqual({ status: 410, error: 'answered 410' });
    expect(await one('room')).toMatchObject({ last_status: 410, failing_since: expect.any(String) });
    expect((await tried('events')).body).toMatchObject({ status: 410 });
    // An agent's own is tried by a message.
    expect((await tried('agent')).status).toBe(404);
    await ann.call('DELETE', `/v1/agents/tide/subscriptions/${subscribed.body.id}`);
  });

  test('more endpoints cost no more statements', async () => {
    const asked = dialect === 'sqlite' ? await statementsOf(() => list(anns)) : [];
    for (const slug of ['one', 'two', 'three']) await ann.create({ slug, webhook_url: sink.url(`/${slug}`) });
    expect(await list(anns)).toHaveLength(5);
    if (dialect === 'sqlite')
      expect((await statementsOf(() => list(anns))).length).toBeLessThanOrEqual(asked.length);
  });
});
