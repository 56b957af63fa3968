import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { INVITE_LIFETIME_MS } from './invites.ts';
import { type DeliveryErrorAnswer, People, type RoomsErrorAnswer, tally } from '../testing/people.ts';
import { createInvite } from './invites.ts';

const twenty = <T>(fn: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 20 }, (_, i) => fn(i)));

describeEachServer('registration', (start) => {
  let people: People;
  let server: TestServer;

  beforeAll(async () => {
    server = await start({ rateLimits: false });
    people = new People(server);
  });

  const registerAgent = (body: unknown) =>
    people.call<Record<string, string> & RoomsErrorAnswer>('POST', '/v1/agent/register', { body });
  const registerOwner = (body: unknown) =>
    people.call<Record<string, string> & DeliveryErrorAnswer>('POST', '/v1/auth/register', { body });

  describe('of an agent', () => {
    test('answers with an id and a key of the stated forms, and nothing else', async () => {
      const { status, headers, body } = await registerAgent({ name: '  Harbour Bot ' });
      expect(status).toBe(201);
      expect(headers['content-type']).toMatch(/^application\/json/);
      // It holds a key: nothing on the way may keep it.
      expect(headers['cache-control']).toBe('no-store');
      expect(Object.keys(body)).toEqual(['agent_id', 'api_key']);
      expect(body.agent_id).toMatch(/^agt_[a-z0-9]{12}$/);
      expect(body.api_key).toMatch(/^ak_[A-Za-z0-9_-]{32}$/);
      const { body: me } = await people.whoami(body.api_key ?? '');
      expect(me).toMatchObject({
        owner: { slug: 'harbour-bot' },
        agent: {
          id: body.agent_id?.replace('agt_', 'agent_'),
          slug: 'harbour-bot',
          display_name: 'Harbour Bot',
        },
        peer_id: 'harbour-bot',
      });
    });

    test('makes an owner of its own for every agent, with a slug of its own', async () => {
      const agents = await twenty(() => people.agent('Same Name'));
      const all = await Promise.all(agents.map(({ key }) => people.whoami(key)));
      expect(new Set(all.map(({ body }) => body.owner.id)).size).toBe(20);
      const slugs = all.map(({ body }) => body.owner.slug);
      expect(new Set(slugs).size).toBe(20);
      expect(slugs.filter((slug) => slug === 'same-name')).toHaveLength(1);
      for (const slug of slugs) expect(slug).toMatch(/^same-name(-[0-9a-f]{4,16})?$/);
      for (const { body } of all) expect(body.agent?.slug).toBe('same-name');
    });

    test('falls back to plain slugs, and does not give out reserved ones', async () => {
      const { body: wordless } = await people.whoami((await people.agent('船')).key);
      expect(wordless.agent?.slug).toBe('agent');
      expect(wordless.owner.slug).toMatch(/^user/);
      const { body: reserved } = await people.whoami((await people.agent('Admin')).key);
      expect(reserved.agent?.slug).toMatch(/^admin-[0-9a-f]{4}$/);
    });

    test('takes 80 characters, counted as a person counts them', async () => {
      expect((await registerAgent({ name: '🌊'.repeat(80) })).status).toBe(201);
      expect((await registerAgent({ name: '🌊'.repeat(81) })).status).toBe(400);
    });

    test.each([
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: '   ' }, 'name'],
      [{ name: 7 }, 'name'],
      [{ name: null }, 'name'],
      [{ name: 'a\u0000b' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ name: 'x'.repeat(81) }, 'name'],
      ['not json', 'JSON'],
      ['[1]', 'JSON'],
      ['', 'name'],
    ])('refuses %j and names what is wrong', async (body, named) => {
      const answer = await registerAgent(body);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: 'invalid_request', status: 400, recoverable: false });
      expect(answer.body.hint).toContain(named);
    });

    test('refuses other methods and bodies over 64 KiB in its own shape', async () => {
      const wrong = await people.call('GET', '/v1/agent/register');
      expect(wrong.status).toBe(405);
      expect(wrong.headers.allow).toBe('POST');
      expect(wrong.body).toEqual({
        error: 'method_not_allowed',
        status: 405,
        recoverable: false,
        allow: ['POST'],
        hint: 'Use one of: POST.',
      });
      const large = await registerAgent({ name: 'x', filler: 'x'.repeat(65_536) });
      expect(large.status).toBe(413);
      expect(large.body).toMatchObject({ error: 'payload_too_large', recoverable: true });
    });

    test('echoes the request id it was given, cut, or makes one', async () => {
      const named = await people.call('POST', '/v1/agent/register', {
        headers: { 'x-request-id': 'r'.repeat(80) },
      });
      expect(named.headers['x-request-id']).toBe('r'.repeat(64));
      expect((await registerAgent({})).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  describe('of an owner', () => {
    test('answers with an owner-wide key, the slug from the address and the id', async () => {
      const { status, headers, body } = await registerOwner({ email: ' Ada.Love+Lace@example.com ' });
      expect(status).toBe(201);
      expect(headers['x-request-id']).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(Object.keys(body)).toEqual(['api_key', 'email', 'slug', 'id']);
      expect(body).toMatchObject({ email: 'Ada.Love+Lace@example.com', slug: 'ada-love-lace' });
      expect(body.api_key).toMatch(/^cue_sk_[0-9a-f]{32}$/);
      expect(body.id).toMatch(/^[0-9a-f-]{36}$/);
    });

    test('gives one of twenty that come at once with one address a 201, the others 409', async () => {
      const answers = await twenty((i) =>
        registerOwner({ email: i % 2 ? 'race@example.com' : 'RACE@Example.com' }),
      );
      expect(tally(answers)).toEqual({ 201: 1, 409: 19 });
      const loser = answers.find(({ status }) => status === 409)?.body;
      const envelope = {
        code: 'duplicate_email',
        message: 'this email address is already registered',
        status: 409,
      };
      expect(loser).toEqual({ error: envelope, detail: { error: envelope } });
    });

    test('gives each of twenty with one local part a slug of its own', async () => {
      const answers = await twenty((i) => registerOwner({ email: `max@d${i}.example.com` }));
      expect(tally(answers)).toEqual({ 201: 20 });
      expect(new Set(answers.map(({ body }) => body.slug)).size).toBe(20);
      for (const { body } of answers) expect(body.slug).toMatch(/^max(-[0-9a-f]{4,16})?$/);
    });

    test.each([{}, { email: 'nobody' }, { email: 5 }, { email: `${'x'.repeat(250)}@example.com` }])(
      'refuses %j with 422 and the field',
      async (body) => {
        const answer = await registerOwner(body);
        expect(answer.status).toBe(422);
        expect(answer.body.error.code).toBe('validation_error');
        expect(answer.body.error.message).toMatch(/^body\.email/);
        expect(answer.body.error.details?.[0]?.field).toBe('body.email');
        expect(answer.body.detail.error).toEqual(answer.body.error);
      },
    );

    test('tells broken JSON, wrong methods and bodies over 1 MiB apart', async () => {
      expect((await registerOwner('{')).body.error).toMatchObject({ code: 'invalid_json', status: 400 });
      const wrong = await people.call<DeliveryErrorAnswer>('GET', '/v1/auth/register');
      expect(wrong.body.error).toMatchObject({ code: 'http_error', status: 405 });
      expect(wrong.headers.allow).toBe('POST');
      const large = await registerOwner({ email: 'x', filler: 'x'.repeat(1024 * 1024) });
      expect(large.body.error).toMatchObject({ code: 'request_too_large', status: 413 });
    });

    test('answers preflight requests of any page', async () => {
      const { status, headers } = await people.call('OPTIONS', '/v1/auth/register', {
        headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
      });
      expect(status).toBe(204);
      expect(headers['access-control-allow-origin']).toBe('*');
      for (const name of ['X-Confirm-Destructive', 'Prefer', 'If-None-Match', 'X-Worker-Id']) {
        expect(headers['access-control-allow-headers']).toContain(name);
      }
    });
  });
});

describeEachServer('registration › modes', (start) => {
  const clock = new FakeClock();

  test('is open on a loopback address', async () => {
    const server = await start({ clock });
    expect(server.context.identity.startInvite).toBeUndefined();
    await new People(server).agent();
  });

  test('closed: an owner finds nothing, an agent is refused', async () => {
    const people = new People(await start({ clock, registration: 'closed' }));
    const owner = await people.call<DeliveryErrorAnswer>('POST', '/v1/auth/register', {
      body: { email: 'a@example.com' },
    });
    expect(owner.status).toBe(404);
    expect(owner.body.error.code).toBe('not_found');
    const agent = await people.call('POST', '/v1/agent/register', { body: { name: 'x' } });
    expect(agent.status).toBe(403);
    expect(agent.body).toMatchObject({ error: 'forbidden', status: 403, recoverable: false });
  });

  describe('invite', () => {
    let server: TestServer;
    let people: People;
    const register = (invite: string | undefined, email = 'a@example.com') =>
      people.call<DeliveryErrorAnswer>('POST', '/v1/auth/register', { body: { email, invite } });

    beforeAll(async () => {
      server = await start({ clock, registration: 'invite', rateLimits: false });
      people = new People(server);
    });

    test('makes a code at the start, which the log does not show', () => {
      expect(server.context.identity.startInvite).toMatch(/^inv_[A-Za-z0-9_-]{24}$/);
      expect(server.rawLog()).not.toContain('inv_');
    });

    test('refuses without a code and with a wrong one, alike', async () => {
      const without = await register(undefined);
      expect(without.status).toBe(403);
      expect(without.body.error.code).toBe('invite_required');
      expect((await register('inv_aaaaaaaaaaaaaaaaaaaaaaaa')).text).toBe(without.text);
      const agent = await people.call<RoomsErrorAnswer>('POST', '/v1/agent/register', {
        body: { name: 'x' },
      });
      expect(agent.body).toMatchObject({ error: 'forbidden', status: 403 });
      expect(agent.body.hint).toContain('invite');
    });

    test('lets exactly one of twenty in with the same code', async () => {
      const code = server.context.identity.startInvite ?? '';
      const answers = await twenty((i) => register(code, `race${i}@example.com`));
      expect(tally(answers)).toEqual({ 201: 1, 403: 19 });
    });

    test('takes the code from the header too, for agents as well', async () => {
      const { code } = await createInvite(server.context.identity);
      const call = () =>
        people.call('POST', '/v1/agent/register', {
          body: { name: 'x' },
          headers: { 'x-parley-invite': code },
        });
      expect((await call()).status).toBe(201);
      expect((await call()).status).toBe(403);
    });

    test('is not used up by a registration that fails, and tells nobody without a code which addresses are known', async () => {
      const { code } = await createInvite(server.context.identity);
      const { code: first } = await createInvite(server.context.identity);
      expect((await register(first, 'known@example.com')).status).toBe(201);
      expect((await register('inv_x', 'known@example.com')).status).toBe(403);
      expect((await register(code, 'known@example.com')).status).toBe(409);
      expect((await register(code, 'new@example.com')).status).toBe(201);
    });

    test('ends after a week', async () => {
      const { code } = await createInvite(server.context.identity);
      await clock.leap(INVITE_LIFETIME_MS);
      expect((await register(code, 'late@example.com')).status).toBe(403);
    });
  });
});
