import {
  consoleWebhooks,
  type ConsoleWebhookRotatedAnswer,
  type ConsoleWebhooksAnswer,
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

  const one = async (kind: 'agent' | 'room') => (await list(anns)).find((each) => each.kind === kind);

  test('endpoints of agents and rooms stand in one list with what they answered', async () => {
    expect((await list(anns)).map(({ kind, delivered, last_at: at }) => [kind, delivered, at])).toEqual(
      expect.arrayContaining([
        ['agent', 0, null],
        ['room', 0, null],
      ]),
    );
    await ann.send('harbour', { delivery_mode: 'webhook' });
    await conversation([anns.as('harbour'), anns.as('tide')], { topic: 'x' }, ['hello']);
    await expect.poll(async () => (await one('agent'))?.failed).toBe(1);
    await expect.poll(async () => (await one('room'))?.failed).toBeGreaterThan(0);
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
    for (const act of ['replay', 'rotate'])
      expect((await bobs.call('POST', `/v1/console/webhooks/${id}/${act}`)).status).toBe(404);
    expect((await anns.call('POST', '/v1/console/webhooks/room.none/replay')).status).toBe(404);
    up = true;
    const failed = (await one('room'))?.failed;
    const answer = await anns.call<{ replayed: number }>('POST', `/v1/console/webhooks/${id}/replay`);
    expect(answer.body.replayed).toBe(failed);
    await expect.poll(async () => (await one('room'))?.delivered).toBe(failed);
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

  test('more endpoints cost no more statements', async () => {
    const asked = dialect === 'sqlite' ? await statementsOf(() => list(anns)) : [];
    for (const slug of ['one', 'two', 'three']) await ann.create({ slug, webhook_url: sink.url(`/${slug}`) });
    expect(await list(anns)).toHaveLength(5);
    if (dialect === 'sqlite')
      expect((await statementsOf(() => list(anns))).length).toBeLessThanOrEqual(asked.length);
  });
});
