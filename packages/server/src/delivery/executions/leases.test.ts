import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { WorkScene } from '../testing/work-scene.ts';

const MINUTE = 60_000;

describeEachServer('execution › lease', (start) => {
  const work = new WorkScene(start);
  const { clock } = work;

  const beat = (id: string, worker?: string) =>
    work.max.call('POST', `/v1/executions/${id}/heartbeat`, {
      headers: worker === undefined ? {} : { 'X-Worker-Id': worker },
    });

  describe('lease', () => {
    test('a heartbeat extends it, by whoever holds it or says nothing', async () => {
      const { execution_id: id } = await work.push();
      expect(await beat(id)).toMatchObject({
        status: 409,
        body: { error: { code: 'execution_not_claiming' } },
      });
      await work.max.claim(id, 'w1');
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
      await work.later(14 * MINUTE);
      expect((await work.max.execution(id)).status).toBe('delivering');
    });

    test('over, with no beat of the worker: back to pending for somebody else', async () => {
      const sent = await work.push();
      await work.max.claim(sent.execution_id, 'w1');
      await work.later(15 * MINUTE);
      await expect
        .poll(() => work.max.execution(sent.execution_id))
        .toMatchObject({
          status: 'pending',
          claimed_by_worker: null,
          claimed_at: null,
          lease_expires_at: null,
          attempts: 1,
          error_message: 'Reset: worker heartbeat stale and claim lease expired',
        });
      expect((await work.max.message(sent.id)).state).toBe('queued');
      expect(await work.max.claimable({ agent: work.slug })).toMatchObject([{ attempt: 2 }]);
      expect((await work.max.claim(sent.execution_id, 'w2')).status).toBe(200);
    });

    test('over, but the worker beats: it keeps its work until 180 seconds after the last beat', async () => {
      const { execution_id: id } = await work.push();
      await work.max.claim(id, 'w-beats');
      await clock.advance(14 * MINUTE);
      await work.max.workerBeats('w-beats');
      await work.later(2 * MINUTE);
      expect((await work.max.execution(id)).status).toBe('delivering');
      await work.later(MINUTE);
      await expect.poll(() => work.max.execution(id)).toMatchObject({ status: 'pending' });
    });

    test('a late outcome of the first worker is accepted while there is no other', async () => {
      const { execution_id: id } = await work.push();
      await work.max.claim(id, 'w1');
      await work.later(15 * MINUTE);
      await expect.poll(() => work.max.execution(id)).toMatchObject({ status: 'pending' });
      await work.max.claim(id, 'w2');
      expect((await work.max.outcome(id, { success: true, result: 'by w1' })).status).toBe(200);
      expect(await work.max.outcome(id, { success: true })).toMatchObject({ status: 409 });
    });

    test.each([
      ['bg', 'none', { effective_delivery_mode: 'bg', delivery_route: 'background_direct' }],
      ['bg', 'live_only', { effective_delivery_mode: 'bg', delivery_route: 'background_direct' }],
      ['inbox', 'none', { effective_delivery_mode: 'inbox', delivery_route: 'inbox_direct' }],
    ])(
      'a live session that dies with what it took over from %s (%s): it goes back there',
      async (mode, fallback, to) => {
        await work.max.patch(work.slug, { delivery_capabilities: ['live', 'bg', 'inbox'] });
        await work.max.attach(work.slug, { session_token: 'A' });
        const sent = await work.max.send(work.slug, { delivery_mode: mode, live_fallback_mode: fallback });
        const { execution_id: id } = sent;
        await work.max.liveClaim(id, { session_token: 'A' });
        await work.later(16 * MINUTE);
        await expect
          .poll(() => work.max.execution(id))
          .toMatchObject({ status: 'pending', claimed_by_worker: null, live_claimed_at: null, ...to });
        expect((await work.max.message(sent.id)).state).toBe('queued');
      },
    );

    test('a live session that dies with its work: it goes to the background', async () => {
      await work.max.patch(work.slug, { delivery_capabilities: ['live', 'bg', 'inbox'] });
      await work.max.attach(work.slug, { session_token: 'A' });
      const { execution_id: id } = await work.max.send(work.slug, { delivery_mode: 'live' });
      await work.max.liveClaim(id, { session_token: 'A' });
      await work.later(16 * MINUTE);
      await expect
        .poll(() => work.max.execution(id))
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
      const sent = await work.push();
      await work.later(15 * MINUTE - 1);
      expect((await work.max.execution(sent.execution_id)).status).toBe('pending');
      await work.later(1);
      await expect
        .poll(() => work.max.execution(sent.execution_id))
        .toMatchObject({
          status: 'missed',
          error_message: 'No worker claimed this execution within timeout window',
        });
      expect(await work.max.message(sent.id)).toMatchObject({
        state: 'queued',
        effective_delivery_mode: 'inbox',
        delivery_route: 'inbox_fallback',
        proven_stage_reason: 'awaiting_fetch',
      });
      expect((await work.max.inbox(work.slug)).messages[0]).toMatchObject({ delivery_state: 'delivered' });
    });

    test('counts from when it is due, and anew after a lost lease', async () => {
      const due = await work.max.send(work.slug, {
        send_at: new Date(clock.now() + 20 * MINUTE).toISOString(),
      });
      await work.later(20 * MINUTE);
      await expect.poll(() => work.claimable({ agent: work.slug })).toEqual([due.execution_id]);
      await work.max.claim(due.execution_id);
      await work.later(16 * MINUTE);
      await expect.poll(() => work.max.execution(due.execution_id)).toMatchObject({ status: 'pending' });
      await work.later(10 * MINUTE);
      expect((await work.max.execution(due.execution_id)).status).toBe('pending');
      await work.later(6 * MINUTE);
      await expect.poll(() => work.max.execution(due.execution_id)).toMatchObject({ status: 'missed' });
    });
  });
});
