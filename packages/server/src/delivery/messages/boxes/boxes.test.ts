import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../../testing/each-server.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { parked } from '../../../testing/parked.ts';
import type { TestServer } from '../../../testing/start-server.ts';
import { MessageClient } from '../../testing/message-client.ts';

describeEachServer('message › inbox and sent', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: MessageClient;
  let slug: string;
  let count = 0;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false, resolve: async () => [] });
    max = await MessageClient.register(server, 'max@example.com');
  });

  beforeEach(async () => {
    slug = `box-${++count}`;
    await max.create({ slug });
  });

  const sendAll = async (...texts: string[]) => {
    const sent = [];
    for (const body of texts) {
      await clock.advance(1);
      sent.push(await max.send(slug, { body }));
    }
    return sent;
  };
  const texts = async (query = {}, of = slug) =>
    (await max.inbox(of, query)).messages.map(({ body }) => body);
  const states = async () =>
    (await max.sent('self', { counterpart: slug })).messages.map((m) => [m.body, m.state]);

  test('newest first, in pages, with the total', async () => {
    await sendAll('a', 'b', 'c', 'd');
    expect(await max.inbox(slug, { limit: 3, peek: 'true' })).toMatchObject({
      total: 4,
      limit: 3,
      offset: 0,
    });
    expect(await texts({ limit: 3, peek: 'true' })).toEqual(['d', 'c', 'b']);
    expect(await texts({ limit: 3, offset: 3, peek: 'true' })).toEqual(['a']);
    expect(await texts({ state: 'queued,read', limit: 2, offset: 1, peek: 'true' })).toEqual(['c', 'b']);
  });

  test('what is on the returned page becomes delivered, and nothing else', async () => {
    await sendAll('a', 'b', 'c');
    const page = await max.inbox(slug, { limit: 2 });
    expect(page.messages.map((m) => [m.body, m.delivery_state, m.proven_stage])).toEqual([
      ['c', 'delivered', 'delivered'],
      ['b', 'delivered', 'delivered'],
    ]);
    expect(await states()).toEqual([
      ['c', 'delivered'],
      ['b', 'delivered'],
      ['a', 'queued'],
    ]);
    const { execution_id: id } = page.messages[0] ?? { execution_id: '' };
    const execution = await max.execution(id);
    expect(execution).toMatchObject({ status: 'success', delivery_route: 'inbox_direct' });
    expect(execution.routing_trace.at(-1)).toMatchObject({ step: 'recipient', result: 'fetched' });
    const [again] = (await max.inbox(slug, { limit: 1 })).messages;
    expect(again).toEqual(await max.message(again?.id ?? ''));
  });

  test('looking without taking: peek and count_only change nothing', async () => {
    await sendAll('a', 'b');
    await max.inbox(slug, { peek: 'true' });
    expect(
      (await max.call('GET', `/v1/agents/${slug}/inbox`, { query: { count_only: 'true' } })).body,
    ).toEqual({ count: 2 });
    expect(await states()).toEqual([
      ['b', 'queued'],
      ['a', 'queued'],
    ]);
  });

  test('a live or background push stays pending when somebody looks; reading or acking closes it', async () => {
    await max.patch(slug, { delivery_capabilities: ['bg', 'inbox'] });
    const [pushed, other] = await sendAll('bg', 'bg too');
    expect((await max.inbox(slug)).messages.map((m) => m.delivery_state)).toEqual(['queued', 'queued']);
    expect(await max.claimable({ agent: slug })).toHaveLength(2);
    await max.mark(pushed?.id ?? '', 'ack');
    await max.mark(other?.id ?? '', 'read');
    expect(await max.claimable({ agent: slug })).toEqual([]);
    expect(await max.execution(pushed?.execution_id ?? '')).toMatchObject({
      status: 'success',
      delivery_route: 'inbox_direct',
      effective_delivery_mode: 'inbox',
    });
    expect(await max.claim(pushed?.execution_id ?? '')).toMatchObject({
      status: 409,
      body: { error: { code: 'claim_failed' } },
    });
    const late = await max.liveClaim(pushed?.execution_id ?? '', { session_token: 'any' });
    expect([late.status, late.body.error.code]).toEqual([409, 'live_claim_window_closed']);
  });

  test('a webhook that waits for its next attempt is spared by a poll', async () => {
    await max.patch(slug, {
      webhook_url: 'http://hooks.example.com/x',
      delivery_capabilities: ['webhook', 'inbox'],
    });
    const [sent] = await sendAll('hook');
    expect(sent).toMatchObject({ delivery_route: 'webhook_direct' });
    const { id, execution_id: execution } = sent ?? { id: '', execution_id: '' };
    await expect.poll(() => max.message(id)).toMatchObject({ delivery_state: 'retry_ready' });
    expect((await max.inbox(slug)).messages[0]).toMatchObject({
      delivery_state: 'delivered',
      effective_delivery_mode: 'inbox',
      delivery_route: 'inbox_direct',
    });
    await clock.advance(600_000);
    expect(await max.execution(execution)).toMatchObject({ status: 'success', attempts: 1 });
  });

  test('shows neither acked nor expired ones unless asked', async () => {
    const [a] = await sendAll('a', 'b');
    await max.mark(a?.id ?? '', 'ack');
    expect(await texts()).toEqual(['b']);
    expect((await max.inbox(slug)).total).toBe(1);
    expect(await texts({ state: 'acked' })).toEqual(['a']);
    expect(await max.inbox(slug, { state: 'acked, delivered' })).toMatchObject({ total: 2 });
    expect(await max.sent('self', { counterpart: slug })).toMatchObject({ total: 2 });
  });

  describe('filters', () => {
    test('by thread, time and counterpart in every address form', async () => {
      const [a] = await sendAll('a');
      const middle = new Date(clock.now()).toISOString();
      await clock.advance(1);
      const { id } = await max.create({ slug: `peer-${count}` });
      await max.send(slug, { body: 'reply', reply_to: a?.id, from: id });
      expect(await texts({ thread_id: a?.id ?? '' })).toEqual(['reply', 'a']);
      expect(await texts({ since: middle })).toEqual(['reply']);
      for (const counterpart of [id, `peer-${count}`, `peer-${count}@max`]) {
        expect(await max.inbox(slug, { counterpart })).toMatchObject({
          total: 1,
          messages: [{ body: 'reply' }],
        });
        expect(await max.sent(id, { counterpart: slug })).toMatchObject({ total: 1 });
      }
      expect(await max.inbox(slug, { since: middle, state: 'queued', count_only: 'true' })).toMatchObject({
        count: 0,
      });
    });

    test.each([
      [{ state: 'queued,lost' }, 400, 'invalid_state_filter'],
      [{ state: '' }, 400, 'invalid_state_filter'],
      [{ limit: 0 }, 422, 'validation_error'],
      [{ limit: 201 }, 422, 'validation_error'],
      [{ offset: -1 }, 422, 'validation_error'],
      [{ wait: 26 }, 422, 'validation_error'],
      [{ since: 'yesterday' }, 422, 'validation_error'],
      [{ counterpart: 'nobody' }, 404, 'agent_not_found'],
    ])('%j is refused', async (query, status, code) => {
      const answer = await max.call('GET', `/v1/agents/${slug}/inbox`, { query });
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    });
  });

  test('the box of a deleted agent can still be read', async () => {
    await sendAll('a');
    const { id } = (await max.read(slug)).body;
    await max.call('DELETE', `/v1/agents/${slug}`);
    expect(await texts({}, id)).toEqual(['a']);
  });

  test('two polls at once both get the rows and flip them once', async () => {
    await sendAll(...Array.from({ length: 20 }, (_, n) => String(n)));
    const pages = await Promise.all(Array.from({ length: 8 }, () => max.inbox(slug)));
    for (const page of pages) expect(page.messages.every((m) => m.delivery_state === 'delivered')).toBe(true);
    expect(await max.inbox(slug, { state: 'delivered' })).toMatchObject({ total: 20 });
    expect(await max.inbox(slug, { state: 'queued' })).toMatchObject({ total: 0 });
  });

  describe('long poll', () => {
    test('answers as soon as something comes', async () => {
      const polled = max.inbox(slug, { wait: 25 });
      await expect.poll(() => parked(server)).toBe(1);
      const sent = await max.send(slug, { body: 'wake up' });
      expect((await polled).messages).toMatchObject([{ id: sent.id, delivery_state: 'delivered' }]);
    });

    test('answers empty when the time is over', async () => {
      const polled = max.inbox(slug, { wait: 25 });
      await expect.poll(() => parked(server)).toBe(1);
      await clock.advance(25_500);
      expect(await polled).toMatchObject({ messages: [], total: 0 });
    });

    test('who goes away is forgotten and has got nothing', async () => {
      const gone = new AbortController();
      const polled = max.call('GET', `/v1/agents/${slug}/inbox`, {
        query: { wait: 25 },
        signal: gone.signal,
      });
      await expect.poll(() => parked(server)).toBe(1);
      gone.abort();
      await expect(polled).rejects.toThrow();
      await expect.poll(() => parked(server)).toBe(0);
      const sent = await max.send(slug);
      expect(await max.message(sent.id)).toMatchObject({ delivery_state: 'queued' });
    });

    test('a thousand can wait, and each gets its own', async () => {
      const many = await start({ clock: new FakeClock(), rateLimits: false });
      const ann = await MessageClient.register(many);
      const agents = await Promise.all(
        Array.from({ length: 50 }, async (_, n) => (await ann.create({ slug: `w${n}` })).slug),
      );
      const polls = agents.flatMap((agent) =>
        Array.from({ length: 20 }, () => ann.inbox(agent, { wait: 25 })),
      );
      await expect.poll(() => parked(many)).toBe(1000);
      await Promise.all(agents.map((agent) => ann.send(agent, { body: agent })));
      const pages = await Promise.all(polls);
      expect(pages.every((page, n) => page.messages[0]?.body === agents[Math.floor(n / 20)])).toBe(true);
    }, 90_000);
  });
});
