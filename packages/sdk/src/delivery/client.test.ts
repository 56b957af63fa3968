import { describeEachServer } from '@parley/server/testing/each-server';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { beforeAll, expect, test } from 'vitest';
import { TransportError } from '../channels/transport.ts';
import { DeliveryClient } from './client.ts';
import { DeliveryError } from './delivery-error.ts';

const NOW = Date.UTC(2026, 5, 1, 9);

const refused = async (call: Promise<unknown>): Promise<DeliveryError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DeliveryError)) throw new Error(`not refused: ${String(error)}`);
  return error;
};

describeEachServer('delivery client', (start) => {
  let server: string;
  let key: string;
  let parley: DeliveryClient;
  beforeAll(async () => {
    ({ url: server } = await start({ clock: new FakeClock(NOW) }));
    const registered = await fetch(`${server}/v1/agent/register`, {
      method: 'POST',
      body: JSON.stringify({ name: 'harbour-bot' }),
    });
    ({ api_key: key } = (await registered.json()) as { api_key: string });
    parley = new DeliveryClient({ server: `${server}/`, key });
  });

  test('makes a cue, says when it runs, and takes it away', async () => {
    const made = await parley.cues.create({
      name: 'tides',
      cron: '0 9 * * *',
      timezone: 'America/Los_Angeles',
      worker: true,
    });
    expect(made).toMatchObject({ status: 'active', next_run: '2026-06-01T16:00:00.000Z' });
    const { runs } = await parley.cues.next(made.id, 2);
    expect(runs.map(({ local }) => local)).toEqual([
      '2026-06-01T09:00:00-07:00',
      '2026-06-02T09:00:00-07:00',
    ]);
    expect(await parley.cues.pause(made.id)).toMatchObject({ status: 'paused', next_run: null });
    expect((await parley.cues.list({ status: 'paused' })).cues.map(({ id }) => id)).toEqual([made.id]);
    expect(await parley.cues.resume(made.id)).toMatchObject({ status: 'active' });
    const past = { from: '2026-05-30T00:00:00Z', to: '2026-06-01T00:00:00Z', dry_run: true };
    expect((await parley.cues.backfill(made.id, past)).runs).toHaveLength(2);
    await parley.cues.delete(made.id);
    const gone = await refused(parley.cues.read(made.id));
    expect([gone.code, gone.status, gone.notFound, gone.retryable]).toEqual([
      'cue_not_found',
      404,
      true,
      false,
    ]);
  });

  test('fires a cue, does its work and proves it', async () => {
    const { id } = await parley.cues.create({
      name: 'report',
      at: '2026-07-01T09:00:00Z',
      worker: true,
      payload: { task: 'report' },
      verification: { mode: 'require_result_url' },
    });
    const fired = await parley.cues.fire(id, { payload_override: { day: 1 } });
    expect((await parley.executions.claimable({ task: 'report' })).executions).toHaveLength(1);
    const claimed = await parley.executions.claimNext({ worker_id: 'w1', task: 'report' });
    expect(claimed).toMatchObject({ execution_id: fired.execution_id, payload: { task: 'report', day: 1 } });
    expect(await parley.executions.beat(fired.execution_id, 'w1')).toMatchObject({ acknowledged: true });
    const { executions } = parley;
    expect(await executions.outcome(fired.execution_id, { success: true })).toMatchObject({
      outcome_state: 'verification_failed',
    });
    const proof = { result_url: 'https://example.com/report' };
    expect(await executions.evidence(fired.execution_id, proof)).toMatchObject({
      outcome_state: 'verified_success',
    });
    expect((await executions.list({ cue_id: id })).executions).toMatchObject([{ status: 'success' }]);
    const again = await executions.replay(fired.execution_id);
    expect(await executions.read(again.execution_id)).toMatchObject({ replayed_from: fired.execution_id });
    expect((await executions.claim(again.execution_id, 'w2')).claimed).toBe(true);
    await executions.outcome(again.execution_id, { success: true });
    expect((await executions.attempts(again.execution_id)).attempts).toEqual([]);
    expect((await parley.cues.read(id, { execution_limit: 1 })).execution_total).toBe(2);
    expect(await parley.cues.deleteAll([id, 'cue_000000000000'])).toEqual({
      deleted: [id],
      skipped: ['cue_000000000000'],
    });
  });

  test('a verdict settles what was reported', async () => {
    const { id } = await parley.cues.create({
      name: 'looked at',
      at: '2026-07-01T09:00:00Z',
      worker: true,
      verification: { mode: 'manual' },
    });
    const { execution_id: run } = await parley.cues.fire(id);
    await parley.executions.claim(run, 'w1');
    await parley.executions.outcome(run, { success: true });
    const verdict = await parley.executions.verify(run, { valid: false, reason: 'the link is dead' });
    expect(verdict).toMatchObject({ outcome_state: 'verification_failed', reason: 'the link is dead' });
  });

  test('a refusal says what is wrong, and no answer is another error', async () => {
    const wrong = await refused(parley.cues.create({ name: 'x', cron: 'now and then', worker: true }));
    expect([wrong.code, wrong.status]).toEqual(['invalid_schedule', 400]);
    const stranger = new DeliveryClient({ server, key: 'ak_unknown' });
    expect((await refused(stranger.cues.list())).code).toBe('invalid_api_key');
    const nobody = new DeliveryClient({ server: 'http://127.0.0.1:9', key: 'ak_unknown' });
    await expect(nobody.cues.list()).rejects.toBeInstanceOf(TransportError);
  });

  test('follows what happens to an agent, and subscribes to it', async () => {
    const { id: mine } = await parley.events.subscribe('harbour-bot', {
      event_type: 'message.delivered',
      delivery_target: 'pull',
    });
    const sent = await fetch(`${server}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ to: 'harbour-bot', body: 'high water at six' }),
    });
    const { id: message } = (await sent.json()) as { id: string };
    for await (const event of parley.events.follow('harbour-bot')) {
      expect(event).toMatchObject({ event_type: 'message.delivered', payload: { message_id: message } });
      await parley.events.ack('harbour-bot', mine, event.id);
      break;
    }
    expect((await parley.events.read('harbour-bot', { event_type: 'message.acked' })).events).toEqual([]);
    expect((await parley.events.subscriptions('harbour-bot')).subscriptions).toMatchObject([{ id: mine }]);
    await parley.events.unsubscribe('harbour-bot', mine);
    expect((await parley.events.subscriptions('harbour-bot')).total).toBe(0);
  });

  test('lists alerts, acknowledges one, and says what is used', async () => {
    const cue = await parley.cues.create({
      name: 'unproven',
      cron: '0 0 1 1 *',
      worker: true,
      verification: { mode: 'require_external_id' },
    });
    const { execution_id: id } = await parley.cues.fire(cue.id);
    await parley.executions.outcome(id, { success: true });
    const [alert] = (await parley.alerts.list({ cue_id: cue.id })).alerts;
    expect(alert).toMatchObject({ alert_type: 'verification_failed', execution_id: id });
    expect(await parley.alerts.acknowledge(alert?.id ?? '')).toMatchObject({ acknowledged: true });
    expect((await parley.alerts.list({ cue_id: cue.id, acknowledged: false })).total).toBe(0);
    const missing = await refused(parley.alerts.acknowledge('nonsense'));
    expect(missing.code).toBe('alert_not_found');
    const { outcomes } = await parley.usage();
    expect(outcomes.succeeded).toBeGreaterThan(0);
    expect(outcomes.reported).toBe(outcomes.succeeded + outcomes.failed);
  });
});
