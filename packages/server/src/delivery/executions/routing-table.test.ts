import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { MessageClient } from '../testing/message-client.ts';

interface Setting {
  C: readonly string[];
  P?: string;
  L?: 'fresh' | 'stale' | 'none';
  W?: boolean;
  H?: 'unknown' | 'fresh' | 'stale';
  parent?: boolean;
}

type Row = readonly [number, Setting & { M?: string; F?: string }, string, string, string];

/** The decision tables of routing, one request per row; the whole space is enumerated against the pure function. */
const FORCED: readonly Row[] = [
  [1, { M: 'live', C: ['live'], L: 'fresh' }, 'live', 'live', 'queued'],
  [2, { M: 'live', C: ['live', 'bg'], L: 'stale' }, 'bg', 'background_fallback', 'queued'],
  [2, { M: 'live', C: ['live', 'webhook'], W: true }, 'webhook', 'webhook_fallback', 'queued'],
  [2, { M: 'live', C: ['live'] }, 'inbox', 'inbox_fallback', 'queued'],
  [2, { M: 'live', C: ['live'], parent: true }, 'bg', 'background_fallback', 'queued'],
  [3, { M: 'live', C: ['live', 'bg'], L: 'stale', F: 'none' }, 'live', 'live', 'failed'],
  [3, { M: 'live', C: ['live', 'bg'], F: 'none' }, 'live', 'live', 'failed'],
  [4, { M: 'live', C: ['live', 'bg'], F: 'live_only' }, 'live', 'live', 'queued'],
  [5, { M: 'live', C: ['bg'] }, 'bg', 'background_fallback', 'queued'],
  [6, { M: 'live', C: ['bg'], F: 'none' }, 'live', 'live', 'failed'],
  [6, { M: 'live', C: ['bg'], F: 'live_only' }, 'live', 'live', 'failed'],
  [7, { M: 'bg', C: ['bg'], H: 'stale' }, 'bg', 'background_direct', 'queued'],
  [8, { M: 'bg', C: ['webhook'], W: true }, 'webhook', 'webhook_fallback', 'queued'],
  [9, { M: 'bg', C: ['inbox'] }, 'inbox', 'inbox_fallback', 'queued'],
  [10, { M: 'inbox', C: ['live', 'bg'], L: 'fresh' }, 'inbox', 'inbox_direct', 'queued'],
  [11, { M: 'webhook', C: ['webhook'], W: true }, 'webhook', 'webhook_direct', 'queued'],
  [12, { M: 'webhook', C: ['webhook', 'bg'] }, 'inbox', 'inbox_fallback', 'queued'],
];

const AUTO: readonly Row[] = [
  [13, { P: 'live', C: ['live', 'bg'], L: 'fresh' }, 'live', 'live', 'queued'],
  [14, { P: 'live', C: ['live', 'bg'], H: 'stale' }, 'bg', 'background_fallback', 'queued'],
  [15, { P: 'live', C: ['live', 'webhook'], W: true }, 'webhook', 'webhook_fallback', 'queued'],
  [16, { P: 'live', C: ['live', 'webhook'] }, 'inbox', 'inbox_fallback', 'queued'],
  [17, { P: 'bg', C: ['bg', 'live'], L: 'fresh' }, 'bg', 'background_direct', 'queued'],
  [18, { P: 'bg', C: ['bg', 'live'], L: 'fresh', H: 'stale' }, 'live', 'live', 'queued'],
  [19, { P: 'bg', C: ['bg', 'webhook'], H: 'stale', W: true }, 'webhook', 'webhook_fallback', 'queued'],
  [19, { P: 'bg', C: ['bg'], H: 'stale' }, 'inbox', 'inbox_fallback', 'queued'],
  [20, { P: 'inbox', C: ['inbox', 'live'], L: 'fresh' }, 'inbox', 'inbox_direct', 'queued'],
  [21, { P: 'webhook', C: ['webhook', 'live'], L: 'fresh', W: true }, 'webhook', 'webhook_direct', 'queued'],
  [22, { P: 'webhook', C: ['webhook', 'live'], L: 'fresh' }, 'live', 'live', 'queued'],
  [23, { P: 'webhook', C: ['webhook', 'bg'] }, 'bg', 'background_fallback', 'queued'],
  [24, { P: 'webhook', C: ['webhook', 'bg'], H: 'stale' }, 'inbox', 'inbox_fallback', 'queued'],
  [25, { C: ['live', 'bg'], L: 'fresh' }, 'live', 'live', 'queued'],
  [26, { C: ['live', 'bg'], L: 'stale' }, 'bg', 'background_fallback', 'queued'],
  [27, { C: ['live', 'webhook'], W: true }, 'webhook', 'webhook_fallback', 'queued'],
  [27, { C: ['live'] }, 'inbox', 'inbox_fallback', 'queued'],
  [28, { C: ['bg', 'inbox'] }, 'bg', 'background_direct', 'queued'],
  [29, { C: ['bg', 'inbox'], H: 'stale' }, 'inbox', 'inbox_fallback', 'queued'],
  [30, { C: ['webhook', 'inbox'], W: true }, 'webhook', 'webhook_direct', 'queued'],
  [30, { C: ['webhook', 'inbox'] }, 'inbox', 'inbox_fallback', 'queued'],
  [31, { C: ['inbox'] }, 'inbox', 'inbox_direct', 'queued'],
];

describeEachServer('execution › routing', (start) => {
  const clock = new FakeClock();
  let max: MessageClient;
  let count = 0;

  beforeAll(async () => {
    const server = await start({ clock, rateLimits: false, resolve: async () => [] });
    max = await MessageClient.register(server);
    await max.create({ slug: 'parent', delivery_capabilities: ['bg'] });
  });

  const prepare = async ({
    C,
    P,
    L = 'none',
    W = false,
    H = 'unknown',
    parent = false,
  }: Setting): Promise<string> => {
    const slug = `row-${++count}`;
    await max.create({
      slug,
      delivery_capabilities: C,
      ...(P !== undefined && { preferred_contact: P }),
      ...(W && { webhook_url: 'http://hooks.example.com/x' }),
      ...(parent && { parent_agent_id: 'parent' }),
    });
    if (H !== 'unknown') await max.workerBeats(`w-${slug}`, [slug]);
    if (L === 'stale') await max.attach(slug);
    if (H === 'stale' || L === 'stale') await clock.advance(120_000);
    if (H === 'fresh') await max.workerBeats(`w-${slug}`, [slug]);
    if (L === 'fresh') await max.attach(slug);
    return slug;
  };

  describe.each([
    ['forced', FORCED],
    ['auto', AUTO],
  ])('%s', (_name, table) => {
    test.each(table)('row %i: %j → %s by %s', async (_row, setting, effective, route, state) => {
      const { M: mode, F: fallback } = setting;
      const slug = await prepare(setting);
      const sent = await max.send(slug, {
        ...(mode !== undefined && { delivery_mode: mode }),
        ...(fallback !== undefined && { live_fallback_mode: fallback }),
      });
      expect([sent.effective_delivery_mode, sent.delivery_route, sent.delivery_state]).toEqual([
        effective,
        route,
        state,
      ]);
      const execution = await max.execution(sent.execution_id);
      expect([execution.effective_delivery_mode, execution.delivery_route]).toEqual([effective, route]);
      // An attempt on a webhook may be under way by now.
      if (effective !== 'webhook') expect(execution.status).toBe(state === 'failed' ? 'missed' : 'pending');
      expect(execution.routing_trace.map(({ step }) => step)).toEqual(
        expect.arrayContaining(['loop_guard', 'requested', 'resolved']),
      );
    });
  });

  test('an inbox that was not declared is used all the same, with a warning', async () => {
    const slug = await prepare({ C: ['live'] });
    expect(await max.send(slug)).toMatchObject({
      delivery_route: 'inbox_fallback',
      delivery_warning: 'inbox_not_declared',
    });
    expect((await max.inbox(slug)).total).toBe(1);
  });

  test('what was never declared is derived at the time of sending', async () => {
    await max.create({ slug: 'plain' });
    expect(await max.send('plain')).toMatchObject({ delivery_route: 'inbox_direct' });
    await max.workerBeats('w-plain', ['plain']);
    expect(await max.send('plain')).toMatchObject({ delivery_route: 'background_direct' });
    await max.attach('plain');
    expect(await max.send('plain')).toMatchObject({ delivery_route: 'live' });
  });

  test('a deleted live sibling: what its parent was to take closes too', async () => {
    await max.create({ slug: 'elder', delivery_capabilities: ['bg', 'inbox'] });
    const request = { parent_agent_id: 'elder', delivery_capabilities: ['live', 'inbox'] };
    await max.create({ slug: 'younger', ...request });
    const sent = await max.send('younger', { delivery_mode: 'live' });
    const own = await max.send('elder');
    expect(sent).toMatchObject({ delivery_route: 'background_fallback' });
    await max.call('DELETE', '/v1/agents/younger');
    expect(await max.execution(sent.execution_id)).toMatchObject({
      status: 'failed',
      error_message: 'agent_deleted',
    });
    expect(await max.execution(own.execution_id)).toMatchObject({ status: 'pending' });
  });

  test('a deleted parent: what it was to take for its sibling goes another way', async () => {
    await max.create({ slug: 'old', delivery_capabilities: ['bg', 'inbox'] });
    await max.create({ slug: 'young', parent_agent_id: 'old', delivery_capabilities: ['live', 'inbox'] });
    const sent = await max.send('young', { delivery_mode: 'live' });
    await max.call('DELETE', '/v1/agents/old');
    expect(await max.message(sent.id)).toMatchObject({
      state: 'queued',
      effective_delivery_mode: 'inbox',
      delivery_route: 'inbox_fallback',
    });
    expect((await max.inbox('young')).messages).toMatchObject([{ id: sent.id, state: 'delivered' }]);
  });

  test('a deleted recipient: pending pushes close', async () => {
    const slug = await prepare({ C: ['live', 'bg'], L: 'fresh' });
    const live = await max.send(slug, { delivery_mode: 'live' });
    const background = await max.send(slug, { delivery_mode: 'bg' });
    await max.call('DELETE', `/v1/agents/${slug}`);
    for (const sent of [live, background]) {
      expect(await max.message(sent.id)).toMatchObject({
        state: 'failed',
        message_dispatch_error: 'agent_deleted',
      });
      expect(await max.execution(sent.execution_id)).toMatchObject({
        status: 'failed',
        error_message: 'agent_deleted',
      });
    }
  });
});
