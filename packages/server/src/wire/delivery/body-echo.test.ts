import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { AgentClient } from '../../delivery/testing/agent-client.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('body echo', () => {
  let server: TestServer;
  let max: AgentClient;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    max = await AgentClient.register(server, 'max@example.com');
  });
  afterAll(() => server.close());

  const ECHO = { 'x-cueapi-verify-echo': ' True ' };
  const echoed = (method: string, path: string, body?: unknown, headers: Record<string, string> = ECHO) =>
    max.call(method, path, { headers, ...(body !== undefined && { body }) });

  test('says what was received, and its hash over sorted compact JSON', async () => {
    const body = { slug: 'echo', display_name: 'É', metadata: { b: 1, a: [1, 2] } };
    const { body: answer } = await echoed('POST', '/v1/agents', body);
    expect(answer).toMatchObject({ slug: 'echo', body_received: body });
    expect(answer.body_received_sha256).toBe(
      sha256('{"display_name":"\\u00c9","metadata":{"a":[1,2],"b":1},"slug":"echo"}'),
    );
  });

  test('holds for accounts and keys too', async () => {
    const { body } = await echoed('POST', '/v1/keys', { label: 'one more' });
    expect(body).toMatchObject({
      body_received: { label: 'one more' },
      body_received_sha256: sha256('{"label":"one more"}'),
    });
  });

  test('what a route does not read cannot spoil its answer', async () => {
    const other = await AgentClient.register(server, 'ann@example.com');
    let { key } = other.owner;
    for (const sent of ['not JSON', '['.repeat(200_000) + ']'.repeat(200_000)]) {
      const answer = await fetch(`${server.url}/v1/auth/key/regenerate`, {
        method: 'POST',
        headers: { ...ECHO, authorization: `Bearer ${key}`, 'x-confirm-destructive': 'true' },
        body: sent,
      });
      expect(answer.status).toBe(200);
      const body = (await answer.json()) as { api_key: string; body_received: unknown };
      expect(body.body_received).toEqual({});
      key = body.api_key;
    }
  });

  test('counts a missing body as an empty object', async () => {
    await max.attach('echo', {});
    const { body } = await echoed('POST', '/v1/agents/echo/live-sessions/main/heartbeat');
    expect(body).toMatchObject({ body_received: {}, body_received_sha256: sha256('{}') });
  });

  test.each([
    ['a GET', 'GET', '/v1/agents/echo', undefined, ECHO],
    ['a refusal', 'POST', '/v1/agents', { slug: 'echo' }, ECHO],
    ['a request that did not ask', 'PATCH', '/v1/agents/echo', { status: 'away' }, {}],
    ['one that said no', 'PATCH', '/v1/agents/echo', { status: 'away' }, { 'x-cueapi-verify-echo': 'false' }],
  ])('is not added to the answer to %s', async (_, method, path, body, headers) => {
    expect((await echoed(method, path, body, headers)).body).not.toHaveProperty('body_received');
  });
});
