import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { type DeliveryErrorAnswer, People } from '../testing/people.ts';

const shown = ({ headers }: { headers: Record<string, unknown> }) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`]));

describeEachServer('identity › request limit', (start) => {
  const clock = new FakeClock();
  let people: People;

  beforeAll(async () => {
    people = new People(await start({ clock, defaultPlan: 'free' }));
  });

  const get = (path: string, key: string) => people.call<DeliveryErrorAnswer>('GET', path, { key });

  test('60 a minute on the plan free, by key, over all paths; a refusal is not counted', async () => {
    const { key } = await people.owner('ada@example.com');
    const second = (await people.call<{ api_key: string }>('POST', '/v1/keys', { key, body: {} })).body
      .api_key;
    const began = clock.now();
    const first = await get('/v1/agents', key);
    expect(shown(first)).toEqual([60, 58, Math.ceil(began / 1000) + 60]);
    await clock.advance(20_000);
    for (let n = 0; n < 57; n++) expect((await get('/v1/auth/me', key)).status).toBe(200);
    expect(shown(await get('/v1/executions', key))).toEqual([60, 0, Math.ceil(began / 1000) + 60]);
    for (let n = 0; n < 3; n++) {
      const refused = await get('/v1/agents/roster', key);
      expect(refused.status).toBe(429);
      expect(refused.headers['retry-after']).toBe('40');
      expect(shown(refused)).toEqual([60, 0, Math.ceil(began / 1000) + 60]);
      expect(refused.body.error).toMatchObject({
        code: 'rate_limit_exceeded',
        message: expect.stringContaining('Retry after 40 seconds'),
        limit: 60,
        window_seconds: 60,
      });
    }
    expect((await get('/v1/agents', second)).status).toBe(200);
    await clock.advance(40_000);
    expect(shown(await get('/v1/agents', key))).toEqual([60, 1, Math.ceil((began + 80_000) / 1000)]);
  });

  test('is a setting on every plan, and 0 switches it off', async () => {
    const planRequestsPerMinute = { free: 1, pro: 0, scale: 500 };
    const strict = new People(await start({ clock, defaultPlan: 'free', planRequestsPerMinute }));
    const { key } = await strict.owner();
    const statuses = [1, 2].map(async () => (await strict.call('GET', '/v1/agents', { key })).status);
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200, 429]));
    const free = new People(await start({ clock, defaultPlan: 'pro', planRequestsPerMinute }));
    const answer = await free.call('GET', '/v1/agents', { key: (await free.owner()).key });
    expect([answer.status, answer.headers['x-ratelimit-limit']]).toEqual([200, undefined]);
  });

  test('comes after the key and before the shape of what is asked', async () => {
    const { key } = await people.owner('eve@example.com');
    const send = (bearer: string) =>
      people.call<DeliveryErrorAnswer>('POST', '/v1/messages', { key: bearer, body: { nonsense: true } });
    for (let n = 0; n < 60; n++) expect((await send(key)).status).toBe(422);
    expect((await send(key)).body.error.code).toBe('rate_limit_exceeded');
    expect((await send('nobody')).body.error.code).toBe('invalid_api_key');
  });

  test('says without a key how many registrations the address has left', async () => {
    const answer = await people.call('POST', '/v1/auth/register', { body: {}, from: '127.0.0.7' });
    expect(shown(answer)).toEqual([60, 59, Math.ceil(clock.now() / 1000) + 60]);
  });

  describe('on the plan of a self-hosted server', () => {
    test('is far away, is shown, and is a setting', async () => {
      const open = new People(await start({ clock }));
      const { key } = await open.owner('ada@example.com');
      expect(shown(await open.call('GET', '/v1/agents', { key }))).toEqual([
        600_000,
        599_999,
        Math.ceil(clock.now() / 1000) + 60,
      ]);
      const strict = new People(await start({ clock, rlRequestsPerMinute: 1 }));
      const other = await strict.owner('ada@example.com');
      expect((await strict.call('GET', '/v1/agents', { key: other.key })).status).toBe(200);
      expect((await strict.call('GET', '/v1/agents', { key: other.key })).status).toBe(429);
    });

    test('switched off, it is neither kept nor shown', async () => {
      for (const off of [{ rlRequestsPerMinute: 0 }, { rateLimits: false, defaultPlan: 'free' as const }]) {
        const free = new People(await start({ clock, ...off }));
        const { key } = await free.owner('ada@example.com');
        const answer = await free.call<{ rate_limit_per_minute: null }>('GET', '/v1/auth/me', { key });
        expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
        expect(answer.body.rate_limit_per_minute).toBeNull();
      }
    });
  });
});
