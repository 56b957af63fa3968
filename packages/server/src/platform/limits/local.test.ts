import { afterEach, describe, expect, test } from 'vitest';
import { HttpClient } from '../../testing/http-client.ts';
import { startServer, type TestOptions, type TestServer } from '../../testing/start-server.ts';

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Counts as the server does when nothing is configured. */
async function serve(options: TestOptions = {}): Promise<HttpClient> {
  const server = await startServer({ rlLocalFactor: 100, rlChannelsPerHour: 1, ...options });
  servers.push(server);
  return new HttpClient(server);
}

/** How many of five channels could be made. */
async function made(client: HttpClient, headers: Record<string, string> = {}): Promise<number> {
  let count = 0;
  for (let i = 0; i < 5; i++) {
    if ((await client.call('POST', '/channels', { headers })).status === 200) count += 1;
  }
  return count;
}

describe('limits by address, on a server for this machine alone', () => {
  test('are a hundred times as generous, also for channels at a time and for registrations', async () => {
    const client = await serve({ rlConcurrentChannelsPerIp: 1, rlRegistrationsPerMinute: 1 });
    expect(await made(client)).toBe(5);
    for (let i = 0; i < 3; i++) {
      const body = { name: 'Ann' };
      expect((await client.call('POST', '/v1/agent/register', { body })).status).toBe(201);
    }
  });

  test.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'])(
    'never count a request with %s as its own',
    async (header) => {
      const client = await serve();
      expect(await made(client, { [header]: '127.0.0.1' })).toBe(1);
      expect(await made(client)).toBe(5);
    },
  );

  test.each([
    ['a public URL', { publicUrl: 'https://parley.example' }],
    ['a trusted proxy', { trustedProxies: ['10.0.0.1'] }],
    ['another address', { host: '0.0.0.0' }],
  ])('are as they are with %s', async (_what, options) => {
    expect(await made(await serve(options))).toBe(1);
  });
});

const told = (limit: string, setting: string) =>
  expect.stringContaining(`At most ${limit} (PARLEY_${setting}).`);

describe('every 429 names the limit and the setting', () => {
  test('of channels', async () => {
    const client = await serve({ rlLocalFactor: 1 });
    await made(client);
    const { body } = await client.call('POST', '/channels');
    expect(body).toMatchObject({ error: 'rate_limited', hint: told('1 an hour', 'RL_CHANNELS_PER_HOUR') });
  });

  test('of rooms, messages and memory', async () => {
    const client = await serve({
      rlLocalFactor: 1,
      rlRegistrationsPerMinute: 1,
      rlRequestsPerMinute: 1,
      rlMemoryPerToken: 1,
    });
    const register = () =>
      client.call<{ api_key: string }>('POST', '/v1/agent/register', { body: { name: 'A' } });
    const { body } = await register();
    expect((await register()).body).toMatchObject({
      hint: told('1 a minute', 'RL_REGISTRATIONS_PER_MINUTE'),
    });
    const headers = { authorization: `Bearer ${body.api_key}` };
    await client.get('/v1/agents', headers);
    expect((await client.get('/v1/agents', headers)).body).toMatchObject({
      error: { message: told('1 a minute', 'RL_REQUESTS_PER_MINUTE') },
    });
    const list = () => client.call('POST', '/v1/continuity/list', { body: {}, headers });
    await list();
    expect((await list()).body).toMatchObject({ detail: told('1 a minute', 'RL_MEMORY_PER_TOKEN') });
  });
});
