import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpClient } from '../../testing/http-client.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('X-Request-Id', () => {
  let server: TestServer;
  let client: HttpClient;
  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    client = new HttpClient(server);
  });
  afterAll(() => server.close());

  test.each([
    '/',
    '/health',
    '/metrics',
    '/llms.txt',
    '/skill.md',
    '/v1/agents',
    '/v1/mode',
    '/nowhere',
    '/%zz',
  ])('names the answer of %s', async (path) => {
    const [first, second] = [await client.get(path), await client.get(path)];
    expect(first.headers['x-request-id']).toMatch(UUID);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  });

  test('names what sealed channels answer', async () => {
    const { headers } = await client.call('POST', '/channels', { body: {} });
    expect(headers['x-request-id']).toMatch(UUID);
  });
});
