import { AGENT_KEY_SCOPES, SCOPES } from '@parley/protocol/identity/scopes';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { type DeliveryErrorAnswer, People } from '../testing/people.ts';
import { onRevoked } from './revocations.ts';

interface KeyAnswer {
  id: string;
  api_key: string;
  prefix: string;
  label: string | null;
  agent: string | null;
  scopes: string[];
  read_namespaces: string[];
  expires_at: string | null;
  created_at: string;
  last_used_at?: string | null;
}

describeEachServer('keys', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let people: People;
  let owner: { id: string; slug: string; key: string };

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    people = new People(server);
    owner = await people.owner('max@example.com');
  });

  const create = (body: unknown, key = owner.key) =>
    people.call<KeyAnswer & DeliveryErrorAnswer>('POST', '/v1/keys', { key, body });
  const revoke = (id: string, key = owner.key) =>
    people.call<DeliveryErrorAnswer>('DELETE', `/v1/keys/${id}`, { key });
  const selfId = async (key = owner.key): Promise<string> =>
    (await people.whoami(await people.login(key))).body.agent?.id ?? '';

  describe('create', () => {
    test('makes an owner-wide key that may do everything, and shows it', async () => {
      const { status, body } = await create({ label: 'laptop' });
      expect(status).toBe(201);
      expect(Object.keys(body)).toEqual([
        'id',
        'api_key',
        'prefix',
        'label',
        'agent',
        'scopes',
        'read_namespaces',
        'write_namespaces',
        'expires_at',
        'created_at',
      ]);
      expect(body.api_key).toMatch(/^cue_sk_[0-9a-f]{32}$/);
      expect(body).toMatchObject({
        prefix: body.api_key.slice(0, 12),
        label: 'laptop',
        agent: null,
        scopes: SCOPES,
        read_namespaces: ['*'],
        write_namespaces: ['*'],
        expires_at: null,
        created_at: new Date(clock.now()).toISOString(),
      });
      expect((await people.whoami(body.api_key)).body).toMatchObject({
        owner: { id: owner.id, slug: 'max' },
        agent: null,
        peer_id: 'self',
        credential: { kind: 'api_key', id: body.id, prefix: body.prefix, expires_at: null },
      });
    });

    test('makes an agent-bound key from every way to name the agent', async () => {
      const id = await selfId();
      for (const agent of [id, id.replace('agent_', 'agt_'), ' self@MAX ', 'Self']) {
        const { status, body } = await create({ agent });
        expect(status).toBe(201);
        expect(body.api_key).toMatch(/^ak_/);
        expect(body).toMatchObject({ agent: id, scopes: AGENT_KEY_SCOPES });
        expect((await people.whoami(body.api_key)).body.agent?.id).toBe(id);
      }
    });

    test('keeps scopes, namespaces and expiry as given', async () => {
      const expires = clock.now() + 60_000;
      const { body } = await create({
        scopes: ['search', 'read:files', 'search'],
        read_namespaces: ['memory/', 'tasks'],
        write_namespaces: [],
        expires_at: new Date(expires).toISOString(),
      });
      const rules = {
        scopes: ['search', 'read:files'],
        read_namespaces: ['memory', 'tasks'],
        write_namespaces: [],
      };
      expect(body).toMatchObject(rules);
      expect((await people.whoami(body.api_key)).body).toMatchObject(rules);
      await clock.advance(59_999);
      expect((await people.whoami(body.api_key)).status).toBe(200);
      const session = await people.login(body.api_key);
      await clock.advance(1);
      for (const key of [body.api_key, session]) {
        const { status, body: answer } = await people.call<DeliveryErrorAnswer>('GET', '/v1/whoami', { key });
        expect(status).toBe(401);
        expect(answer.error.code).toBe('invalid_api_key');
      }
    });

    test.each([{ scope: ['search'] }, { agents: 'self' }, { expires: '2027-01-01T00:00:00Z' }])(
      'refuses the misspelt limit %j instead of making a key without it',
      async (body) => {
        const answer = await create(body);
        expect(answer.status).toBe(422);
        expect(answer.body.error.message).toContain(Object.keys(body)[0]);
      },
    );

    test('reads a time without an offset as UTC', async () => {
      const { body } = await create({ expires_at: '2030-01-02T03:04:05' });
      expect(body.expires_at).toBe('2030-01-02T03:04:05.000Z');
      expect((await create({ expires_at: '2030-01-02T03:04:05+02:00' })).body.expires_at).toBe(
        '2030-01-02T01:04:05.000Z',
      );
    });

    test.each([
      [{ scopes: ['everything'] }, 'body.scopes.0'],
      [{ scopes: 'search' }, 'body.scopes'],
      [{ read_namespaces: ['../etc'] }, 'body.read_namespaces.0'],
      [{ read_namespaces: ['/abs'] }, 'body.read_namespaces.0'],
      [{ write_namespaces: ['a*'.repeat(300)] }, 'body.write_namespaces.0'],
      [{ label: '' }, 'body.label'],
      [{ label: 'x'.repeat(101) }, 'body.label'],
      [{ expires_at: 'tomorrow' }, 'body.expires_at'],
      [{ expires_at: '2001-01-01T00:00:00Z' }, 'body.expires_at'],
      ['[]', 'body'],
    ])('refuses %j with 422', async (body, field) => {
      const answer = await create(body);
      expect(answer.status).toBe(422);
      expect(answer.body.error.details?.[0]?.field).toBe(field);
    });

    test('answers alike for unknown agents and those of others', async () => {
      const stranger = await people.agent('stranger');
      for (const agent of ['nobody', 'agent_000000000000', stranger.id, 'stranger@stranger', 'x@nobody']) {
        const answer = await create({ agent });
        expect(answer.status).toBe(404);
        expect(answer.body.error).toMatchObject({
          code: 'agent_not_found',
          message: `agent ${agent} not found`,
        });
      }
      for (const agent of ['a@b@c', '@max', 'self@', 'two words']) {
        expect((await create({ agent })).body.error).toMatchObject({
          code: 'invalid_agent_address',
          status: 400,
        });
      }
    });
  });

  describe('list', () => {
    test('shows what is not revoked, newest first, paged, and never the key itself', async () => {
      const other = await people.owner();
      const made: KeyAnswer[] = [];
      for (const label of ['a', 'b', 'c']) {
        await clock.advance(1000);
        made.push((await create({ label }, other.key)).body);
      }
      await revoke(made[1]?.id ?? '', other.key);
      const list = (query: Record<string, string> = {}) =>
        people.call<{ keys: KeyAnswer[]; total: number }>('GET', '/v1/keys', { key: other.key, query });
      const { body, text } = await list();
      expect(body).toMatchObject({ total: 3, limit: 50, offset: 0 });
      expect(body.keys.map(({ label }) => label)).toEqual(['c', 'a', null]);
      expect(Object.keys(body.keys[0] ?? {})).toContain('last_used_at');
      for (const { api_key: secret } of made) expect(text).not.toContain(secret);
      expect(text).not.toContain(other.key);
      expect((await list({ limit: '1', offset: '1' })).body.keys.map(({ label }) => label)).toEqual(['a']);
    });

    test.each([
      [{ limit: '0' }, 'query.limit'],
      [{ limit: '101' }, 'query.limit'],
      [{ offset: '-1' }, 'query.offset'],
      [{ limit: 'x' }, 'query.limit'],
    ])('refuses %j with 422', async (query, field) => {
      const answer = await people.call<DeliveryErrorAnswer>('GET', '/v1/keys', { key: owner.key, query });
      expect(answer.status).toBe(422);
      expect(answer.body.error.message).toMatch(new RegExp(`^${field}`));
    });
  });

  describe('revoke', () => {
    test('holds at once, for the key and its sessions, and is told to open streams', async () => {
      const { body: made } = await create({ agent: await selfId() });
      const session = await people.login(made.api_key);
      const { body } = await people.whoami(session);
      const heard: string[] = [];
      const leave = onRevoked(server.context.identity, (id) => void heard.push(id));
      const answer = await revoke(made.id);
      leave();
      expect(answer.status).toBe(204);
      expect(answer.text).toBe('');
      expect(heard).toEqual([made.id, body.credential.id]);
      for (const key of [made.api_key, session]) expect((await people.whoami(key)).status).toBe(401);
    });

    test('answers alike for unknown, revoked and foreign keys', async () => {
      const stranger = await people.owner();
      const { body: foreign } = await create({}, stranger.key);
      const { body: own } = await create({});
      await revoke(own.id);
      const answers = await Promise.all(['nothing', own.id, foreign.id].map((id) => revoke(id)));
      for (const answer of answers) expect(answer.status).toBe(404);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(answers[0]?.body.error.code).toBe('key_not_found');
      expect((await people.whoami(foreign.api_key)).status).toBe(200);
    });
  });

  describe('who may manage keys', () => {
    test('not a credential of one agent', async () => {
      const agent = await people.agent();
      const session = await people.login(owner.key);
      const { body: bound } = await create({ agent: await selfId(), scopes: ['admin:peers'] });
      for (const key of [agent.key, session, bound.api_key]) {
        for (const [method, path] of [
          ['POST', '/v1/keys'],
          ['GET', '/v1/keys'],
          ['DELETE', `/v1/keys/${bound.id}`],
          ['POST', '/v1/auth/key/regenerate'],
          ['GET', '/v1/auth/webhook-secret'],
          ['PATCH', '/v1/auth/me'],
        ] as const) {
          const answer = await people.call<DeliveryErrorAnswer>(method, path, {
            key,
            headers: { 'x-confirm-destructive': 'true' },
          });
          expect(answer.status).toBe(403);
          expect(answer.body.error.code).toBe('owner_key_required');
          expect(answer.body.detail.error).toEqual(answer.body.error);
        }
      }
    });

    test('not an owner-wide key that was given less than everything', async () => {
      const { body: lesser } = await create({ scopes: ['search'] });
      const answer = await create({}, lesser.api_key);
      expect(answer.status).toBe(403);
      expect(answer.body.error).toMatchObject({
        code: 'missing_scope',
        message: 'Missing scope: admin:peers',
      });
    });

    test('not without a key: 401 before anything else', async () => {
      for (const authorization of ['', 'Basic eDp5', 'Bearer', 'Bearer nonsense']) {
        const headers = { authorization };
        const answer = await people.call<DeliveryErrorAnswer>('POST', '/v1/keys', { body: '{', headers });
        expect(answer.status).toBe(401);
        expect(answer.body.error.code).toBe('invalid_api_key');
      }
    });

    test('any spelling of the word Bearer will do', async () => {
      const headers = { authorization: `bEARER  ${owner.key}` };
      expect((await people.call('GET', '/v1/whoami', { headers })).status).toBe(200);
    });
  });

  test('spells agents as the operator said', async () => {
    const other = new People(await start({ dlAgentIdPrefix: 'agt_' }));
    const { key } = await other.owner();
    const { body: me } = await other.whoami(await other.login(key));
    expect(me.agent?.id).toMatch(/^agt_[a-z0-9]{12}$/);
    const made = await other.call<KeyAnswer>('POST', '/v1/keys', { key, body: { agent: me.agent?.id } });
    const listed = await other.call<{ keys: KeyAnswer[] }>('GET', '/v1/keys', { key });
    expect([made.body.agent, listed.body.keys[0]?.agent]).toEqual([me.agent?.id, me.agent?.id]);
  });

  test('notes when a key was last used, a minute later and never on the way', async () => {
    const { body: made } = await create({});
    const lastUsed = async () => {
      const { body } = await people.call<{ keys: KeyAnswer[] }>('GET', '/v1/keys', { key: owner.key });
      return body.keys.find(({ id }) => id === made.id)?.last_used_at;
    };
    await people.whoami(made.api_key);
    const used = new Date(clock.now()).toISOString();
    expect(await lastUsed()).toBeNull();
    await clock.advance(60_000);
    await expect.poll(lastUsed).toBe(used);
  });
});
