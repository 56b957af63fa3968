import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../../testing/each-server.ts';
import { WebhookSink } from '../../../testing/webhook-sink.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const MINUTE = 60_000;

describeEachServer('cues › firing', (start) => {
  let sink: WebhookSink;
  beforeAll(async () => {
    sink = await new WebhookSink().listen();
  });
  afterAll(() => sink.close());
  const scene = new CueScene(start, { callbackAllow: ['127.0.0.1', 'localhost', '::1'] });

  test('a recurring cue fires each time once, and workers fetch it', async () => {
    const { max } = scene;
    const cue = await max.cue({ payload: { task: 'tidy', n: 1 } });
    expect(cue).toMatchObject({ status: 'active', next_run: '2026-06-01T09:01:00.000Z', fired_count: 0 });
    for (const minute of [1, 2, 3]) {
      await scene.later(MINUTE);
      await scene.runsOf(cue, minute);
    }
    const runs = await scene.runsOf(cue, 3);
    expect(runs.map(({ scheduled_for: at }) => at)).toEqual([
      '2026-06-01T09:01:00.000Z',
      '2026-06-01T09:02:00.000Z',
      '2026-06-01T09:03:00.000Z',
    ]);
    expect(runs[0]).toMatchObject({
      source: 'cue',
      cue_id: cue.id,
      triggered_by: 'scheduled',
      status: 'pending',
      effective_delivery_mode: 'bg',
      delivery_route: 'background_direct',
      payload: { task: 'tidy', n: 1 },
    });
    const offered = await max.claimable({ task: 'tidy' });
    expect(offered.map(({ execution_id: id }) => id)).toEqual(runs.map(({ id }) => id));
    expect(offered[0]).toMatchObject({ cue_name: cue.name, attempt: 1, agent_id: null });
    const [first] = runs;
    expect((await max.claim(first?.id ?? '')).body.payload).toEqual({ task: 'tidy', n: 1 });
    await max.outcome(first?.id ?? '', { success: true });
    expect(await max.readCue(cue.id)).toMatchObject({
      fired_count: 3,
      run_count: 1,
      next_run: '2026-06-01T09:04:00.000Z',
      execution_total: 3,
    });
    await max.patchCue(cue.id, { status: 'paused' });
  });

  test('a single time is completed by its success', async () => {
    const { max } = scene;
    const at = new Date(scene.clock.now() + MINUTE).toISOString();
    const cue = await max.cue({ schedule: { type: 'once', at } });
    await scene.later(MINUTE);
    const [run] = await scene.runsOf(cue, 1);
    expect(await max.readCue(cue.id)).toMatchObject({ status: 'active', next_run: null });
    await max.claim(run?.id ?? '');
    await max.outcome(run?.id ?? '', { success: true });
    expect(await max.readCue(cue.id)).toMatchObject({ status: 'completed', last_run: expect.any(String) });
  });

  test('a callback is posted with what was scheduled', async () => {
    const { max } = scene;
    const cue = await max.cue({ transport: 'webhook', callback: { url: sink.url() }, payload: { a: 1 } });
    await scene.later(MINUTE);
    const run = await scene.runIn(cue, 'success');
    expect(run).toMatchObject({ effective_delivery_mode: 'webhook', http_status: 204, attempts: 1 });
    const [posted] = sink.received.filter(({ body }) => body.cue_id === cue.id);
    expect(posted?.body).toEqual({
      execution_id: run.id,
      cue_id: cue.id,
      name: cue.name,
      scheduled_for: run.scheduled_for,
      attempt: 1,
      payload: { a: 1 },
    });
    await max.patchCue(cue.id, { status: 'paused' });
  });

  test('a callback is called with the method of the cue', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'POST']) {
      const cue = await scene.max.cue({
        transport: 'webhook',
        callback: { url: sink.url(`/${method}`), method },
      });
      await scene.max.patchCue(cue.id, { status: 'paused' });
      await scene.max.fire(cue.id);
      expect(await scene.runIn(cue, 'success')).toMatchObject({ http_status: 204 });
      const [called] = sink.received.filter(({ path }) => path === `/${method}`);
      expect(called?.method).toBe(method);
    }
  });

  test('a fire for an agent is routed as a message is, and ends in its inbox', async () => {
    const { max } = scene;
    await max.create({ slug: 'box' });
    const cue = await max.cue({ agent: 'box', payload: { message: 'wake up' } });
    await scene.later(MINUTE);
    const [run] = await scene.runsOf(cue, 1);
    expect(run).toMatchObject({
      effective_delivery_mode: 'inbox',
      delivery_route: 'inbox_direct',
      status: 'pending',
      message_id: expect.stringMatching(/^msg_/),
    });
    const { messages } = await max.inbox('box');
    expect(messages).toMatchObject([{ body: 'wake up', from: { slug: expect.stringMatching(/^self@/) } }]);
    expect(await scene.runIn(cue, 'success')).toMatchObject({ id: run?.id });
    await max.patchCue(cue.id, { status: 'paused' });
  });

  describe('by hand', () => {
    test('fires now', async () => {
      const cue = await scene.max.cue();
      expect(await scene.max.fire(cue.id, { payload_override: { x: 1 } })).toMatchObject({
        cue_id: cue.id,
        status: 'pending',
        triggered_by: 'manual_fire',
        effective_delivery_mode: 'bg',
        delivery_route: 'background_direct',
      });
      await scene.max.patchCue(cue.id, { status: 'paused' });
    });
  });
});
