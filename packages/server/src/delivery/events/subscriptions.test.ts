import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { resolveNames } from '../testing/agent-client.ts';
import { EventClient } from './testing/event-client.ts';

const HOOK = 'https://hooks.example.com/path?token=secret';

describeEachServer('delivery › subscriptions', (start) => {
  let max: EventClient;
  let made = 0;

  beforeAll(async () => {
    max = await EventClient.register(
      await start({ clock: new FakeClock(), rateLimits: false, resolve: resolveNames }),
    );
  });

  const agent = async (): Promise<string> => {
    made += 1;
    return (await max.owner.create({ slug: `app-${made}` })).slug;
  };

  test('one with an endpoint shows its secret once, and its URL afterwards without the path', async () => {
    const app = await agent();
    const wish = { event_type: 'message.acked', delivery_target: 'webhook', webhook_url: HOOK };
    const created = await max.subscribe(app, wish);
    expect(created).toMatchObject({
      webhook_url: HOOK,
      webhook_secret: expect.stringMatching(/^whsec_[0-9a-f]{64}$/),
    });
    const [listed] = await max.subscriptions(app);
    expect(listed).toEqual({ ...created, webhook_url: 'https://hooks.example.com', webhook_secret: null });
  });

  test('there is one active of each type and target', async () => {
    const app = await agent();
    const first = await max.subscribe(app);
    const again = await max.trySubscribe(app, { event_type: 'message.delivered', delivery_target: 'pull' });
    expect([again.status, again.body.error.code]).toEqual([409, 'subscription_exists']);
    await max.subscribe(app, { delivery_target: 'webhook', webhook_url: HOOK });
    await max.subscribe(app, { event_type: 'turn.pass' });
    expect((await max.detach(app, first.id)).body).toEqual({ detached: true });
    expect((await max.detach(app, first.id)).body).toEqual({ detached: true });
    const anew = await max.subscribe(app);
    expect(anew.id).not.toBe(first.id);
    expect((await max.subscriptions(app)).map(({ id }) => id)).not.toContain(first.id);
    const late = await max.ack(app, first.id, { acked_event_id: 1 });
    expect([late.status, late.body.error.code]).toEqual([404, 'subscription_not_found']);
  });

  test('of many made at once one is kept', async () => {
    const app = await agent();
    const wish = { event_type: 'message.read', delivery_target: 'pull' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => max.trySubscribe(app, wish)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  });

  const wish = { event_type: 'message.delivered', delivery_target: 'pull' };
  describe('refuses', () => {
    test.each<[string, unknown, number, string]>([
      ['an unknown type', { ...wish, event_type: 'message.seen' }, 400, 'unknown_event_type'],
      ['a type that objects have', { ...wish, event_type: 'toString' }, 400, 'unknown_event_type'],
      ['a type that is none', { ...wish, event_type: 7 }, 422, 'validation_error'],
      ['no type', { delivery_target: 'pull' }, 422, 'validation_error'],
      ['an unknown target', { ...wish, delivery_target: 'mail' }, 400, 'invalid_delivery_target'],
      ['a target that is none', { ...wish, delivery_target: null }, 422, 'validation_error'],
      ['a URL to pull', { ...wish, webhook_url: HOOK }, 400, 'invalid_delivery_target'],
      ['a webhook without one', { ...wish, delivery_target: 'webhook' }, 400, 'invalid_delivery_target'],
      [
        'a webhook with an empty one',
        { ...wish, delivery_target: 'webhook', webhook_url: '' },
        400,
        'invalid_delivery_target',
      ],
      [
        'one that leads inside',
        { ...wish, delivery_target: 'webhook', webhook_url: 'https://inside.example.com/' },
        400,
        'invalid_webhook_url',
      ],
      [
        'one that is none',
        { ...wish, delivery_target: 'webhook', webhook_url: 'nonsense' },
        400,
        'invalid_webhook_url',
      ],
      [
        'one that is too long',
        { ...wish, delivery_target: 'webhook', webhook_url: `https://hooks.example.com/${'a'.repeat(2048)}` },
        422,
        'validation_error',
      ],
      ['a flag that is none', { ...wish, inline_body: 'yes' }, 422, 'validation_error'],
      ['an unknown field', { ...wish, filter: {} }, 422, 'validation_error'],
      ['a list', [wish], 422, 'validation_error'],
    ])('%s', async (_what, body, status, code) => {
      const answer = await max.trySubscribe(await agent(), body);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    });

    test.each<[object, number, string]>([
      [{ since: '-1' }, 422, 'validation_error'],
      [{ since: 'x' }, 422, 'validation_error'],
      [{ limit: 0 }, 422, 'validation_error'],
      [{ limit: 1001 }, 422, 'validation_error'],
      [{ wait: 'short' }, 422, 'validation_error'],
      [{ event_type: 'nothing' }, 400, 'unknown_event_type'],
    ])('a read with %j', async (query, status, code) => {
      const answer = await max.tryEvents(await agent(), query as Record<string, string>);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    });

    test.each([
      {},
      { acked_event_id: -1 },
      { acked_event_id: 1.5 },
      { acked_event_id: '1' },
      { acked_event_id: 1e300 },
    ])('an ack of %j', async (body) => {
      const app = await agent();
      const { id } = await max.subscribe(app);
      expect((await max.ack(app, id, body)).status).toBe(422);
    });

    test('what is not there, and what is of a sibling', async () => {
      const [app, other] = [await agent(), await agent()];
      const { id } = await max.subscribe(app);
      for (const [ref, known] of [
        [other, id],
        [app, '00000000-0000-4000-8000-000000000000'],
        [app, 'nonsense'],
      ] as const) {
        const answers = [await max.ack(ref, known, { acked_event_id: 1 }), await max.detach(ref, known)];
        for (const { status, body } of answers)
          expect([status, body.error.code]).toEqual([404, 'subscription_not_found']);
      }
      expect(await max.subscriptions(app)).toHaveLength(1);
    });
  });

  test('a deleted agent has none any more', async () => {
    const app = await agent();
    await max.subscribe(app);
    await max.owner.call('DELETE', `/v1/agents/${app}`);
    expect((await max.tryEvents(app)).status).toBe(404);
    const again = await max.owner.create({ slug: app });
    expect(await max.subscriptions(again.id)).toEqual([]);
  });
});
