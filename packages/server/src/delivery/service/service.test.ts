import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { HttpClient } from '../../testing/http-client.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { CueClient } from '../testing/cue-client.ts';

const MINUTE = 60_000;

describeEachServer('delivery › service', (start) => {
  const clock = new FakeClock(Date.UTC(2026, 5, 1, 9));
  let server: TestServer;
  let anyone: HttpClient;
  let max: CueClient;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: true, rlLocalFactor: 1 });
    anyone = new HttpClient(server);
    max = await CueClient.register(server);
  });

  test('health says what answers and what waits, of nobody in particular', async () => {
    const queue = async () => {
      await clock.advance(1_000);
      const { status, body } = await anyone.get('/health');
      expect([status, body.status, body.ok]).toEqual([200, 'healthy', true]);
      expect(body.services).toMatchObject({ database: 'ok' });
      return body.queue as Record<string, number>;
    };
    const before = await queue();
    expect(Object.keys(before).toSorted()).toEqual([
      'open_live_offers',
      'pending_outbox',
      'pending_retries',
      'pending_worker_claims',
      'stale_executions',
    ]);
    await max.create({ slug: 'hand', delivery_capabilities: ['live', 'bg', 'inbox'] });
    await max.send('hand', { delivery_mode: 'bg' });
    await max.attach('hand');
    const { execution_id: id } = await max.send('hand', { delivery_mode: 'live' });
    expect(await queue()).toEqual({
      ...before,
      pending_worker_claims: (before.pending_worker_claims ?? 0) + 1,
      open_live_offers: (before.open_live_offers ?? 0) + 1,
    });
    await max.claim(id);
    await clock.leap(901_000);
    await expect.poll(async () => (await queue()).open_live_offers).toBe(0);
  });

  test('status is one word', async () => {
    const { status, body } = await anyone.get('/status');
    expect([status, body]).toEqual([200, { status: 'healthy' }]);
  });

  test('info says who may do what, without a key and without a secret', async () => {
    const { status, body, headers } = await anyone.get('/v1/info');
    expect(status).toBe(200);
    expect(body).toEqual({
      service: 'parley',
      version: expect.stringMatching(/^\d+\./),
      contract_version: '2026-02-25',
      authorization: {
        registration: 'open',
        inbound_policy: 'anyone',
        live_attestation: 'hybrid',
        require_sender: false,
      },
      switched_off: ['integrator', 'mailer'],
    });
    expect(headers).not.toHaveProperty('x-ratelimit-limit');
  });

  const read = (token: string) => max.call('GET', `/v1/echo/${token}`);

  describe('echo', () => {
    test('keeps what is posted for five minutes, without the credentials that came with it', async () => {
      const token = 'echo-token-0123456789';
      expect((await read(token)).body).toEqual({ status: 'waiting' });
      const stored = await anyone.post(
        `/v1/echo/${token}`,
        { hello: 'é' },
        { headers: { 'X-CueAPI-Signature': 'v1=x', Authorization: 'Bearer secret', Cookie: 'a=b' } },
      );
      expect([stored.status, stored.body]).toEqual([200, { stored: true }]);
      const { body } = await read(token);
      expect(body).toMatchObject({
        status: 'delivered',
        payload: { hello: 'é' },
        headers: { 'x-cueapi-signature': 'v1=x' },
        received_at: new Date(clock.now()).toISOString(),
      });
      expect(JSON.stringify(body)).not.toMatch(/secret|a=b/);
      await anyone.post(`/v1/echo/${token}`, 'plain text {');
      expect((await read(token)).body).toMatchObject({ payload: 'plain text {' });
      await clock.advance(5 * MINUTE);
      expect((await read(token)).body).toEqual({ status: 'waiting' });
    });

    test('needs a token that nobody guesses, and a key to read', async () => {
      expect((await anyone.post('/v1/echo/short', {})).status).toBe(422);
      expect((await read('short')).status).toBe(422);
      expect((await anyone.get('/v1/echo/0123456789abcdef')).status).toBe(401);
      expect((await anyone.call('DELETE', '/v1/echo/0123456789abcdef')).status).toBe(405);
      const large = await anyone.post('/v1/echo/0123456789abcdef', 'x'.repeat(1024 * 1024 + 1));
      expect(large.status).toBe(413);
    });

    test('ten an hour from one address', async () => {
      await clock.advance(61 * MINUTE);
      for (let n = 0; n < 10; n += 1) {
        expect((await anyone.post('/v1/echo/0123456789abcdef', {})).status).toBe(200);
      }
      const refused = await anyone.post('/v1/echo/0123456789abcdef', {});
      expect(refused.status).toBe(429);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    });
  });
});

describeEachServer('delivery › quotas', (start) => {
  const NEVER = { schedule: { type: 'recurring', cron: '0 0 1 1 *' } };

  const scene = async () => {
    const clock = new FakeClock(Date.UTC(2026, 5, 1, 9));
    const server = await start({
      clock,
      rateLimits: false,
      planExecutionsPerMonth: { self_hosted: 0, free: 5, pro: 0, scale: 0 },
    });
    const max = await CueClient.register(server);
    await server.context.database.write((tx) =>
      tx.run(sql`UPDATE owners SET plan = 'free' WHERE id = ${max.owner.id}`),
    );
    return { clock, max };
  };

  test('cues fire for a day after the limit, then they are kept as failed; the next month begins anew', async () => {
    const { clock, max } = await scene();
    const cue = await max.cue(NEVER);
    const fire = async () => (await max.execution((await max.fire(cue.id)).execution_id)).status;
    const warned = async () => (await max.call('GET', '/v1/usage')).headers['x-cueapi-usage-warning'];
    for (let n = 0; n < 3; n += 1) expect(await fire()).toBe('pending');
    expect(await warned()).toBeUndefined();
    expect(await fire()).toBe('pending');
    expect(await warned()).toBe('approaching_limit');
    expect(await fire()).toBe('pending');
    // The sixth begins the grace.
    expect(await fire()).toBe('pending');
    await clock.leap(24 * 60 * MINUTE - 1);
    expect(await fire()).toBe('pending');
    await clock.leap(1);
    const { execution_id: id } = await max.fire(cue.id);
    expect(await max.execution(id)).toMatchObject({
      status: 'failed',
      error_message: 'Monthly execution limit reached',
    });
    await clock.leap(30 * 24 * 60 * MINUTE);
    expect(await fire()).toBe('pending');
  });

  test('usage counts executions of every trigger and what was reported of them', async () => {
    const { max } = await scene();
    const cue = await max.cue(NEVER);
    const first = await max.fire(cue.id);
    await max.claim(first.execution_id);
    await max.outcome(first.execution_id, { success: true });
    const again = await max.call<{ execution_id: string }>(
      'POST',
      `/v1/executions/${first.execution_id}/replay`,
    );
    await max.claim(again.body.execution_id);
    await max.outcome(again.body.execution_id, { success: false });
    expect((await max.call('GET', '/v1/usage')).body).toMatchObject({
      plan: 'free',
      executions: {
        used: 2,
        limit: 5,
        remaining: 3,
        percent_used: 40,
        percentage: 40,
        // Nine of the month's 720 hours have passed.
        projected_month_end: 160,
        will_exceed_limit: true,
      },
      outcomes: { reported: 2, succeeded: 1, failed: 1 },
      cues: { used: 1, active: 1, limit: 10, remaining: 9 },
    });
  });
});
