import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { MessageClient } from '../testing/message-client.ts';

const MINUTE = 60_000;

describeEachServer('execution › lease', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: MessageClient;
  let slug: string;
  let count = 0;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    max = await MessageClient.register(server, 'max@example.com');
  });

  beforeEach(async () => {
    slug = `hand-${++count}`;
    await max.create({ slug, delivery_capabilities: ['bg', 'inbox'] });
  });

  const push = async (body = 'work') => {
    await clock.advance(1);
    return await max.send(slug, { body });
  };
  const ids = async (query: Record<string, string | number>) =>
    (await max.claimable(query)).map(({ execution_id: id }) => id);
  const beat = (id: string, worker?: string) =>
    max.call('POST', `/v1/executions/${id}/heartbeat`, {
      headers: worker === undefined ? {} : { 'X-Worker-Id': worker },
    });
  const later = async (ms: number) => {
    await clock.advance(ms);
    await clock.advance(0);
  };

  describe('lease', () => {
    test('a heartbeat extends it, by whoever holds it or says nothing', async () => {
      const { execution_id: id } = await push();
      expect(await beat(id)).toMatchObject({
        status: 409,
        body: { error: { code: 'execution_not_claiming' } },
      });
      await max.claim(id, 'w1');
      await clock.advance(10 * MINUTE);
      const until = new Date(clock.now() + 900_000).toISOString();
      expect((await beat(id, 'w1')).body).toEqual({
        execution_id: id,
        lease_extended_until: until,
        acknowledged: true,
      });
      expect((await beat(id)).status).toBe(200);
      expect(await beat(id, 'w2')).toMatchObject({
        status: 403,
        body: { error: { code: 'not_execution_owner' } },
      });
      await later(14 * MINUTE);
      expect((await max.execution(id)).status).toBe('delivering');
    });

    test('over, with no beat of the worker: back to pending for somebody else', async () => {
      const sent = await push();
      await max.claim(sent.execution_id, 'w1');
      await later(15 * MINUTE);
      await expect
        .poll(() => max.execution(sent.execution_id))
        .toMatchObject({
          status: 'pending',
          claimed_by_worker: null,
          claimed_at: null,
          lease_expires_at: null,
          attempts: 1,
          error_message: 'Reset: worker heartbeat stale and claim lease expired',
        });
      expect((await max.message(sent.id)).state).toBe('queued');
      expect(await max.claimable({ agent: slug })).toMatchObject([{ attempt: 2 }]);
      expect((await max.claim(sent.execution_id, 'w2')).status).toBe(200);
    });

    test('over, but the worker beats: it keeps its work until 180 seconds after the last beat', async () => {
      const { execution_id: id } = await push();
      await max.claim(id, 'w-beats');
      await clock.advance(14 * MINUTE);
      await max.workerBeats('w-beats');
      await later(2 * MINUTE);
      expect((await max.execution(id)).status).toBe('delivering');
      await later(MINUTE);
      await expect.poll(() => max.execution(id)).toMatchObject({ status: 'pending' });
    });

    test('a late outcome of the first worker is accepted while there is no other', async () => {
      const { execution_id: id } = await push();
      await max.claim(id, 'w1');
      await later(15 * MINUTE);
      await expect.poll(() => max.execution(id)).toMatchObject({ status: 'pending' });
      await max.claim(id, 'w2');
      expect((await max.outcome(id, { success: true, result: 'by w1' })).status).toBe(200);
      expect(await max.outcome(id, { success: true })).toMatchObject({ status: 409 });
    });

    test('a live session that dies with its work: it goes to the background', async () => {
      await max.patch(slug, { delivery_capabilities: ['live', 'bg', 'inbox'] });
      await max.attach(slug, { session_token: 'A' });
      const { execution_id: id } = await max.send(slug, { delivery_mode: 'live' });
      await max.liveClaim(id, { session_token: 'A' });
      await later(16 * MINUTE);
      await expect
        .poll(() => max.execution(id))
        .toMatchObject({
          status: 'pending',
          effective_delivery_mode: 'bg',
          delivery_route: 'background_fallback',
          live_claimed_at: null,
        });
    });
  });

  describe('unclaimed', () => {
    test('for 900 seconds: missed, and the message waits in the inbox', async () => {
      const sent = await push();
      await later(15 * MINUTE - 1);
      expect((await max.execution(sent.execution_id)).status).toBe('pending');
      await later(1);
      await expect
        .poll(() => max.execution(sent.execution_id))
        .toMatchObject({
          status: 'missed',
          error_message: 'No worker claimed this execution within timeout window',
        });
      expect(await max.message(sent.id)).toMatchObject({
        state: 'queued',
        effective_delivery_mode: 'inbox',
        delivery_route: 'inbox_fallback',
        proven_stage_reason: 'awaiting_fetch',
      });
      expect((await max.inbox(slug)).messages[0]).toMatchObject({ delivery_state: 'delivered' });
    });

    test('counts from when it is due, and anew after a lost lease', async () => {
      const due = await max.send(slug, { send_at: new Date(clock.now() + 20 * MINUTE).toISOString() });
      await later(20 * MINUTE);
      await expect.poll(() => ids({ agent: slug })).toEqual([due.execution_id]);
      await max.claim(due.execution_id);
      await later(16 * MINUTE);
      await expect.poll(() => max.execution(due.execution_id)).toMatchObject({ status: 'pending' });
      await later(10 * MINUTE);
      expect((await max.execution(due.execution_id)).status).toBe('pending');
      await later(6 * MINUTE);
      await expect.poll(() => max.execution(due.execution_id)).toMatchObject({ status: 'missed' });
    });
  });
});
