import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { type DeliveryErrorAnswer, People } from '../testing/people.ts';

const BAD_KEY = `ak_${'a'.repeat(32)}`;

async function repeat(times: number, call: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) statuses.push((await call()).status);
  return statuses;
}

describe('identity › brute-force limits', () => {
  const clock = new FakeClock();
  const servers: TestServer[] = [];
  let people: People;

  beforeEach(async () => {
    const server = await startServer({ clock, rlFailedAuthPerMinute: 5 });
    servers.push(server);
    people = new People(server);
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  test('lets one address register 60 times a minute, by both ways together', async () => {
    const agent = () => people.call('POST', '/v1/agent/register', { body: { name: 'x' } });
    const owner = () => people.call<DeliveryErrorAnswer>('POST', '/v1/auth/register', { body: {} });
    expect(new Set(await repeat(30, agent))).toEqual(new Set([201]));
    await clock.advance(10_000);
    expect(new Set(await repeat(30, owner))).toEqual(new Set([422]));
    const refused = await agent();
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('50');
    expect(refused.body).toEqual({
      error: 'rate_limited',
      status: 429,
      recoverable: true,
      retry_after_seconds: 50,
      hint: 'Wait and try again. At most 60 a minute (PARLEY_RL_REGISTRATIONS_PER_MINUTE).',
    });
    const other = await owner();
    expect(other.status).toBe(429);
    expect(other.headers['retry-after']).toBe('50');
    expect(other.body.error).toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
    expect(other.body.error.message).toContain('Retry after 50 seconds');
    expect(
      (await people.call('POST', '/v1/agent/register', { body: { name: 'x' }, from: '127.0.0.9' })).status,
    ).toBe(201);
    await clock.advance(50_000);
    expect((await agent()).status).toBe(201);
  });

  test('lets one address register 120 times an hour, and says so to whoever is behind a proxy', async () => {
    const server = await startServer({
      clock,
      trustedProxies: ['127.0.0.1'],
      rlRegistrationsPerMinute: 1000,
    });
    servers.push(server);
    const proxied = new People(server);
    const register = (address: string) =>
      proxied.call('POST', '/v1/agent/register', {
        body: { name: 'x' },
        headers: { 'x-forwarded-for': address },
      });
    expect(new Set(await repeat(120, () => register('198.51.100.7')))).toEqual(new Set([201]));
    await clock.advance(60_000);
    const refused = await register('198.51.100.7');
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '3540']);
    expect(refused.body).toMatchObject({
      error: 'rate_limited',
      hint: 'Wait and try again. At most 120 an hour (PARLEY_RL_REGISTRATIONS_PER_HOUR).',
    });
    const owner = await proxied.call('POST', '/v1/auth/register', {
      body: { email: 'many@example.com' },
      headers: { 'x-forwarded-for': '198.51.100.7' },
    });
    expect([owner.status, owner.headers['x-ratelimit-remaining']]).toEqual([429, '0']);
    expect((await register('198.51.100.8')).status).toBe(201);
    await clock.advance(3_540_000);
    expect((await register('198.51.100.7')).status).toBe(201);
  });

  test('may leave out the own machine, and nobody behind a proxy on it', async () => {
    const settings = { rlExemptLoopback: true, trustedProxies: ['127.0.0.1'] };
    const server = await startServer({
      clock,
      ...settings,
      rlRegistrationsPerMinute: 2,
      rlFailedLoginsPerMinute: 2,
    });
    servers.push(server);
    const spared = new People(server);
    const register = (headers: Record<string, string> = {}) =>
      spared.call('POST', '/v1/agent/register', { body: { name: 'x' }, headers });
    const fail = () => spared.call('POST', '/v1/agent/login', { body: { api_key: BAD_KEY } });
    expect(await repeat(4, register)).toEqual([201, 201, 201, 201]);
    expect(await repeat(4, fail)).toEqual([401, 401, 401, 401]);
    const behind = () => register({ 'x-forwarded-for': '198.51.100.7' });
    expect(await repeat(3, behind)).toEqual([201, 201, 429]);
  });

  test('counts 30 failed logins a minute, and never locks out the right key', async () => {
    const { key } = await people.agent();
    const fail = () => people.call('POST', '/v1/agent/login', { body: { api_key: BAD_KEY } });
    expect(new Set(await repeat(30, fail))).toEqual(new Set([401]));
    const refused = await fail();
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('60');
    await people.login(key);
    await clock.advance(60_000);
    expect((await fail()).status).toBe(401);
  });

  test('counts bad bearers in every shape, and never locks out a good one', async () => {
    const { key } = await people.agent();
    const delivery = (bearer: string) => people.call('GET', '/v1/whoami', { key: bearer });
    const rooms = (bearer: string) => people.call('DELETE', '/v1/agent/sessions', { key: bearer });
    expect(await repeat(3, () => delivery(BAD_KEY))).toEqual([401, 401, 401]);
    expect(await repeat(2, () => rooms('nonsense'))).toEqual([401, 401]);
    for (const refused of [await delivery(BAD_KEY), await rooms(BAD_KEY)]) {
      expect(refused.status).toBe(429);
      expect(refused.headers['retry-after']).toBe('60');
    }
    expect((await delivery(key)).status).toBe(200);
    expect((await people.call('GET', '/v1/whoami')).status).toBe(401);
    await clock.advance(60_000);
    expect((await delivery(BAD_KEY)).status).toBe(401);
  });
});
