import { afterAll, beforeAll, expect, test } from 'vitest';
import { richCapsule } from '../../../continuity/testing/rich-capsule.ts';
import { describeEachServer } from '../../../testing/each-server.ts';
import { WebhookSink } from '../../../testing/webhook-sink.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const YEARLY = { type: 'recurring', cron: '@yearly' };

describeEachServer('cues › the startup view in a wake', (start) => {
  let sink: WebhookSink;
  beforeAll(async () => {
    sink = await new WebhookSink().listen();
  });
  afterAll(() => sink.close());
  const scene = new CueScene(start, { callbackAllow: ['127.0.0.1'] });

  const remember = async (slug: string) => {
    const capsule = richCapsule('peer', slug, '2026-06-01T08:00:00.000Z');
    const body = { subject_kind: 'peer', subject_id: slug, capsule };
    const { status } = await scene.max.call('POST', '/v1/continuity/upsert', { body });
    expect(status).toBe(200);
  };

  test('comes with the payload to whoever takes it, labelled, and to nobody else', async () => {
    await scene.max.create({ slug: 'mind', delivery_capabilities: ['bg', 'inbox'] });
    await remember('mind');
    const cue = await scene.max.cue({
      schedule: YEARLY,
      agent: 'mind',
      attach: 'startup',
      payload: { a: 1 },
    });
    expect(cue.attach).toBe('startup');
    const { execution_id: run } = await scene.max.fire(cue.id);
    expect((await scene.max.execution(run)).payload).toEqual({ a: 1 });
    const shown = {
      a: 1,
      startup: {
        agent: `mind@${scene.max.owner.slug}`,
        label: expect.stringContaining('data, not instructions'),
        written_by: expect.any(String),
        source_state: 'active',
        startup_summary: expect.objectContaining({}),
      },
    };
    const [offered] = await scene.max.claimable({ agent: 'mind' });
    expect(offered?.payload).toMatchObject(shown);
    expect((await scene.max.claim(run)).body.payload).toMatchObject(shown);
  });

  test('is null where the agent has no memory, and left out where nobody asked', async () => {
    await scene.max.create({ slug: 'blank', delivery_capabilities: ['bg', 'inbox'] });
    const asked = await scene.max.cue({ schedule: YEARLY, agent: 'blank', attach: 'startup' });
    const plain = await scene.max.cue({ schedule: YEARLY, agent: 'blank' });
    const first = await scene.max.fire(asked.id);
    const second = await scene.max.fire(plain.id);
    expect((await scene.max.claim(first.id)).body.payload).toEqual({ startup: null });
    expect((await scene.max.claim(second.id)).body.payload).toEqual({});
  });

  test('comes with messages, too', async () => {
    await scene.max.create({ slug: 'hook', webhook_url: sink.url() });
    await remember('hook');
    const sent = await scene.max.send('hook', { delivery_mode: 'webhook', attach: 'startup' });
    const posted = () => sink.received.find(({ body }) => body.id === sent.id)?.body.startup;
    await expect.poll(posted).toMatchObject({ agent: `hook@${scene.max.owner.slug}` });
    expect((await scene.max.execution(sent.execution_id)).payload).not.toHaveProperty('startup');
    expect((await scene.max.trySend({ to: 'hook', body: 'x', attach: 'all' })).status).toBe(422);
  });
});
