import { describe, expect, test } from 'vitest';
import { tally } from '../../identity/testing/people.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { parked } from '../../testing/parked.ts';
import { MessageClient } from '../testing/message-client.ts';
import { WorkScene } from '../testing/work-scene.ts';

const MINUTE = 60_000;

describeEachServer('execution › worker pull', (start) => {
  const work = new WorkScene(start);
  const { clock } = work;

  const claimNext = (body: object) =>
    work.max.call('POST', '/v1/executions/claim', { body: { worker_id: 'w', ...body } });

  describe('claimable', () => {
    test('lists the oldest first; filters come before the cut', async () => {
      const first = await work.push();
      const second = await work.push();
      await work.max.create({ slug: `noise-${work.slug}`, delivery_capabilities: ['bg'] });
      for (let n = 0; n < 60; n++) await work.max.send(`noise-${work.slug}`);
      const third = await work.push();
      const own = [first, second, third].map(({ execution_id: id }) => id);
      expect(await work.claimable({ task: `${work.slug}-bg` })).toEqual(own);
      for (const agent of [work.slug, `${work.slug}@max`, (await work.max.read(work.slug)).body.id]) {
        expect(await work.claimable({ agent })).toEqual(own);
      }
      expect(await work.claimable({ task: `${work.slug}-bg`, limit: 2 })).toEqual(own.slice(0, 2));
      expect(await work.claimable({})).toHaveLength(50);
    });

    test('shows the payload a handler needs', async () => {
      const sent = await work.max.send(work.slug, {
        from: work.slug,
        subject: 's',
        metadata: { m: 1 },
        correlation_id: 'c',
        expects_reply: true,
      });
      const [item] = await work.max.claimable({ task: `${work.slug}-bg` });
      expect(item).toEqual({
        execution_id: sent.execution_id,
        cue_id: `cue_${sent.to_agent_id.slice(6)}`,
        cue_name: null,
        task: `${work.slug}-bg`,
        scheduled_for: sent.created_at,
        attempt: 1,
        agent_id: sent.to_agent_id,
        message_id: sent.id,
        delivery_mode: 'auto',
        effective_delivery_mode: 'bg',
        delivery_route: 'background_direct',
        live_claim_deadline_at: null,
        payload: {
          task: `${work.slug}-bg`,
          kind: 'message',
          agent: `${work.slug}@max`,
          message_id: sent.id,
          thread_id: sent.id,
          reply_to: null,
          from: { agent_id: sent.to_agent_id, slug: `${work.slug}@max` },
          subject: 's',
          message: 'hello',
          priority: 3,
          expects_reply: true,
          correlation_id: 'c',
          metadata: { m: 1 },
          routing: 'bg',
          live_fallback_mode: 'background',
        },
      });
    });

    test('is empty of what is not due, held live, or in the inbox only', async () => {
      await work.max.send(work.slug, { send_at: new Date(clock.now() + MINUTE).toISOString() });
      await work.max.send(work.slug, { delivery_mode: 'inbox' });
      expect(await work.claimable({ agent: work.slug })).toEqual([]);
    });

    test('with wait it holds until there is work for the task', async () => {
      const waiting = work.max.claimable({ task: `${work.slug}-bg`, wait: 25 });
      const anything = work.max.claimable({ agent: work.slug, wait: 25 });
      await expect.poll(() => parked(work.server)).toBe(2);
      const sent = await work.push();
      expect((await waiting).map((item) => item.execution_id)).toEqual([sent.execution_id]);
      expect((await anything).map((item) => item.execution_id)).toEqual([sent.execution_id]);
    });

    test('and answers empty when the time is over', async () => {
      const waiting = work.max.claimable({ task: 'nothing', wait: 1 });
      await expect.poll(() => parked(work.server)).toBe(1);
      await clock.advance(1500);
      expect(await waiting).toEqual([]);
    });

    test('a background push through the parent is found by either name', async () => {
      await work.max.create({
        slug: `${work.slug}-live`,
        parent_agent_id: work.slug,
        delivery_capabilities: ['live', 'inbox'],
      });
      const sent = await work.max.send(`${work.slug}-live`, { delivery_mode: 'live' });
      expect(sent).toMatchObject({ delivery_route: 'background_fallback' });
      expect(await work.max.execution(sent.execution_id)).toMatchObject({
        agent_id: (await work.max.read(work.slug)).body.id,
      });
      expect(await work.claimable({ agent: work.slug })).toContain(sent.execution_id);
      expect(await work.claimable({ agent: `${work.slug}-live` })).toEqual([sent.execution_id]);
      expect(await work.claimable({ task: `${work.slug}-bg` })).toEqual([sent.execution_id]);
    });
  });

  describe('claim', () => {
    test('gives the work and a lease of 900 seconds', async () => {
      const sent = await work.push();
      const claim = await work.max.claim(sent.execution_id, 'worker-1');
      expect(claim.body).toMatchObject({
        claimed: true,
        lease_seconds: 900,
        lease_expires_at: new Date(clock.now() + 900_000).toISOString(),
        payload: { message: 'work', message_id: sent.id },
      });
      expect(await work.max.execution(sent.execution_id)).toMatchObject({
        status: 'delivering',
        attempts: 1,
        claimed_by_worker: 'worker-1',
      });
      expect((await work.max.message(sent.id)).state).toBe('claimed');
      expect(await work.max.claim(sent.execution_id, 'worker-1')).toMatchObject({
        status: 409,
        body: { error: { code: 'claim_failed' } },
      });
    });

    test.each(['00000000-0000-4000-8000-000000000000', 'nonsense'])('of %s fails', async (id) => {
      expect(await work.max.claim(id)).toMatchObject({
        status: 409,
        body: { error: { code: 'claim_failed' } },
      });
    });

    test('of the next takes the oldest, never a live offer', async () => {
      await work.max.patch(work.slug, { delivery_capabilities: ['live', 'bg', 'inbox'] });
      await work.max.attach(work.slug);
      const live = await work.max.send(work.slug, { delivery_mode: 'live' });
      await clock.advance(1);
      const first = await work.max.send(work.slug, { delivery_mode: 'bg' });
      await clock.advance(1);
      const second = await work.max.send(work.slug, { delivery_mode: 'bg' });
      const taken = [await claimNext({ agent: work.slug }), await claimNext({ agent: work.slug })];
      expect(taken.map(({ body }) => body.execution_id)).toEqual([first.execution_id, second.execution_id]);
      expect(await claimNext({ agent: work.slug })).toMatchObject({
        status: 409,
        body: { error: { code: 'claim_failed' } },
      });
      expect((await work.max.execution(live.execution_id)).status).toBe('pending');
    });

    test('fifty at once: one wins', async () => {
      const sent = await work.push();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => work.max.claim(sent.execution_id, `w${n}`)),
      );
      expect(tally(answers)).toEqual({ 200: 1, 409: 49 });
      const winner = answers.findIndex(({ status }) => status === 200);
      expect((await work.max.execution(sent.execution_id)).claimed_by_worker).toBe(`w${winner}`);
    });

    test('workers that reach for the next at once share the work', async () => {
      const sent = await Promise.all(Array.from({ length: 20 }, () => work.max.send(work.slug)));
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => claimNext({ task: `${work.slug}-bg` })),
      );
      expect(tally(answers)).toEqual({ 200: 20, 409: 10 });
      const taken = answers.flatMap(({ body }) =>
        typeof body.execution_id === 'string' ? [body.execution_id] : [],
      );
      expect(taken.toSorted()).toEqual(sent.map(({ execution_id: id }) => id).toSorted());
    });
  });

  describe('workers', () => {
    test('beat, are listed with how they are, and can be forgotten', async () => {
      const ann = await MessageClient.register(work.server);
      await ann.workerBeats('w1', ['a', 'b']);
      const since = new Date(clock.now()).toISOString();
      const list = async () => (await ann.call<{ workers: object[] }>('GET', '/v1/workers')).body.workers;
      const at = (seconds: number, heartbeat_status: string) => [
        {
          worker_id: 'w1',
          handlers: ['a', 'b'],
          last_heartbeat: since,
          seconds_since_heartbeat: seconds,
          heartbeat_status,
          registered_since: since,
        },
      ];
      expect(await list()).toEqual(at(0, 'active'));
      await clock.advance(180_000);
      expect(await list()).toEqual(at(180, 'stale'));
      await clock.advance(720_000);
      expect(await list()).toEqual(at(900, 'dead'));
      await ann.workerBeats('w1');
      expect(await list()).toMatchObject([
        { handlers: ['a', 'b'], heartbeat_status: 'active', registered_since: since },
      ]);
      const other = await MessageClient.register(work.server);
      expect((await other.call('GET', '/v1/workers')).body).toEqual({ workers: [], total: 0 });
      expect((await work.max.call('DELETE', '/v1/workers/no-such')).body.error.code).toBe('worker_not_found');
      expect((await ann.call('DELETE', '/v1/workers/w1')).status).toBe(204);
      expect(await list()).toEqual([]);
    });

    test('are forgotten when there are a thousand that were heard of later', async () => {
      const ann = await MessageClient.register(work.server);
      const ids = async (): Promise<string[]> =>
        (await ann.call<{ workers: { worker_id: string }[] }>('GET', '/v1/workers')).body.workers.map(
          ({ worker_id: id }) => id,
        );
      for (const name of ['first', 'second']) await ann.workerBeats(name);
      await clock.advance(1000);
      await ann.workerBeats('first');
      for (let n = 0; n < 998; n++) await ann.workerBeats(`w${n}`);
      expect(await ids()).toHaveLength(1000);
      await ann.workerBeats('w0');
      expect(await ids()).toContain('second');
      await ann.workerBeats('last');
      const left = await ids();
      expect(left).toHaveLength(1000);
      expect(left).toEqual(expect.arrayContaining(['first', 'last']));
      expect(left).not.toContain('second');
    });

    test.each([
      ['task', () => `${work.slug}-bg`],
      ['slug', () => work.slug],
      ['address', () => `${work.slug}@max`],
    ])('whose handler is stale warn the sender, named by %s', async (_how, handler) => {
      await work.max.workerBeats('bg', [handler()]);
      expect(await work.push()).toMatchObject({ delivery_warning: null, recipient_lease_age_sec: 0 });
      await clock.advance(120_000);
      expect(await work.max.send(work.slug, { delivery_mode: 'bg' })).toMatchObject({
        delivery_route: 'background_direct',
        delivery_warning: 'bg_handler_stale',
        proven_stage_reason: 'bg_handler_stale',
        recipient_lease_age_sec: 120,
      });
      expect(await work.max.send(work.slug)).toMatchObject({ delivery_route: 'inbox_fallback' });
    });
  });
});
