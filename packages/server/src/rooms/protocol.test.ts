import { ROOMS_ERRORS } from '@parley/protocol/rooms/errors';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';
import type { CapabilitiesAnswer } from './routes/capabilities.ts';
import { must, RoomClient } from './testing/room-client.ts';

describe('rooms protocol', () => {
  let server: TestServer;
  let client: RoomClient;

  beforeAll(async () => {
    server = await startServer({
      clock: new FakeClock(),
      rateLimits: false,
      corsOrigins: ['https://console.example'],
    });
    client = new RoomClient(server);
  });
  afterAll(() => server.close());

  const read = async (): Promise<CapabilitiesAnswer> =>
    must(200, await client.call<CapabilitiesAnswer>('GET', '/v1/capabilities'));

  test('healthz answers without a credential, with the common headers, and takes no other method', async () => {
    const found = await client.call('GET', '/healthz', { headers: { 'x-request-id': 'mine' } });
    expect([found.status, found.text, found.headers['x-request-id']]).toEqual([
      200,
      '{"status":"ok"}',
      'mine',
    ]);
    const refused = await client.call('POST', '/healthz');
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(refused.body).toMatchObject({ error: 'method_not_allowed', allow: ['GET', 'HEAD'] });
    expect((await client.call('GET', '/healthz/x')).body).toMatchObject({ error: 'not_found', status: 404 });
  });

  describe('capabilities', () => {
    test('name the mode, the features and every error', async () => {
      const found = await read();
      expect(found).toMatchObject({
        version: '1',
        mode: 'sse',
        poll_interval_ms: 5000,
        structured_errors: true,
        owner_first_listing: true,
      });
      for (const feature of [
        'owner_first_listing',
        'structured_errors',
        'prompt_context',
        'agent_stream',
        'events_stream',
        'events_history',
        'events_webhook',
        'webhook_endpoints',
        'room_scoped_tokens',
        'viewer_controls',
        'typing_indicator',
      ]) {
        expect(found.features[feature]).toBe(true);
      }
      expect(found.error_codes).toHaveLength(Object.keys(ROOMS_ERRORS).length);
      expect(found.error_codes).toContainEqual({
        error: 'viewer_not_found',
        status: 404,
        recoverable: false,
      });
      expect((await client.call('GET', '/v1/mode')).body).toEqual({ mode: 'sse', poll_interval_ms: 5000 });
    });

    test('list the endpoints as agreed', async () => {
      const { endpoints } = await read();
      const shown = endpoints.map(({ name, method, path, auth }) => `${name} ${method} ${path} ${auth}`);
      expect(shown.slice(0, 27)).toEqual([
        'mode GET /v1/mode none',
        'capabilities GET /v1/capabilities none',
        'agent_register POST /v1/agent/register none',
        'agent_login POST /v1/agent/login none',
        'listings_create POST /v1/listings bearer',
        'listings_search GET /v1/listings/search none',
        'listing_connect POST /v1/listings/{id}/connect bearer',
        'room_join POST /v1/rooms/{id}/join bearer',
        'room_state GET /v1/rooms/{id}/state bearer_or_room_token',
        'room_messages POST /v1/rooms/{id}/messages bearer_or_room_token',
        'room_close POST /v1/rooms/{id}/close bearer_or_room_token',
        'room_transcript POST /v1/rooms/{id}/transcript human_code',
        'room_viewers POST /v1/rooms/{id}/viewers none',
        'room_leave POST /v1/rooms/{id}/leave bearer',
        'agent_stream GET /v1/agent/stream bearer',
        'agent_stream_ack POST /v1/agent/stream/ack bearer',
        'agent_actionable_rooms GET /v1/agent/actionable-rooms bearer',
        'agent_webhooks_list GET /v1/agent/webhooks bearer',
        'agent_webhooks_create POST /v1/agent/webhooks bearer',
        'agent_webhooks_delete DELETE /v1/agent/webhooks/{id} bearer',
        'room_access_token POST /v1/rooms/{id}/access-token bearer',
        'room_context GET /v1/rooms/{id}/context bearer_or_room_token',
        'room_context_ack POST /v1/rooms/{id}/context/ack bearer_or_room_token',
        'room_events GET /v1/rooms/{id}/events bearer',
        'room_events_history GET /v1/rooms/{id}/events/history bearer',
        'room_typing POST /v1/rooms/{id}/typing bearer_or_room_token',
        'room_viewer_events GET /v1/rooms/{id}/viewer-events viewer_token',
      ]);
      expect(endpoints.filter(({ supported }) => !supported).map(({ name }) => name)).toEqual([
        'room_leave',
        'agent_logout',
      ]);
    });
  });

  test('says plainly that leave is not supported, to anyone', async () => {
    const { status, body } = await client.call('POST', '/v1/rooms/room_unknown/leave');
    expect(status).toBe(501);
    expect(body).toEqual({
      error: 'endpoint_not_supported',
      status: 501,
      recoverable: false,
      endpoint: '/v1/rooms/{id}/leave',
      hint: 'Leave is not implemented. Use /v1/rooms/{id}/close to end a room, or stop sending and wait for room closure.',
    });
  });

  test('answers 405 with Allow where the route exists', async () => {
    const { status, headers, body } = await client.call<{ allow: string[] }>('GET', '/v1/rooms/x/leave');
    expect([status, headers.allow]).toEqual([405, 'POST']);
    expect(body).toMatchObject({
      error: 'method_not_allowed',
      status: 405,
      recoverable: false,
      allow: ['POST'],
    });
    expect(body.hint).toContain('POST');
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']) {
      const answer = await client.call(method, '/v1/listings/search');
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  test.each(['/v1/rooms/', '/v1/rooms', '/v1/rooms/x', '/v1/agent/nothing', '/v1/listings/x/y/z'])(
    'answers 404 in its own shape at %s',
    async (path) => {
      const { status, body } = await client.call('GET', path);
      expect(status).toBe(404);
      expect(body).toEqual({
        error: 'not_found',
        status: 404,
        recoverable: false,
        hint: 'No such resource.',
      });
    },
  );

  test('leaves /v1/agents to the protocol it belongs to', async () => {
    const { body } = await client.call('GET', '/v1/agents');
    expect(body).not.toHaveProperty('recoverable');
  });

  test('takes an absent, an empty and an empty-object body alike, whatever its type is called', async () => {
    const { a, id } = await client.room();
    for (const call of [
      {},
      { body: '' },
      { body: '{}' },
      { body: {}, headers: { 'content-type': 'text/x' } },
    ]) {
      expect((await a.call('POST', `/v1/rooms/${id}/access-token`, call)).status).toBe(201);
    }
    for (const body of ['[]', '7', 'x']) {
      expect((await a.call('POST', `/v1/rooms/${id}/access-token`, { body })).status).toBe(400);
    }
  });

  test('looks at the length of a body once the caller is known, and before the room is', async () => {
    const { a, id } = await client.openRoom();
    const path = `/v1/rooms/${id}/messages`;
    expect((await client.call('POST', path, { body: sized(65_537) })).status).toBe(401);
    expect((await a.call('POST', '/v1/rooms/room_unknown/messages', { body: sized(65_537) })).status).toBe(
      413,
    );
    expect((await a.call('POST', path, { body: sized(65_536) })).status).toBe(400);
    const wide = `{"x":"${'é'.repeat(33_000)}"}`;
    expect((await a.call('POST', path, { body: wide })).body.error).toBe('payload_too_large');
    expect((await client.call('POST', path, { body: sized(1024 * 1024 + 1) })).status).toBe(413);
  });

  test('refuses a body over 64 KiB', async () => {
    const agent = await client.agent();
    const { status, body } = await agent.tryList({ topic: 'x'.repeat(65 * 1024) });
    expect([status, body.error, body.recoverable]).toEqual([413, 'payload_too_large', true]);
  });

  test('matches the scheme word whatever its case', async () => {
    const { a, id } = await client.room();
    for (const scheme of ['bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${a.session}` };
      expect((await client.call('GET', `/v1/rooms/${id}/state`, { headers })).status).toBe(200);
    }
    for (const authorization of [a.session, `Basic ${a.session}`, 'Bearer', 'Bearer a b']) {
      expect((await client.call('GET', `/v1/rooms/${id}/state`, { headers: { authorization } })).status).toBe(
        401,
      );
    }
  });

  test('names every answer and forbids sniffing and storing it', async () => {
    const named = await client.call('GET', '/v1/mode', { headers: { 'x-request-id': 'n'.repeat(80) } });
    expect(named.headers['x-request-id']).toBe('n'.repeat(64));
    const words = await client.call('GET', '/v1/mode', { headers: { 'x-request-id': 'build 7, try 2' } });
    expect(words.headers['x-request-id']).toBe('build 7, try 2');
    const unnamed = await client.call('POST', '/v1/listings');
    expect(unnamed.headers['x-request-id']).toMatch(/^[\w-]{8,}$/);
    expect(unnamed.headers['x-content-type-options']).toBe('nosniff');
    expect(unnamed.headers['cache-control']).toBe('no-store');
    expect(unnamed.headers['content-type']).toMatch(/^application\/json/);
  });

  const ask = (origin: string) => client.call('OPTIONS', '/v1/rooms/x/messages', { headers: { origin } });

  test('lets configured origins in, and answers their preflight', async () => {
    const good = await ask('https://console.example');
    expect(good.status).toBe(204);
    expect(good.headers).toMatchObject({
      'access-control-allow-origin': 'https://console.example',
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
      'access-control-allow-headers': 'Authorization, Content-Type, Last-Event-ID',
    });
    const other = await ask('https://elsewhere.example');
    expect(other.status).toBe(204);
    expect(other.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test.each([
    '/v1/rooms',
    '/v1/rooms/x/nothing',
    '/v1/agent/nothing',
    '/v1/listings/x/y/z',
    '/skill.md',
    '/v1/rooms/%zz',
  ])('lets them in at %s too', async (path) => {
    const headers = { origin: 'https://console.example' };
    const answer = await client.call('GET', path, { headers });
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': headers.origin });
    expect(answer.headers.vary).toMatch(/^Origin\b/);
    const other = await client.call('GET', path, { headers: { origin: 'https://elsewhere.example' } });
    expect(other.headers).not.toHaveProperty('access-control-allow-origin');
    if (path.includes('%')) return;
    const preflight = await client.call('OPTIONS', path, { headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': headers.origin,
      'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
    });
  });

  test('refuses a session that is 15 days old', async () => {
    const clock = new FakeClock();
    const own = await startServer({ clock });
    try {
      const people = new RoomClient(own);
      const { a, id } = await people.room({ ttl_seconds: 604_800 });
      await clock.leap(15 * 86_400_000);
      expect((await a.tryState(id)).body).toMatchObject({ error: 'unauthorized', status: 401 });
      expect((await a.tryState(id, a.apiKey)).status).toBe(200);
    } finally {
      await own.close();
    }
  });
});

describe('rooms › prompt layers by configuration', () => {
  test('change the hashes, and running rooms answer stale_bundle_hash once', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-layers-'));
    const folder = mkdtempSync(join(tmpdir(), 'parley-layers-'));
    writeFileSync(join(folder, 'SOUL.txt'), 'Be grand.\n');
    try {
      const first = await startServer({ dataDir });
      const room = await new RoomClient(first).room();
      const { bundle_hash: hash } = await room.a.context(room.id);
      await first.close();
      const second = await startServer({ dataDir, roomsPromptDir: folder });
      const client = new RoomClient(second);
      const headers = { authorization: `Bearer ${room.a.session}` };
      const body = { expected_turn: 0, ciphertext: 'x', bundle_hash: hash };
      const path = `/v1/rooms/${room.id}`;
      expect((await client.call('POST', `${path}/messages`, { headers, body })).body.error).toBe(
        'stale_bundle_hash',
      );
      const fresh = await client.call<{ bundle_hash: string }>('GET', `${path}/context`, { headers });
      const again = { ...body, bundle_hash: fresh.body.bundle_hash };
      expect((await client.call('POST', `${path}/messages`, { headers, body: again })).status).toBe(201);
      await second.close();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** A JSON object of exactly so many bytes. */
function sized(bytes: number): string {
  return JSON.stringify({ x: 'y'.repeat(bytes - '{"x":""}'.length) });
}
