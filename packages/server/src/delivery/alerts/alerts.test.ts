import type { AlertAnswer, AlertsAnswer } from '@parley/protocol/delivery/types';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { WebhookSink } from '../../testing/webhook-sink.ts';
import { CueClient } from '../testing/cue-client.ts';
import { CueScene } from '../testing/cue-scene.ts';
import { expectStatus } from '../testing/agent-client.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NEVER = { schedule: { type: 'recurring', cron: '0 0 1 1 *' } };

describeEachServer('alerts', (start) => {
  let sink: WebhookSink;
  beforeAll(async () => {
    sink = await new WebhookSink().listen();
  });
  afterAll(() => sink.close());
  const scene = new CueScene(start, { callbackAllow: ['127.0.0.1'] });

  const alerts = async (query: Record<string, string | number> = {}): Promise<AlertsAnswer> =>
    expectStatus(200, await scene.max.call<AlertsAnswer>('GET', '/v1/alerts', { query }));
  const typesOf = async (cueId: string): Promise<string[]> =>
    (await alerts({ cue_id: cueId })).alerts.map(({ alert_type: type }) => type);

  /** Fires a cue by hand and reports on it. */
  const run = async (cueId: string, outcome: object): Promise<string> => {
    const { execution_id: id } = await scene.max.fire(cueId);
    await scene.max.claim(id);
    expectStatus(200, await scene.max.outcome(id, outcome));
    await scene.later(1_000);
    return id;
  };

  test('three failures in a row are told, a success in between starts over', async () => {
    const cue = await scene.max.cue(NEVER);
    await run(cue.id, { success: false, error: 'first' });
    await run(cue.id, { success: false });
    await run(cue.id, { success: true });
    await run(cue.id, { success: false });
    await run(cue.id, { success: false });
    expect(await typesOf(cue.id)).toEqual([]);
    const last = await run(cue.id, { success: false, error: 'third' });
    const [alert] = (await alerts({ cue_id: cue.id })).alerts;
    expect(alert).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      cue_id: cue.id,
      execution_id: last,
      alert_type: 'consecutive_failures',
      severity: 'critical',
      message: `${cue.name}: 3 runs in a row failed`,
      metadata: { cue_name: cue.name, consecutive_failures: 3, last_error: 'third' },
      acknowledged: false,
      created_at: expect.any(String),
    });
    await run(cue.id, { success: false });
    expect(await typesOf(cue.id)).toHaveLength(1);
    await scene.later(5 * MINUTE);
    await run(cue.id, { success: false });
    expect(await typesOf(cue.id)).toHaveLength(2);
  });

  test('runs of the cue alone count, and no message of a session that names it', async () => {
    const eve = await CueClient.register(scene.server);
    const cue = await scene.max.cue({ ...NEVER, alerts: { consecutive_failures: 2 } });
    await eve.create({ slug: 'app', delivery_capabilities: ['live', 'inbox'] });
    await eve.attach('app', { cue_id: cue.id });
    await run(cue.id, { success: false });
    const sent = await eve.send('app', { delivery_mode: 'live' });
    expect(await eve.execution(sent.execution_id)).toMatchObject({ cue_id: cue.id, source: 'message' });
    expectStatus(200, await eve.outcome(sent.execution_id, { success: true }));
    await run(cue.id, { success: false });
    expect(await typesOf(cue.id)).toEqual(['consecutive_failures']);
  });

  test('a webhook that was delivered counts as failed when its outcome says so', async () => {
    sink.answer = () => ({ status: 200, text: '{"success": false, "error": "no"}' });
    const cue = await scene.max.cue({
      ...NEVER,
      transport: 'webhook',
      callback: { url: sink.url('/callback') },
      alerts: { consecutive_failures: 1 },
    });
    await scene.max.fire(cue.id);
    await expect.poll(() => typesOf(cue.id)).toEqual(['consecutive_failures']);
    sink.answer = () => 204;
  });

  test('an outcome that could not be verified', async () => {
    const cue = await scene.max.cue({ ...NEVER, verification: { mode: 'require_external_id' } });
    const id = await run(cue.id, { success: true });
    expect((await alerts({ cue_id: cue.id })).alerts).toMatchObject([
      { alert_type: 'verification_failed', execution_id: id, severity: 'warning' },
    ]);
    await scene.max.create({ slug: 'hand', delivery_capabilities: ['bg', 'inbox'] });
    const message = await scene.max.send('hand', {});
    await scene.max.claim(message.execution_id);
    await scene.max.outcome(message.execution_id, { success: true });
    const before = (await alerts({ alert_type: 'verification_failed' })).total;
    expectStatus(
      200,
      await scene.max.call('POST', `/v1/executions/${message.execution_id}/verify`, {
        body: { valid: false },
      }),
    );
    expect((await alerts({ alert_type: 'verification_failed' })).total).toBe(before + 1);
  });

  test('an outcome that did not come by its deadline, once', async () => {
    const cue = await scene.max.cue({
      ...NEVER,
      transport: 'webhook',
      callback: { url: sink.url('/silent') },
      delivery: { outcome_deadline_seconds: 60 },
    });
    const { execution_id: id } = await scene.max.fire(cue.id);
    await expect.poll(async () => (await scene.max.execution(id)).status).toBe('pending_outcome');
    await scene.later(61_000);
    await expect.poll(() => typesOf(cue.id)).toEqual(['outcome_timeout']);
    await scene.later(10 * MINUTE);
    expect(await typesOf(cue.id)).toEqual(['outcome_timeout']);
  });

  test('a live run that nobody took', async () => {
    await scene.max.create({ slug: 'living', delivery_capabilities: ['live', 'inbox'] });
    const cue = await scene.max.cue({
      ...NEVER,
      agent: 'living',
      delivery_mode: 'live',
      live_fallback_mode: 'none',
    });
    await scene.max.fire(cue.id);
    expect((await alerts({ cue_id: cue.id })).alerts).toMatchObject([
      { alert_type: 'live_unclaimed', metadata: { live_unclaimed_reason: 'no_session' } },
    ]);
  });

  test('no success for twice the interval, and quiet while it succeeds', async () => {
    const cue = await scene.max.cue({
      schedule: { type: 'recurring', cron: '*/10 * * * *' },
      alerts: { consecutive_failures: 100 },
    });
    const succeed = async (): Promise<void> => {
      const open = (await scene.max.runs(cue.id)).filter(({ status }) => status === 'pending');
      for (const { id } of open) {
        await scene.max.claim(id);
        await scene.max.outcome(id, { success: true });
      }
    };
    for (let n = 0; n < 4; n += 1) {
      await scene.later(10 * MINUTE);
      await expect.poll(async () => (await scene.max.runs(cue.id)).length).toBeGreaterThan(n);
      await succeed();
    }
    expect(await typesOf(cue.id)).toEqual([]);
    await scene.later(10 * MINUTE);
    expect(await typesOf(cue.id)).toEqual([]);
    await scene.later(11 * MINUTE);
    await expect.poll(() => typesOf(cue.id)).toEqual(['missed_window']);
    await scene.max.patchCue(cue.id, { status: 'paused' });
    await scene.later(60 * MINUTE);
    expect(await typesOf(cue.id)).toEqual(['missed_window']);
  });

  describe('posted', () => {
    test('signed to where the owner said, up to three times', async () => {
      sink.received.length = 0;
      const url = sink.url('/alerts');
      expectStatus(200, await scene.max.call('PATCH', '/v1/auth/me', { body: { alert_webhook_url: url } }));
      const secret = expectStatus(
        200,
        await scene.max.call<{ alert_webhook_secret: string }>('GET', '/v1/auth/alert-webhook-secret'),
      ).alert_webhook_secret;
      sink.answer = () => 500;
      const cue = await scene.max.cue({ ...NEVER, verification: { mode: 'require_result_url' } });
      await run(cue.id, { success: true });
      const { headers, text, body, path } = await sink.nth(1);
      const [alert] = (await alerts({ cue_id: cue.id })).alerts;
      expect(path).toBe('/alerts');
      expect(body).toEqual({
        alert_id: alert?.id,
        alert_type: 'verification_failed',
        severity: 'warning',
        message: alert?.message,
        execution_id: alert?.execution_id,
        cue_id: cue.id,
        created_at: alert?.created_at,
        metadata: alert?.metadata,
      });
      expect(headers).toMatchObject({
        'x-cueapi-alert-id': alert?.id,
        'x-cueapi-alert-type': 'verification_failed',
      });
      const signature = createHmac('sha256', secret)
        .update(`${String(headers['x-cueapi-timestamp'])}.${text}`)
        .digest('hex');
      expect(headers['x-cueapi-signature']).toBe(`v1=${signature}`);
      await scene.later(1.2 * MINUTE);
      await sink.count(2);
      await scene.later(6 * MINUTE);
      await sink.count(3);
      await scene.later(60 * MINUTE);
      expect(sink.received).toHaveLength(3);
      await scene.max.call('PATCH', '/v1/auth/me', { body: { alert_webhook_url: '' } });
      sink.answer = () => 204;
    });

    test('the failure of a run to the endpoint of its cue', async () => {
      sink.received.length = 0;
      const cue = await scene.max.cue({ ...NEVER, on_failure: { webhook: sink.url('/failed') } });
      const id = await run(cue.id, { success: false, error: 'x'.repeat(700) });
      const { body, headers, text, path } = await sink.nth(1);
      expect(path).toBe('/failed');
      expect(body).toEqual({
        event: 'cue.failed',
        cue_id: cue.id,
        cue_name: cue.name,
        execution_id: id,
        attempts: 1,
        last_http_status: null,
        last_error: 'x'.repeat(500),
        failed_at: expect.any(String),
      });
      const { webhook_secret: secret } = expectStatus(
        200,
        await scene.max.call<{ webhook_secret: string }>('GET', '/v1/auth/webhook-secret'),
      );
      const signature = createHmac('sha256', secret)
        .update(`${String(headers['x-cueapi-timestamp'])}.${text}`)
        .digest('hex');
      expect(headers['x-cueapi-signature']).toBe(`v1=${signature}`);
      await run(cue.id, { success: true });
      expect(sink.received).toHaveLength(1);
    });

    test('that, too, up to three times', async () => {
      sink.received.length = 0;
      sink.answer = () => 503;
      const cue = await scene.max.cue({ ...NEVER, on_failure: { webhook: sink.url('/failed') } });
      await run(cue.id, { success: false });
      for (const tried of [1, 2, 3]) {
        await sink.count(tried);
        await scene.later(10 * MINUTE);
      }
      await scene.later(60 * MINUTE);
      expect(sink.received).toHaveLength(3);
      sink.answer = () => 204;
    });
  });

  test('a cue of working days is given until its run after the weekend', async () => {
    const { clock, max } = scene;
    const now = clock.now();
    const daysToMonday = (8 - new Date(now).getUTCDay()) % 7 || 7;
    const monday = Math.floor(now / DAY) * DAY + daysToMonday * DAY;
    await clock.leap(monday - now + 9 * HOUR);
    const cue = await max.cue({
      schedule: { type: 'recurring', cron: '0 10 * * 1-5' },
      alerts: { consecutive_failures: 100 },
    });
    await clock.leap(HOUR);
    for (let day = 1; day <= 5; day += 1) {
      const runs = await scene.runsOf(cue, day);
      const id = runs.at(-1)?.id ?? '';
      await max.claim(id);
      await max.outcome(id, { success: true });
      if (day < 5) await clock.leap(DAY);
    }
    // From Friday over the weekend and all of Monday, whose run nobody takes.
    for (let day = 1; day <= 3; day += 1) await clock.leap(DAY);
    await scene.runsOf(cue, 6);
    expect(await typesOf(cue.id)).toEqual([]);
    await clock.leap(DAY);
    await scene.runsOf(cue, 7);
    expect(await typesOf(cue.id)).toEqual([]);
    await clock.leap(16 * MINUTE);
    await expect.poll(() => typesOf(cue.id)).toEqual(['missed_window']);
  });

  test('lists filter and page, and an alert is acknowledged', async () => {
    const cue = await scene.max.cue({ ...NEVER, verification: { mode: 'require_external_id' } });
    const since = new Date(scene.clock.now()).toISOString();
    for (let n = 0; n < 3; n += 1) await run(cue.id, { success: true });
    const all = await alerts({ cue_id: cue.id });
    expect(all).toMatchObject({ total: 3, limit: 20, offset: 0 });
    const page = await alerts({ cue_id: cue.id, limit: 1, offset: 1 });
    expect(page.alerts).toEqual(all.alerts.slice(1, 2));
    expect((await alerts({ since })).total).toBeGreaterThanOrEqual(2);
    expect((await alerts({ cue_id: cue.id, alert_type: 'consecutive_failure' })).total).toBe(0);
    const [first] = all.alerts;
    const acknowledge = (id: string) => scene.max.call<AlertAnswer>('POST', `/v1/alerts/${id}/acknowledge`);
    for (let n = 0; n < 2; n += 1) {
      expect(expectStatus(200, await acknowledge(first?.id ?? ''))).toEqual({ ...first, acknowledged: true });
    }
    expect((await alerts({ cue_id: cue.id, acknowledged: 'true' })).total).toBe(1);
    expect((await alerts({ cue_id: cue.id, acknowledged: 'false' })).total).toBe(2);
    for (const id of ['00000000-0000-4000-8000-000000000000', 'nonsense']) {
      const missing = await acknowledge(id);
      expect([missing.status, missing.body.error.code]).toEqual([404, 'alert_not_found']);
    }
  });

  test.each<[Record<string, string>, number, string]>([
    [{ alert_type: 'panic' }, 400, 'invalid_filter'],
    [{ alert_type: '' }, 400, 'invalid_filter'],
    [{ acknowledged: 'maybe' }, 422, 'validation_error'],
    [{ since: 'yesterday' }, 422, 'validation_error'],
    [{ limit: '101' }, 422, 'validation_error'],
    [{ limit: '0' }, 422, 'validation_error'],
    [{ offset: '-1' }, 422, 'validation_error'],
  ])('%j is refused', async (query, status, code) => {
    const answer = await scene.max.call('GET', '/v1/alerts', { query });
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });

  // During an update the columns of the next version are there already, and what is built reads them all.
  test('what a later version keeps with an alert is not told', async () => {
    const cue = await scene.max.cue({ ...NEVER, verification: { mode: 'require_external_id' } });
    await scene.server.context.database.write((tx) =>
      tx.run(sql`ALTER TABLE alerts ADD COLUMN kept text NOT NULL DEFAULT 'for the next version'`),
    );
    await run(cue.id, { success: true });
    const [alert] = (await alerts({ cue_id: cue.id })).alerts;
    expect(Object.keys(alert ?? {})).toEqual([
      'id',
      'cue_id',
      'execution_id',
      'alert_type',
      'severity',
      'message',
      'metadata',
      'acknowledged',
      'created_at',
    ]);
  });
});
