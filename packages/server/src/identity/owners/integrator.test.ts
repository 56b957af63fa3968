import { beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { type DeliveryErrorAnswer, People } from '../testing/people.ts';

const TOKEN = 'a-token-that-nobody-can-guess';

describeEachServer('identity › trusted integrator', (start) => {
  let server: TestServer;
  let people: People;
  let ada: { id: string; key: string };

  beforeAll(async () => {
    server = await start({ internalToken: TOKEN, defaultPlan: 'free' });
    people = new People(server);
    ada = await people.owner('ada@example.com');
  });

  const get = (path: string, key: string, owner?: string) =>
    people.call<Record<string, unknown> & DeliveryErrorAnswer>('GET', path, {
      key,
      headers: owner === undefined ? {} : { 'X-On-Behalf-Of': owner },
    });

  test('acts as the owner it names, without a request limit', async () => {
    for (let n = 0; n < 70; n++) {
      const answer = await get('/v1/auth/me', TOKEN, ada.id);
      expect([answer.status, answer.body.email]).toEqual([200, 'ada@example.com']);
      expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
    }
    const sent = await people.call('POST', '/v1/messages', {
      key: TOKEN,
      headers: { 'X-On-Behalf-Of': ada.id },
      body: { to: 'self', body: 'from the front' },
    });
    expect(sent.status).toBe(201);
    expect((await get('/v1/whoami', TOKEN, ada.id)).body).toMatchObject({ credential: { kind: 'internal' } });
  });

  test('names an owner that exists', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const owner of [unknown, 'nonsense']) {
      expect((await get('/v1/auth/me', TOKEN, owner)).body.error).toMatchObject({
        code: 'user_not_found',
        status: 401,
      });
    }
    expect((await get('/v1/auth/me', TOKEN)).body.error.code).toBe('invalid_api_key');
  });

  test('nobody else speaks for others: neither another token nor a key', async () => {
    const eve = await people.owner('eve@example.com');
    expect((await get('/v1/auth/me', `${TOKEN}x`, ada.id)).body.error.code).toBe('invalid_api_key');
    expect((await get('/v1/auth/me', eve.key, ada.id)).body.email).toBe('eve@example.com');
    const without = new People(await start({}));
    const owner = await without.owner('ada@example.com');
    const answer = await without.call<DeliveryErrorAnswer>('GET', '/v1/auth/me', {
      key: TOKEN,
      headers: { 'X-On-Behalf-Of': owner.id },
    });
    expect(answer.body.error.code).toBe('invalid_api_key');
  });

  test('is the token in its header, and nowhere else', async () => {
    const owner = { 'X-On-Behalf-Of': ada.id };
    const query = `?token=${TOKEN}&api_key=${TOKEN}&access_token=${TOKEN}&internal_token=${TOKEN}`;
    for (const authorization of [undefined, '', 'Bearer', 'Bearer ', `Basic ${TOKEN}`, TOKEN]) {
      const headers = {
        ...owner,
        'X-Internal-Token': TOKEN,
        ...(authorization !== undefined && { authorization }),
      };
      const answer = await people.call<DeliveryErrorAnswer>('GET', `/v1/auth/me${query}`, { headers });
      expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_api_key']);
    }
    expect(server.rawLog()).not.toContain(TOKEN);
  });

  test('opens no door but those of delivery and of the account', async () => {
    for (const [method, path, body] of [
      ['POST', '/v1/continuity/list', {}],
      ['GET', '/v1/agent/stream', undefined],
      ['DELETE', '/v1/agent/sessions', undefined],
      ['POST', '/v1/agent/keys/rotate', undefined],
      ['POST', '/v1/agent/login', { api_key: TOKEN }],
    ] as const) {
      const answer = await people.call(method, path, {
        key: TOKEN,
        headers: { 'X-On-Behalf-Of': ada.id },
        ...(body && { body }),
      });
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });

  test('what it makes for one owner is not seen on behalf of another', async () => {
    const eve = await people.owner('eve2@example.com');
    const sent = await people.call<{ id: string }>('POST', '/v1/messages', {
      key: TOKEN,
      headers: { 'X-On-Behalf-Of': ada.id, 'Idempotency-Key': 'the same for both' },
      body: { to: 'self', body: 'for ada' },
    });
    const other = await people.call<{ id: string }>('POST', '/v1/messages', {
      key: TOKEN,
      headers: { 'X-On-Behalf-Of': eve.id, 'Idempotency-Key': 'the same for both' },
      body: { to: 'self', body: 'for ada' },
    });
    expect([sent.status, other.status]).toEqual([201, 201]);
    expect(other.body.id).not.toBe(sent.body.id);
    expect((await get(`/v1/messages/${sent.body.id}`, TOKEN, ada.id)).status).toBe(200);
    expect((await get(`/v1/messages/${sent.body.id}`, TOKEN, eve.id)).status).toBe(404);
  });

  test('has no key that could be replaced', async () => {
    const answer = await people.call<DeliveryErrorAnswer>('POST', '/v1/auth/key/regenerate', {
      key: TOKEN,
      headers: { 'X-On-Behalf-Of': ada.id, 'X-Confirm-Destructive': 'true' },
    });
    expect(answer.body.error.code).toBe('owner_key_required');
  });
});

describe('identity › trusted integrator', () => {
  test.each(['short', 'twenty-three-characters', 'has spaces in it, and is long enough'])(
    'refuses to start with the token %j',
    (token) => {
      expect(() => loadConfig({ env: { PARLEY_INTERNAL_TOKEN: token } })).toThrow('internal_token');
    },
  );
});
