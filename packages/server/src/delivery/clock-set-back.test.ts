import type { ExecutionAnswer } from '@parley/protocol/delivery/types';
import { describe, expect, test } from 'vitest';
import { idle } from '../platform/jobs/testing/job-harness.ts';
import { SseReader } from '../testing/sse-reader.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { expectStatus } from './testing/agent-client.ts';
import { webhookScenes } from './webhooks/testing/scene.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const steps = ({ routing_trace: trace }: ExecutionAnswer, name: string): string[] =>
  trace.filter(({ step }) => step === name).map(({ result }) => result);

/**
 * Times that were told (a deadline, a lease, the next attempt, the end of a message) are times of day: they hold when the
 * clock is set back, so that what they stand for comes later by as much, and once. Nobody is shut out meanwhile.
 */
describeEachServer('delivery › a clock that is set back', (start) => {
  const scenes = webhookScenes(start);

  const scene = async () => {
    const parts = await scenes();
    const { owner } = parts;
    await owner.create({ slug: 'app', delivery_capabilities: ['live', 'bg', 'inbox'] });
    const status = async (id: string): Promise<string> => (await owner.execution(id)).status;
    return { ...parts, status };
  };

  describe('a live offer', () => {
    test('stays open until the deadline that was told, and lapses once', async () => {
      const { owner, clock, status } = await scene();
      await owner.attach('app', { task_name: 'app-live' });
      const { execution_id: id } = await owner.send('app', { delivery_mode: 'live' });
      const deadline = (await owner.execution(id)).live_claim_deadline_at;
      await clock.advance(20 * SECOND);
      clock.setBack(MINUTE);
      await clock.advance(69 * SECOND);
      expect(await owner.execution(id)).toMatchObject({
        status: 'pending',
        live_claim_deadline_at: deadline,
      });
      expect(await owner.claimable({ task: 'app-live' })).toHaveLength(1);
      await clock.advance(SECOND);
      await expect.poll(async () => (await owner.execution(id)).delivery_route).toBe('background_fallback');
      expect(steps(await owner.execution(id), 'live_window')).toHaveLength(1);
      // The same time of day comes a second time.
      clock.setBack(10 * SECOND);
      await clock.advance(20 * SECOND);
      expect(steps(await owner.execution(id), 'live_window')).toHaveLength(1);
      expect(await status(id)).toBe('pending');
    });

    test('lapses also when its time was looked at a moment before the clock was set back', async () => {
      const { owner, clock, server } = await scene();
      await owner.attach('app');
      const { execution_id: id } = await owner.send('app', { delivery_mode: 'live' });
      const { database, jobs } = server.context;
      // What a runner does that took the job just before: it begins, and finds the deadline ahead.
      await database.write(async (tx) => {
        await tx
          .kysely<{ jobs: { kind: string } }>()
          .deleteFrom('jobs')
          .where('kind', '=', 'delivery.lapse')
          .execute();
        await jobs.enqueue(tx, 'delivery.lapse', id);
      });
      await clock.advance(29 * SECOND);
      expect((await owner.execution(id)).delivery_route).toBe('live');
      await clock.advance(SECOND);
      await expect.poll(async () => (await owner.execution(id)).delivery_route).toBe('background_fallback');
    });
  });

  describe('work for a handler', () => {
    test('is still listed and claimed, by name or as the next', async () => {
      const { owner, clock } = await scene();
      const [first, second] = [await owner.send('app'), await owner.send('app')];
      clock.setBack(HOUR);
      expect(await owner.claimable({ task: 'app-bg' })).toHaveLength(2);
      expect((await owner.claim(first.execution_id)).status).toBe(200);
      const next = await owner.call('POST', '/v1/executions/claim', { body: { worker_id: 'w' } });
      expect(next).toMatchObject({ status: 200, body: { execution_id: second.execution_id } });
    });

    test('keeps its lease as it was told; a beat makes it the length it should have now', async () => {
      const { owner, clock, status } = await scene();
      const [silent, beating] = [await owner.send('app'), await owner.send('app')];
      for (const [worker, { execution_id: id }] of [silent, beating].entries())
        await owner.claim(id, `w${worker}`);
      clock.setBack(10 * MINUTE);
      const beat = await owner.call<{ lease_extended_until: string }>(
        'POST',
        `/v1/executions/${beating.execution_id}/heartbeat`,
      );
      const until = clock.now() + 15 * MINUTE;
      expect(expectStatus(200, beat).lease_extended_until).toBe(new Date(until).toISOString());
      await clock.advance(15 * MINUTE - SECOND);
      expect([await status(silent.execution_id), await status(beating.execution_id)]).toEqual([
        'delivering',
        'delivering',
      ]);
      await clock.advance(SECOND);
      await expect.poll(() => status(beating.execution_id)).toBe('pending');
      expect(await status(silent.execution_id)).toBe('delivering');
      await clock.advance(10 * MINUTE);
      await expect.poll(() => status(silent.execution_id)).toBe('pending');
      for (const { execution_id: id } of [silent, beating]) {
        const execution = await owner.execution(id);
        expect(steps(execution, 'claim')).toEqual(['claimed', 'lease_lost']);
        expect(execution.attempts).toBe(1);
      }
    });
  });

  describe('a webhook', () => {
    test('is tried again at the time that was told, once', async () => {
      const { sink, clock, owner, send, settled } = await scene();
      sink.answer = (_, before) => (before === 0 ? 503 : 204);
      const { id, execution_id: executionId } = await send();
      await settled(id, 'retry_ready');
      const told = Date.parse((await owner.execution(executionId)).next_retry ?? '');
      clock.setBack(10 * MINUTE);
      await clock.advance(told - clock.now() - SECOND);
      expect(sink.received).toHaveLength(1);
      await clock.advance(SECOND);
      await settled(id, 'delivered');
      clock.setBack(10 * MINUTE);
      await clock.advance(20 * MINUTE);
      expect(sink.received).toHaveLength(2);
      expect(await owner.execution(executionId)).toMatchObject({ status: 'success', attempts: 2 });
    });

    test('under way just then is neither lost nor sent twice', async () => {
      const { sink, clock, owner, send, settled } = await scene();
      const held: ((status: number) => void)[] = [];
      sink.answer = () => new Promise<number>((resolve) => held.push(resolve));
      const { id, execution_id: executionId } = await send();
      await sink.count(1);
      clock.setBack(HOUR);
      held[0]?.(204);
      await settled(id, 'delivered');
      await clock.advance(HOUR + 10 * MINUTE);
      expect(sink.received).toHaveLength(1);
      const { body } = await owner.call<{ attempts: unknown[] }>(
        'GET',
        `/v1/executions/${executionId}/attempts`,
      );
      expect(body.attempts).toMatchObject([{ attempt: 1, status: 204, error_type: null }]);
    });

    test('that comes afterwards goes out at once', async () => {
      const { sink, clock, send, settled } = await scene();
      await settled((await send()).id, 'delivered');
      clock.setBack(HOUR);
      await settled((await send()).id, 'delivered');
      expect(sink.received).toHaveLength(2);
    });
  });

  describe('a message', () => {
    test('set for a time is sent at that time, and not when it comes again', async () => {
      const { clock, owner, server } = await scene();
      const { api_key: key } = expectStatus(
        201,
        await owner.call<{ api_key: string }>('POST', '/v1/keys', { body: { agent: 'app' } }),
      );
      const stream = await SseReader.open(server, '/v1/agent/stream?include=messages', { key });
      await stream.event('stream.hello');
      const at = clock.now() + 10 * MINUTE;
      const sent = await owner.send('app', { delivery_mode: 'inbox', send_at: new Date(at).toISOString() });
      await clock.advance(5 * MINUTE);
      clock.setBack(5 * MINUTE);
      await clock.advance(10 * MINUTE - SECOND);
      expect((await owner.message(sent.id)).effective_delivery_mode).toBeNull();
      await clock.advance(SECOND);
      await stream.event('message.wake');
      const { queued_at: queuedAt } = await owner.message(sent.id);
      clock.setBack(MINUTE);
      await clock.advance(2 * MINUTE);
      expect((await owner.message(sent.id)).queued_at).toBe(queuedAt);
      const last = await owner.send('app', { delivery_mode: 'inbox' });
      await stream.until(({ text }) => text.includes(last.id));
      expect(stream.frames.filter(({ event }) => event === 'message.wake')).toHaveLength(2);
      stream.close();
    });

    test('ends at its time, also when the look for such was taken before', async () => {
      const { clock, owner, server } = await scene();
      const state = async (id: string): Promise<string> => (await owner.message(id)).state;
      const first = await owner.send('app', { delivery_mode: 'inbox', ttl_seconds: 60 });
      await clock.advance(62 * SECOND);
      await expect.poll(() => state(first.id)).toBe('expired');
      await idle(server.context.database);
      clock.setBack(62 * SECOND);
      const second = await owner.send('app', { delivery_mode: 'inbox', ttl_seconds: 60 });
      expect(second.expires_at).toBe(first.expires_at);
      await clock.advance(60 * SECOND);
      expect(await state(second.id)).toBe('queued');
      await clock.advance(2 * SECOND);
      await expect.poll(() => state(second.id)).toBe('expired');
    });

    test('that is over is removed after its seven days, and counted out once', async () => {
      const { clock, owner } = await scene();
      const { id } = await owner.send('app', { delivery_mode: 'inbox' });
      await owner.mark(id, 'ack');
      clock.setBack(DAY);
      await clock.leap(7 * DAY);
      expect((await owner.message(id)).state).toBe('acked');
      await clock.leap(DAY + 2 * MINUTE);
      await expect.poll(async () => (await owner.call('GET', `/v1/messages/${id}`)).status).toBe(404);
      clock.setBack(DAY);
      await clock.leap(2 * DAY);
      expect(await owner.inbox('app', { state: 'acked' })).toMatchObject({ total: 0, messages: [] });
      expect((await owner.executions()).total).toBe(0);
    });

    test('is stored once under its key', async () => {
      const { clock, owner } = await scene();
      const body = { to: 'app', body: 'hello' };
      const first = await owner.trySend(body, { 'Idempotency-Key': 'k' });
      clock.setBack(HOUR);
      const again = await owner.trySend(body, { 'Idempotency-Key': 'k' });
      expect([first.status, again.status, again.body.id]).toEqual([201, 200, first.body.id]);
    });
  });

  describe('signs of life', () => {
    test('are never from the future, and those that come count from now', async () => {
      const { clock, owner } = await scene();
      await owner.attach('app');
      await owner.workerBeats('w', ['app-bg']);
      clock.setBack(HOUR);
      const [attached] = (
        await owner.call<{ heartbeat_age_sec: number; fresh: boolean }[]>(
          'GET',
          '/v1/agents/app/live-sessions',
        )
      ).body;
      expect(attached).toMatchObject({ heartbeat_age_sec: 0, fresh: true });
      expect((await owner.call('GET', '/v1/workers')).body).toMatchObject({
        workers: [{ seconds_since_heartbeat: 0, heartbeat_status: 'active' }],
      });
      await owner.session('POST', 'app', 'main/heartbeat');
      await owner.workerBeats('w');
      await clock.advance(2 * MINUTE);
      expect((await owner.send('app', { delivery_mode: 'live' })).effective_delivery_mode).toBe('bg');
      expect((await owner.send('app', { delivery_mode: 'bg' })).delivery_warning).toBe('bg_handler_stale');
      await clock.leap(HOUR + 15 * MINUTE);
      await expect.poll(async () => (await owner.read('app')).body.live_attached).toBe(false);
    });
  });
});
