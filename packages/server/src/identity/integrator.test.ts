import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { type DeliveryErrorAnswer, People } from './testing/people.ts';

const TOKEN = 'a-token-that-nobody-can-guess';

describeEachServer('identity › trusted integrator', (start) => {
  let people: People;
  let ada: { id: string; key: string };

  beforeAll(async () => {
    people = new People(await start({ internalToken: TOKEN, defaultPlan: 'free' }));
    ada = await people.owner('ada@example.com');
  });

  const get = (path: string, key: string, owner?: string) =>
    people.call<Record<string, unknown> & DeliveryErrorAnswer>('GET', path, {
      key,
      headers: owner === undefined ? {} : { 'X-On-Behalf-Of': owner },
    });

  it('acts as the owner it names, without a request limit', async () => {
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

  it('names an owner that exists', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const owner of [unknown, 'nonsense']) {
      expect((await get('/v1/auth/me', TOKEN, owner)).body.error).toMatchObject({
        code: 'user_not_found',
        status: 401,
      });
    }
    expect((await get('/v1/auth/me', TOKEN)).body.error.code).toBe('invalid_api_key');
  });

  it('nobody else speaks for others: neither another token nor a key', async () => {
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

  it('has no key that could be replaced', async () => {
    const answer = await people.call<DeliveryErrorAnswer>('POST', '/v1/auth/key/regenerate', {
      key: TOKEN,
      headers: { 'X-On-Behalf-Of': ada.id, 'X-Confirm-Destructive': 'true' },
    });
    expect(answer.body.error.code).toBe('owner_key_required');
  });
});

describe('identity › trusted integrator', () => {
  it.each(['short', 'has spaces in it, and is long enough'])(
    'refuses to start with the token %j',
    (token) => {
      expect(() => loadConfig({ env: { PARLEY_INTERNAL_TOKEN: token } })).toThrow('internal_token');
    },
  );
});
