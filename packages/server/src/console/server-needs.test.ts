import type { Need, Overview } from '@parley/protocol/console/view-routes';
import { expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { WebhookSink } from '../testing/webhook-sink.ts';
import { PersonClient } from './testing/person-client.ts';

const DAY = 24 * 3_600_000;

const needsOf = async (person: PersonClient, kind: Need['kind']): Promise<Need[]> =>
  (await person.read<Overview>('/v1/console/overview')).needs.filter((need) => need.kind === kind);

describeEachServer('console › what needs somebody', (start, dialect) => {
  test('a webhook that is down at once, while it is still tried again, and no more once that went well', async () => {
    const server = await start({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    const ann = await MessageClient.register(server, 'ann@example.com');
    const bob = await MessageClient.register(server, 'bob@example.com');
    const anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    const bobs = await PersonClient.signIn(server, { api_key: bob.owner.key });
    const sink = await new WebhookSink().listen();
    sink.answer = () => 'hang up';
    await ann.create({ slug: 'harbour', webhook_url: sink.url() });
    const { id } = await ann.send('harbour', { delivery_mode: 'webhook' });
    await expect.poll(() => needsOf(anns, 'webhook_failing')).toHaveLength(1);
    const [need] = await needsOf(anns, 'webhook_failing');
    expect(need).toMatchObject({
      owner: 'ann',
      title: 'A webhook of harbour@ann does not take what it is sent',
      view: '/webhooks?q=harbour%40ann',
    });
    expect((await ann.message(id)).delivery_state).not.toBe('failed');
    expect(await needsOf(bobs, 'webhook_failing')).toEqual([]);
    const replay = (person: PersonClient) =>
      person.call('POST', `/v1/console/webhooks/${need?.id ?? ''}/replay`);
    expect((await replay(bobs)).status).toBe(404);
    sink.answer = () => 200;
    expect((await replay(anns)).body).toEqual({ replayed: 1 });
    await expect.poll(() => needsOf(anns, 'webhook_failing')).toEqual([]);
    expect((await ann.message(id)).delivery_state).toBe('delivered');
    expect((await replay(anns)).body).toEqual({ replayed: 0 });
    await sink.close();
  });

  test('events that an endpoint did not take are sent again too', async () => {
    const server = await start({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    const ann = await MessageClient.register(server, 'ann@example.com');
    const anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    const sink = await new WebhookSink().listen();
    sink.answer = () => 503;
    await ann.create({ slug: 'harbour' });
    const made = await ann.call('POST', '/v1/agents/harbour/subscriptions', {
      body: { event_type: 'message.delivered', delivery_target: 'webhook', webhook_url: sink.url() },
    });
    expect(made.status).toBe(201);
    await ann.send('harbour');
    await expect.poll(() => needsOf(anns, 'webhook_failing')).toHaveLength(1);
    const [need] = await needsOf(anns, 'webhook_failing');
    sink.answer = () => 200;
    const answer = await anns.call('POST', `/v1/console/webhooks/${need?.id ?? ''}/replay`);
    expect(answer.body).toEqual({ replayed: 1 });
    await expect.poll(() => needsOf(anns, 'webhook_failing')).toEqual([]);
    await sink.close();
  });

  test('a store that was not copied for a week, until it is', async () => {
    const clock = new FakeClock();
    const server = await start({ rateLimits: false, clock });
    const stale = async () => needsOf(await PersonClient.operator(server), 'backup_stale');
    expect(await stale()).toEqual([]);
    await clock.leap(8 * DAY);
    // A database of its own is backed up elsewhere.
    if (dialect === 'postgres') {
      expect(await stale()).toEqual([]);
      return;
    }
    expect(await stale()).toMatchObject([{ title: 'The store was never backed up', view: '/system' }]);
    const operator = await PersonClient.operator(server);
    expect((await operator.call('POST', '/v1/console/backup')).status).toBe(201);
    expect(await stale()).toEqual([]);
    await clock.leap(9 * DAY);
    expect(await stale()).toMatchObject([{ title: 'The last backup is 9 days old' }]);
  });
});
