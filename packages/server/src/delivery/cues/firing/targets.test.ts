import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../../testing/each-server.ts';
import { WebhookSink } from '../../../testing/webhook-sink.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const YEARLY = { type: 'recurring', cron: '@yearly' };

describeEachServer('cues › whom they are for', (start) => {
  let sink: WebhookSink;
  beforeAll(async () => {
    sink = await new WebhookSink().listen();
  });
  afterAll(() => sink.close());
  const scene = new CueScene(start, { callbackAllow: ['127.0.0.1'] });
  let agents = 0;
  let slug = '';
  beforeEach(() => {
    slug = `agent-${++agents}`;
  });

  const fired = async (cue: object, fire: object = {}) => {
    const { id } = await scene.max.cue({ schedule: YEARLY, ...cue });
    const { execution_id: run } = await scene.max.fire(id, fire);
    return await scene.max.execution(run);
  };
  const live = { delivery_capabilities: ['live', 'bg', 'inbox'] };

  test('all three forms of address name the agent', async () => {
    const { id } = await scene.max.create({ slug, delivery_capabilities: ['bg', 'inbox'] });
    for (const agent of [slug, `${slug}@${scene.max.owner.slug}`, id, id.replace('agent_', 'agt_')]) {
      expect(await fired({ agent })).toMatchObject({
        agent_id: id,
        effective_delivery_mode: 'bg',
        delivery_route: 'background_direct',
        delivery_mode: 'auto',
      });
      expect(await fired({ payload: { agent } })).toMatchObject({ agent_id: id });
    }
    const offered = await scene.max.claimable({ agent: slug, task: `${slug}-bg` });
    expect(offered).toHaveLength(8);
  });

  test('a task names one when the fire asks for a way to it', async () => {
    const { id } = await scene.max.create({ slug, ...live });
    const task = `${scene.max.owner.slug}-${slug}-main-live`;
    expect(await fired({ payload: { task } })).toMatchObject({
      agent_id: null,
      effective_delivery_mode: 'bg',
    });
    expect(await fired({ payload: { task }, delivery_mode: 'inbox' })).toMatchObject({
      agent_id: id,
      effective_delivery_mode: 'inbox',
    });
    expect(await fired({ payload: { task } }, { delivery_mode: 'bg' })).toMatchObject({ agent_id: id });
    const unknown = { payload: { task: 'nobody-live' }, delivery_mode: 'live' };
    expect(await fired(unknown)).toMatchObject({ agent_id: null, delivery_route: 'background_direct' });
    expect(await fired({ payload: { agent: 'nobody' } })).toMatchObject({ agent_id: null });
  });

  test('another owner’s agent is as good as none', async () => {
    const eve = await scene.max.people.owner('eve-cues@example.com');
    const answer = await scene.max.people.call('POST', '/v1/cues', {
      key: eve.key,
      body: { name: 'x', cron: '@daily', agent: `${slug}@${scene.max.owner.slug}` },
    });
    await scene.max.create({ slug });
    expect(answer.status).toBe(404);
  });

  test('live: offered to the session, claimed and attested', async () => {
    await scene.max.create({ slug, ...live });
    await scene.max.attach(slug, { session_token: 'T', task_name: `${slug}-t` });
    const run = await fired({ agent: slug, delivery_mode: 'live' });
    expect(run).toMatchObject({
      effective_delivery_mode: 'live',
      delivery_route: 'live',
      live_claim_deadline_at: expect.any(String),
    });
    expect(run.routing_trace[0]).toMatchObject({ step: 'loop_guard', result: 'reset', reason: 'cue' });
    expect(run.cue_id).toMatch(/^cue_/);
    const claim = await scene.max.liveClaim(run.id, { session_token: 'T' });
    expect(claim.body).toMatchObject({ attested: true, label: 'main' });
    await scene.max.outcome(run.id, { success: true, executed_via: 'live' });
    expect(await scene.max.execution(run.id)).toMatchObject({
      status: 'success',
      executed_via: 'live',
      cue_id: run.cue_id,
    });
  });

  test('live and unclaimed: to the background, to the inbox, or missed', async () => {
    await scene.max.create({ slug, ...live });
    await scene.max.create({ slug: `${slug}-box`, delivery_capabilities: ['live', 'inbox'] });
    await scene.max.attach(slug);
    await scene.max.attach(`${slug}-box`);
    const bg = await fired({ agent: slug, delivery_mode: 'live' });
    const box = await fired({ agent: `${slug}-box`, delivery_mode: 'live', payload: { message: 'hi' } });
    const none = await fired({ agent: slug, delivery_mode: 'live', live_fallback_mode: 'none' });
    const alias = await fired({ payload: { agent: slug, routing: 'live' } });
    expect(alias).toMatchObject({ delivery_mode: 'live', live_fallback_mode: 'none' });
    await scene.later(30_000);
    await expect
      .poll(() => scene.max.execution(bg.id))
      .toMatchObject({
        delivery_route: 'background_fallback',
        cue_id: bg.cue_id,
        status: 'pending',
      });
    await expect
      .poll(() => scene.max.execution(box.id))
      .toMatchObject({
        delivery_route: 'inbox_fallback',
        message_id: expect.stringMatching(/^msg_/),
      });
    for (const { id } of [none, alias]) {
      await expect
        .poll(() => scene.max.execution(id))
        .toMatchObject({
          status: 'missed',
          outcome_state: 'live_unclaimed_no_fallback',
          live_unclaimed_reason: 'claim_window_elapsed',
        });
    }
    const { messages } = await scene.max.inbox(`${slug}-box`);
    expect(messages).toMatchObject([{ body: 'hi', metadata: { kind: 'cue', cue_id: box.cue_id } }]);
    expect((await scene.max.mark(messages[0]?.id ?? '', 'ack')).status).toBe(200);
    expect((await scene.max.execution(box.id)).status).toBe('success');
  });

  test('live only: held for a session, for a day', async () => {
    await scene.max.create({ slug, ...live });
    const wanted = { agent: slug, delivery_mode: 'live', live_fallback_mode: 'live_only' };
    const taken = await fired(wanted);
    const over = await fired(wanted);
    expect(taken).toMatchObject({ effective_delivery_mode: 'live', status: 'pending' });
    await scene.max.attach(slug, { session_token: 'T' });
    expect((await scene.max.liveClaim(taken.id, { session_token: 'T' })).body.attested).toBe(true);
    await scene.clock.leap(24 * 3_600_000);
    await scene.later(0);
    await expect
      .poll(() => scene.max.execution(over.id))
      .toMatchObject({
        status: 'missed',
        outcome_state: 'live_unclaimed_expired',
      });
  });

  test('by the webhook of the agent', async () => {
    await scene.max.create({ slug, webhook_url: sink.url() });
    const run = await fired({ agent: slug, delivery_mode: 'webhook', payload: { a: 1 } });
    expect(run).toMatchObject({ effective_delivery_mode: 'webhook', delivery_route: 'webhook_direct' });
    await expect.poll(() => scene.max.execution(run.id)).toMatchObject({ status: 'success' });
    const hook = sink.received.find(({ body }) => body.execution_id === run.id);
    expect(hook?.body).toMatchObject({ cue_id: run.cue_id, payload: { a: 1 } });
  });

  test('the live sibling of a background agent', async () => {
    const parent = await scene.max.create({ slug, delivery_capabilities: ['bg', 'inbox'] });
    const child = await scene.max.create({
      slug: `${slug}-live`,
      parent_agent_id: parent.id,
      delivery_capabilities: ['live', 'inbox'],
    });
    const run = await fired({ agent: child.slug, delivery_mode: 'live' });
    expect(run).toMatchObject({ agent_id: parent.id, delivery_route: 'background_fallback' });
    expect(await scene.max.claimable({ agent: child.slug })).toMatchObject([{ execution_id: run.id }]);
  });

  test('an agent that is gone', async () => {
    await scene.max.create({ slug });
    const cue = await scene.max.cue({ schedule: YEARLY, agent: slug });
    await scene.max.call('DELETE', `/v1/agents/${slug}`);
    const { execution_id: id } = await scene.max.fire(cue.id);
    expect(await scene.max.execution(id)).toMatchObject({ status: 'failed', error_message: 'agent_deleted' });
  });

  test('a session for a cue without an agent attests with its token', async () => {
    await scene.max.create({ slug });
    const cue = await scene.max.cue({ schedule: YEARLY, payload: { task: `${slug}-task` } });
    await scene.max.attach(slug, { session_token: 'T', task_name: `${slug}-task` });
    const { execution_id: run } = await scene.max.fire(cue.id);
    expect((await scene.max.liveClaim(run, { session_token: 'wrong' })).body.attested).toBe(false);
    expect((await scene.max.liveClaim(run, { session_token: 'T' })).body.attested).toBe(true);
    // The session falls silent: any worker may have it.
    await scene.clock.leap(1_100_000);
    const again = { status: 'pending', delivery_route: 'background_direct', claimed_by_worker: null };
    await expect.poll(() => scene.max.execution(run)).toMatchObject(again);
    expect((await scene.max.claim(run)).status).toBe(200);
  });

  describe('a key for one agent', () => {
    test('makes and sees cues of its own and of nobody', async () => {
      await scene.max.create({ slug });
      const other = await scene.max.cue({ schedule: YEARLY, agent: slug });
      const mine = await scene.max.create({ slug: `${slug}-mine` });
      const made = await scene.max.call<{ api_key: string }>('POST', '/v1/keys', {
        body: { agent: mine.slug },
      });
      const key = made.body.api_key;
      const call = (method: string, path: string, body?: object) =>
        scene.max.people.call<{ id: string; total: number; cues: { id: string }[] }>(method, path, {
          key,
          ...(body && { body }),
        });
      const own = await call('POST', '/v1/cues', { name: `${slug} own`, cron: '@daily', agent: mine.slug });
      expect(own.status).toBe(201);
      const foreign = await call('POST', '/v1/cues', { name: `${slug} x`, cron: '@daily', agent: slug });
      expect(foreign.status).toBe(403);
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/fire'],
        ['GET', '/next'],
      ] as const) {
        expect((await call(method, `/v1/cues/${other.id}${path}`)).status).toBe(403);
      }
      const { cues } = (await call('GET', '/v1/cues?limit=100')).body;
      expect(cues.map(({ id }) => id)).toContain(own.body.id);
      expect(cues.map(({ id }) => id)).not.toContain(other.id);
    });
  });
});
