import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { MessageClient } from '../testing/message-client.ts';

const TOKEN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const TASK = 'max-cue-mac-app-main-live';

/** The example of the requirement: a teammate's session is asked for an answer now. */
describeEachServer('a quick question to a live session', (start) => {
  const clock = new FakeClock();
  let max: MessageClient;
  let eve: MessageClient;

  beforeAll(async () => {
    const server = await start({ clock, rateLimits: false });
    max = await MessageClient.register(server, 'max@example.com');
    eve = await MessageClient.register(server, 'eve@example.com');
    await max.create({
      slug: 'cue-mac-app',
      delivery_capabilities: ['live', 'bg', 'inbox'],
      preferred_contact: 'live',
    });
  });

  beforeEach(async () => {
    await max.session('DELETE', 'cue-mac-app', 'main');
  });

  const attach = () => max.attach('cue-mac-app', { task_name: TASK, session_token: TOKEN, is_default: true });
  const ask = (more: object = {}) =>
    eve.send('cue-mac-app@max', {
      body: undefined,
      delivery_mode: 'live',
      live_fallback_mode: 'background',
      subject: 'Quick question',
      message: 'Can you check the staging promotion workflow?',
      ...more,
    });
  const steps = async (id: string) =>
    (await max.execution(id)).routing_trace.map(({ step, result, reason }) => [step, result, reason]);

  describe('fresh', () => {
    beforeEach(attach);

    test('is offered to the monitor, claimed with its token, and its outcome is live', async () => {
      const sent = await ask();
      expect(sent).toMatchObject({
        effective_delivery_mode: 'live',
        delivery_route: 'live',
        delivery_state: 'queued',
        proven_stage: 'offered',
        proven_stage_reason: 'awaiting_live_claim',
        recipient_lease_age_sec: 0,
        delivery_warning: null,
        from: { slug: 'self@eve' },
        to: 'cue-mac-app@max',
      });
      const [offer] = await max.claimable({ task: TASK });
      expect(offer).toMatchObject({
        execution_id: sent.execution_id,
        task: TASK,
        attempt: 1,
        live_claim_deadline_at: new Date(clock.now() + 30_000).toISOString(),
        payload: {
          kind: 'message',
          agent: 'cue-mac-app@max',
          subject: 'Quick question',
          message: 'Can you check the staging promotion workflow?',
          from: { slug: 'self@eve' },
        },
      });
      expect(await max.claimable()).toEqual([]);
      const claim = await max.liveClaim(sent.execution_id, {
        session_token: TOKEN,
        exec_id: sent.execution_id,
      });
      expect(claim).toMatchObject({
        status: 200,
        body: { attested: true, label: 'main', attestation: 'token', reason: null },
      });
      expect(await eve.message(sent.id)).toMatchObject({
        delivery_state: 'claimed',
        proven_stage: 'claimed',
      });
      const recorded = await max.outcome(sent.execution_id, {
        success: true,
        executed_via: 'live',
        result: 'done',
      });
      expect(recorded).toMatchObject({
        status: 200,
        body: {
          executed_via: 'live',
          delivery_route: 'live',
          outcome_state: 'reported_success',
          reason: null,
        },
      });
      expect(await eve.message(sent.id)).toMatchObject({
        effective_delivery_mode: 'live',
        delivery_route: 'live',
        delivery_state: 'acked',
        proven_stage: 'acked',
        proven_stage_reason: null,
      });
      expect(await eve.execution(sent.execution_id)).toMatchObject({
        status: 'success',
        executed_via: 'live',
        claimed_by_worker: 'live:main',
        outcome: { success: true, result: 'done', executed_via: 'live' },
      });
    });

    test('an outcome that says live without an attestation is stored as live_unverified', async () => {
      const { execution_id: id } = await ask();
      expect(await max.liveClaim(id, { session_token: 'made-up' })).toMatchObject({
        status: 200,
        body: { attested: false, live_claimed_at: null, reason: 'token_mismatch' },
      });
      expect(await max.outcome(id, { success: true, executed_via: 'live' })).toMatchObject({
        body: {
          executed_via: 'live_unverified',
          delivery_route: 'live_unverified',
          reason: 'live_not_attested',
        },
      });
      expect((await max.execution(id)).outcome).toMatchObject({
        executed_via: 'live_unverified',
        executed_via_reported: 'live',
      });
    });

    test('nobody claims within 30 seconds: the same execution becomes a background push', async () => {
      const sent = await ask();
      await clock.advance(29_999);
      expect(await max.claimable({ task: TASK })).toHaveLength(1);
      await clock.advance(1);
      await expect
        .poll(() => eve.message(sent.id))
        .toMatchObject({
          effective_delivery_mode: 'bg',
          delivery_route: 'background_fallback',
          delivery_state: 'queued',
        });
      expect(await max.claimable({ task: TASK })).toEqual([]);
      const [push] = await max.claimable({ task: 'cue-mac-app-bg' });
      expect(push).toMatchObject({ execution_id: sent.execution_id, delivery_route: 'background_fallback' });
      expect(await steps(sent.execution_id)).toContainEqual([
        'live_window',
        'live_unclaimed_background_fallback',
        'claim_window_elapsed',
      ]);
      expect((await max.claim(sent.execution_id)).status).toBe(200);
      expect(await max.outcome(sent.execution_id, { success: true })).toMatchObject({
        body: { executed_via: 'background', delivery_route: 'background_fallback' },
      });
    });

    test('a live-claim after the lapse still wins while nobody has the background push', async () => {
      const sent = await ask();
      await clock.advance(30_000);
      await expect.poll(() => eve.message(sent.id)).toMatchObject({ effective_delivery_mode: 'bg' });
      expect(await max.liveClaim(sent.execution_id, { session_token: TOKEN })).toMatchObject({
        body: { attested: true },
      });
      expect(await eve.message(sent.id)).toMatchObject({
        effective_delivery_mode: 'live',
        delivery_route: 'live',
      });
      expect((await max.claim(sent.execution_id)).status).toBe(409);
    });

    test('but not once a background handler has it', async () => {
      const sent = await ask();
      await clock.advance(30_000);
      await expect.poll(() => eve.message(sent.id)).toMatchObject({ effective_delivery_mode: 'bg' });
      await max.claim(sent.execution_id);
      expect(await max.liveClaim(sent.execution_id, { session_token: TOKEN })).toMatchObject({
        status: 409,
        body: { error: { code: 'live_claim_window_closed' } },
      });
    });

    test('without a fallback an unclaimed offer is missed and its message fails', async () => {
      const sent = await ask({ live_fallback_mode: 'none' });
      await clock.advance(30_000);
      await expect
        .poll(() => eve.message(sent.id))
        .toMatchObject({
          delivery_state: 'failed',
          message_dispatch_error: 'live_unclaimed_no_fallback',
          effective_delivery_mode: 'live',
          proven_stage: 'offered',
          proven_stage_reason: 'claim_window_elapsed',
        });
      expect(await eve.execution(sent.execution_id)).toMatchObject({
        status: 'missed',
        outcome_state: 'live_unclaimed_no_fallback',
        outcome_success: false,
        live_unclaimed_reason: 'claim_window_elapsed',
        outcome: { success: false, error: 'live_unclaimed_no_fallback', recorded_by: 'server' },
      });
    });

    test('the session detaches: the offer falls back at once', async () => {
      const sent = await ask();
      await max.session('DELETE', 'cue-mac-app', 'main');
      expect(await eve.message(sent.id)).toMatchObject({ delivery_route: 'background_fallback' });
      expect(await steps(sent.execution_id)).toContainEqual([
        'live_window',
        'live_unclaimed_background_fallback',
        'session_detached',
      ]);
    });

    test('with Prefer: wait the answer carries who took it', async () => {
      const asked = eve.trySend(
        { to: 'cue-mac-app@max', delivery_mode: 'live', message: 'now?' },
        { prefer: 'wait=40' },
      );
      await expect.poll(() => max.claimable({ task: TASK })).toHaveLength(1);
      const [offer] = await max.claimable({ task: TASK });
      await max.liveClaim(offer?.execution_id ?? '', { session_token: TOKEN });
      const answer = await asked;
      expect(answer.headers['preference-applied']).toBe('wait=40');
      expect(answer).toMatchObject({
        status: 201,
        body: { delivery_state: 'claimed', delivery_route: 'live' },
      });
    });
  });

  describe('stale or gone', () => {
    test('a beat 120 seconds old is stale: a fresh subprocess takes it', async () => {
      await attach();
      await clock.advance(119_900);
      expect(await ask()).toMatchObject({ effective_delivery_mode: 'live', recipient_lease_age_sec: 119.9 });
      await clock.advance(100);
      const sent = await ask();
      expect(sent).toMatchObject({
        effective_delivery_mode: 'bg',
        delivery_route: 'background_fallback',
        proven_stage: 'offered',
        proven_stage_reason: 'awaiting_worker',
      });
      expect(await steps(sent.execution_id)).toContainEqual(['live', 'skipped', 'heartbeat_stale']);
    });

    test.each([
      [true, 'heartbeat_stale'],
      [false, 'no_session'],
    ])('without a fallback it is missed at once (attached: %s)', async (attached, reason) => {
      if (attached) await attach();
      await clock.advance(121_000);
      const sent = await ask({ live_fallback_mode: 'none' });
      expect(sent).toMatchObject({
        delivery_state: 'failed',
        message_dispatch_error: 'live_unclaimed_no_fallback',
        proven_stage: 'stored',
        proven_stage_reason: reason,
      });
      expect(await max.execution(sent.execution_id)).toMatchObject({
        status: 'missed',
        live_unclaimed_reason: reason,
        outcome: { error: 'live_unclaimed_no_fallback' },
      });
    });

    test('auto moves on to the background, whatever the fallback mode says', async () => {
      expect(await ask({ delivery_mode: 'auto', live_fallback_mode: 'none' })).toMatchObject({
        effective_delivery_mode: 'bg',
        delivery_route: 'background_fallback',
      });
    });

    test('live_only waits for a session and is offered to the next one', async () => {
      const sent = await ask({ live_fallback_mode: 'live_only' });
      expect(sent).toMatchObject({
        effective_delivery_mode: 'live',
        delivery_state: 'queued',
        proven_stage: 'stored',
        proven_stage_reason: 'waiting_for_live_session',
      });
      expect(await max.claimable({ mode: 'live' })).toEqual([]);
      await attach();
      expect(await max.claimable({ task: TASK })).toMatchObject([
        { execution_id: sent.execution_id, live_claim_deadline_at: null },
      ]);
      await max.session('DELETE', 'cue-mac-app', 'main');
      expect(await eve.message(sent.id)).toMatchObject({ proven_stage_reason: 'waiting_for_live_session' });
      await attach();
      expect(await max.liveClaim(sent.execution_id, { session_token: TOKEN })).toMatchObject({
        body: { attested: true },
      });
    });
  });
});
