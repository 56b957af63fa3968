import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { People, type RoomsErrorAnswer, tally } from '../testing/people.ts';
import { onRevoked } from './revocations.ts';

const DAY = 24 * 3_600_000;
const UNAUTHORIZED = {
  error: 'unauthorized',
  status: 401,
  recoverable: true,
  hint: 'Log in again and repeat the call with the new token.',
};

describeEachServer('sessions', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let people: People;
  let revoked: string[];

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    people = new People(server);
    revoked = [];
    onRevoked(server.context.identity, (id) => void revoked.push(id));
  });

  const login = (body: unknown) =>
    people.call<Record<string, string> & RoomsErrorAnswer>('POST', '/v1/agent/login', { body });
  const idOf = async (key: string): Promise<string> => (await people.whoami(key)).body.credential.id;

  const rotate = (key: string) =>
    people.call<Record<string, string>>('POST', '/v1/agent/keys/rotate', { key });

  describe('login', () => {
    test('gives a session that acts as the agent for exactly 14 days, however much it is used', async () => {
      const agent = await people.agent();
      const { status, body } = await login({ api_key: ` ${agent.key}\n` });
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['session_token', 'agent_id', 'expires_at']);
      expect(body.session_token).toMatch(/^as_[A-Za-z0-9_-]{32}$/);
      expect(body.agent_id).toBe(agent.id);
      expect(Date.parse(body.expires_at ?? '')).toBe(clock.now() + 14 * DAY);
      const token = body.session_token ?? '';
      expect((await people.whoami(token)).body).toMatchObject({
        agent: { id: `agent_${agent.suffix}` },
        credential: { kind: 'session', expires_at: new Date(clock.now() + 14 * DAY).toISOString() },
      });
      await clock.leap(14 * DAY - 1);
      expect((await people.whoami(token)).status).toBe(200);
      await clock.advance(1);
      expect((await people.whoami(token)).status).toBe(401);
      expect((await people.whoami(agent.key)).status).toBe(200);
    });

    test('leaves earlier sessions alone', async () => {
      const { key } = await people.agent();
      const tokens = [await people.login(key), await people.login(key)];
      expect(new Set(tokens).size).toBe(2);
      for (const token of tokens) expect((await people.whoami(token)).status).toBe(200);
    });

    test.each([{}, { api_key: '' }, { api_key: '  ' }, { api_key: 5 }, 'x'])(
      'refuses %j with 400',
      async (body) => {
        const answer = await login(body);
        expect(answer.status).toBe(400);
        expect(answer.body.error).toBe('invalid_request');
      },
    );

    test('knows no other key, and takes no session token for a key', async () => {
      const { key } = await people.agent();
      const token = await people.login(key);
      for (const wrong of [
        'nonsense',
        `ak_${'a'.repeat(32)}`,
        `cue_sk_${'0'.repeat(32)}`,
        token,
        `${key}x`,
        `ak_${'a'.repeat(5000)}`,
      ]) {
        const answer = await login({ api_key: wrong });
        expect(answer.status).toBe(401);
        expect(answer.body).toMatchObject({ error: 'unauthorized', status: 401, recoverable: true });
      }
    });

    test('with an owner-wide key acts as the agent self, made once', async () => {
      const { key, slug } = await people.owner();
      const tokens = await Promise.all(Array.from({ length: 10 }, () => people.login(key)));
      const answers = await Promise.all(tokens.map((token) => people.whoami(token)));
      expect(new Set(answers.map(({ body }) => body.agent?.id)).size).toBe(1);
      expect(answers[0]?.body).toMatchObject({ agent: { address: `self@${slug}` }, peer_id: 'self' });
    });
  });

  describe('ending', () => {
    test('ends the calling session at once and tells its streams', async () => {
      const { key } = await people.agent();
      const [ended, other] = [await people.login(key), await people.login(key)];
      const id = await idOf(ended);
      const answer = await people.call('DELETE', '/v1/agent/session', { key: ended });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ ended: 1 });
      expect(revoked).toContain(id);
      expect((await people.call('DELETE', '/v1/agent/session', { key: ended })).body).toEqual(UNAUTHORIZED);
      expect((await people.whoami(other)).status).toBe(200);
    });

    test('needs a session: a key is told so', async () => {
      const { key } = await people.agent();
      const answer = await people.call('DELETE', '/v1/agent/session', { key });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: 'invalid_request' });
      expect((await people.call('DELETE', '/v1/agent/session')).body).toEqual(UNAUTHORIZED);
    });

    test('ends all sessions of the agent, and of nobody else', async () => {
      const [mine, other] = [await people.agent(), await people.agent()];
      const tokens = await Promise.all([1, 2, 3].map(() => people.login(mine.key)));
      const stranger = await people.login(other.key);
      const ids = await Promise.all(tokens.map(idOf));
      const answer = await people.call('DELETE', '/v1/agent/sessions', { key: mine.key });
      expect(answer.body).toEqual({ ended: 3 });
      expect(revoked).toEqual(expect.arrayContaining(ids));
      for (const token of tokens) expect((await people.whoami(token)).status).toBe(401);
      for (const key of [mine.key, stranger]) expect((await people.whoami(key)).status).toBe(200);
    });
  });

  describe('key rotation', () => {
    test('gives a new key; the old one and its sessions end, the one that asked goes on', async () => {
      const agent = await people.agent();
      const [asking, other] = [await people.login(agent.key), await people.login(agent.key)];
      const gone = await Promise.all([idOf(agent.key), idOf(other)]);
      const { status, body } = await rotate(asking);
      expect(status).toBe(200);
      expect(body.agent_id).toBe(agent.id);
      expect(body.api_key).toMatch(/^ak_/);
      expect(revoked).toEqual(expect.arrayContaining(gone));
      for (const key of [agent.key, other]) expect((await people.whoami(key)).status).toBe(401);
      for (const key of [asking, body.api_key ?? '']) {
        expect((await people.whoami(key)).body.agent?.id).toBe(`agent_${agent.suffix}`);
      }
    });

    test('has one winner when several rotate at once', async () => {
      const { key } = await people.agent();
      const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(key)));
      expect(tally(answers)).toEqual({ 200: 1, 401: 9 });
    });

    test('never tells a session that stands to log in again, when it rotates several times at once', async () => {
      const { key } = await people.agent();
      const asking = await people.login(key);
      const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(asking)));
      const { 200: won = 0, 409: lost = 0 } = tally(answers);
      expect(won).toBeGreaterThan(0);
      expect(won + lost).toBe(10);
      for (const { status, body } of answers) if (status === 409) expect(body.error).toBe('conflict');
      expect((await people.whoami(asking)).status).toBe(200);
    });

    test('gives no owner-wide key to a session that acts for one agent', async () => {
      const { key } = await people.owner();
      const token = await people.login(key);
      for (const credential of [key, token]) {
        const answer = await rotate(credential);
        expect(answer.status).toBe(403);
        expect(answer.body).toMatchObject({ error: 'forbidden' });
      }
      expect((await people.whoami(key)).status).toBe(200);
    });
  });

  describe('stillValid', () => {
    test('follows the credential to its end', async () => {
      const { identity } = server.context;
      const { key } = await people.agent();
      const token = await people.login(key);
      const [byKey, bySession] = [await identity.authenticate(key), await identity.authenticate(token)];
      if (!byKey || !bySession) throw new Error('not authenticated');
      const both = () =>
        Promise.all([
          identity.credentials.stillValid(byKey.credential),
          identity.credentials.stillValid(bySession.credential),
        ]);
      expect(await both()).toEqual([true, true]);
      await people.call('DELETE', '/v1/agent/sessions', { key });
      expect(await both()).toEqual([true, false]);
      await rotate(key);
      expect(await both()).toEqual([false, false]);
    });

    test('ends with the time of a session', async () => {
      const { identity } = server.context;
      const caller = await identity.authenticate(await people.login((await people.agent()).key));
      if (!caller) throw new Error('not authenticated');
      await clock.leap((caller.credential.expiresAt ?? 0) - clock.now() - 1);
      expect(await identity.credentials.stillValid(caller.credential)).toBe(true);
      await clock.advance(1);
      expect(await identity.credentials.stillValid(caller.credential)).toBe(false);
    });
  });

  test('says plainly that logout is not supported, to anyone', async () => {
    const answer = await people.call('POST', '/v1/agent/logout');
    expect(answer.status).toBe(501);
    expect(answer.body).toEqual({
      error: 'endpoint_not_supported',
      status: 501,
      recoverable: false,
      endpoint: '/v1/agent/logout',
      hint: 'Logout is not implemented. Use DELETE /v1/agent/session to end a session, or let it expire.',
    });
  });

  test('refuses the credentials of a deleted agent, whose name others can still look up', async () => {
    const { identity, database } = server.context;
    const [one, two] = [await people.agent('One'), await people.agent('Two')];
    const token = await people.login(one.key);
    const callers = [await identity.authenticate(one.key), await identity.authenticate(token)];
    await database.write((tx) => tx.run(sql`UPDATE agents SET deleted_at = 1 WHERE suffix = ${one.suffix}`));
    for (const key of [one.key, token]) expect((await people.whoami(key)).status).toBe(401);
    for (const caller of callers)
      expect(caller && (await identity.credentials.stillValid(caller.credential))).toBe(false);
    const found = await identity.directory.bySuffix([one.suffix, two.suffix, two.suffix, 'nobodynobody']);
    expect(new Set(found.keys())).toEqual(new Set([one.suffix, two.suffix]));
    expect(found.get(one.suffix)).toMatchObject({ name: 'One', slug: 'one' });
    expect(await identity.directory.bySuffix([])).toEqual(new Map());
  });
});
