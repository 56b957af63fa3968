import { DELIVERY_ROUTES } from '@parley/protocol/delivery/routes';
import { IDENTITY_ROUTES } from '@parley/protocol/identity/routes';
import { CONTINUITY_ROUTES } from '@parley/protocol/continuity/routes';
import { COORDINATION_ROUTES } from '@parley/protocol/coordination/routes';
import { KNOWLEDGE_ROUTES } from '@parley/protocol/knowledge/routes';
import { ALL_ROOMS_ROUTES } from '@parley/protocol/rooms/endpoints';
import type { RouteDeclaration } from '@parley/protocol/route';
import { SCHEDULE_ROUTES } from '@parley/protocol/schedule/routes';
import { beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { sql } from '../platform/database/sql.ts';
import { describeEachServer } from '../testing/each-server.ts';
import type { TestServer } from '../testing/start-server.ts';
import { conversation } from './testing/conversation.ts';
import { PersonClient } from './testing/person-client.ts';

const ROUTES: readonly RouteDeclaration[] = [
  ...DELIVERY_ROUTES,
  ...IDENTITY_ROUTES,
  ...ALL_ROOMS_ROUTES,
  ...CONTINUITY_ROUTES,
  ...SCHEDULE_ROUTES,
  ...COORDINATION_ROUTES,
  ...KNOWLEDGE_ROUTES,
];
/** Those that ask for a credential, and answer at once. */
const asked = ROUTES.filter(
  ({ auth, path, unsupported }) =>
    !['none', 'human_code', 'viewer_token', 'bearer_or_human_code'].includes(auth) &&
    !path.includes('stream') &&
    !unsupported,
);

const TAKES_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

describeEachServer('console › the cookie in place of a key', (start) => {
  let server: TestServer;
  let ann: MessageClient;
  let bob: MessageClient;
  let anns: PersonClient;
  let bobs: PersonClient;
  let sent: { id: string; execution_id: string };

  beforeAll(async () => {
    server = await start({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    ann = await MessageClient.register(server, 'ann@example.com');
    bob = await MessageClient.register(server, 'bob@example.com');
    await ann.create({ slug: 'harbour', webhook_url: 'http://127.0.0.1:9/hook' });
    await ann.attach('harbour', { session_token: 'tell-nobody-of-this-one' });
    sent = await ann.send('harbour', { body: 'for ann alone' });
    anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    bobs = await PersonClient.signIn(server, { api_key: bob.owner.key });
  });

  test('opens the routes of its owner', async () => {
    const { body } = await anns.call<{ agents: { slug: string }[] }>('GET', '/v1/agents');
    expect(body.agents.map(({ slug }) => slug)).toContain('harbour');
    expect((await anns.call('GET', `/v1/messages/${sent.id}`)).status).toBe(200);
    const made = await anns.call('POST', '/v1/agents', { body: { slug: 'quay' } });
    expect(made.status).toBe(201);
  });

  test('owner B sees and changes nothing of owner A, on any route', async () => {
    for (const { method, path } of asked) {
      const own = path
        .replace('{ref}', `harbour@${ann.owner.slug}`)
        .replace('{id}', path.startsWith('/v1/messages') ? sent.id : sent.execution_id)
        .replaceAll(/\{\w+\}/g, 'main');
      const answer = await bobs.call(method, own, {
        ...(TAKES_BODY.has(method) && { body: {} }),
        headers: { 'x-confirm-destructive': 'true' },
      });
      const said = `${method} ${own}: ${answer.status} ${answer.text}`;
      expect(said).not.toMatch(/for ann alone|127\.0\.0\.1:9.hook/);
      expect(answer.status, said).not.toBe(500);
      // Agents of others are named, and addressed; nothing of theirs is opened.
      if (path.includes('{ref}') && !path.endsWith('/profile'))
        expect(answer.status, said).toBeGreaterThanOrEqual(400);
    }
  });

  test('a form of another site changes nothing, on any route', async () => {
    const forms: Record<string, string>[] = [
      { cookie: anns.cookie, origin: 'http://evil.example', 'content-type': 'text/plain' },
      { cookie: anns.cookie, origin: server.url, 'content-type': 'text/plain' },
      { cookie: anns.cookie, origin: 'http://evil.example', 'x-parley-console': '1' },
      { cookie: anns.cookie, origin: 'null', 'x-parley-console': '1' },
      { cookie: anns.cookie, 'x-parley-console': '1' },
    ];
    for (const { method, path } of asked.filter((route) => route.method !== 'GET')) {
      const target = path.replace('{ref}', 'harbour').replaceAll(/\{\w+\}/g, 'main');
      for (const headers of forms) {
        const body = TAKES_BODY.has(method) ? { body: {} } : {};
        const { status } = await anns.client.call(method, target, { ...body, headers });
        // The memory protocols look at the body before they look at who asks.
        expect([400, 401, 403, 422], `${method} ${target}`).toContain(status);
      }
    }
  });

  test('a page on another port of this machine reads nothing with it', async () => {
    const headers = { cookie: anns.cookie, 'sec-fetch-site': 'same-site' };
    expect((await anns.client.call('GET', '/v1/agents', { headers })).status).toBe(401);
  });

  test('shows no token and no secret', async () => {
    for (const path of [
      '/v1/agents',
      '/v1/agents/harbour',
      '/v1/agents/directory',
      '/v1/agents/harbour/live-sessions',
      '/v1/agents/harbour/webhook-secret',
      '/v1/auth/webhook-secret',
      '/v1/auth/me',
    ]) {
      const { status, text } = await anns.call('GET', path);
      expect(status).toBe(200);
      expect(text).not.toMatch(/tell-nobody-of-this-one|whsec_[\w-]{8}|cue_sk_[0-9a-f]{20}/);
    }
  });

  test('an operator on its own machine acts for any owner it names', async () => {
    const operator = await PersonClient.operator(server);
    expect((await operator.call('GET', '/v1/agents')).status).toBe(403);
    const forAnn = operator.for(ann.owner.slug);
    expect((await forAnn.call('GET', `/v1/messages/${sent.id}`)).status).toBe(200);
    expect(
      (await operator.for(ann.owner.id).call('POST', '/v1/agents', { body: { slug: 'pier' } })).status,
    ).toBe(201);
    expect(
      (await anns.for(bob.owner.slug).call<{ owner: { slug: string } }>('GET', '/v1/whoami')).body.owner.slug,
    ).toBe(ann.owner.slug);
  });
});

describeEachServer('console › an operator among strangers', (start) => {
  const place = {
    rateLimits: false,
    publicUrl: 'http://127.0.0.1:1',
    registration: 'open',
    allowOpenRegistration: true,
  } as const;

  test.each(['names', 'content'] as const)(
    'reads texts only if the server says so: %s',
    async (operatorReads) => {
      const server = await start({ ...place, operatorReads });
      const ann = await MessageClient.register(server, 'ann@example.com');
      await ann.create({ slug: 'harbour' });
      const { id } = await ann.send('harbour', { body: 'words' });
      const operator = (await PersonClient.operator(server)).for(ann.owner.slug);
      const reads = operatorReads === 'content';
      expect((await operator.call('GET', `/v1/messages/${id}`)).status).toBe(reads ? 200 : 403);
      expect((await operator.call('POST', '/v1/agents', { body: { slug: 'pier' } })).status).toBe(403);
      const lines = await server.context.database.read.all(
        sql`SELECT action, object, owner_id FROM console_audit WHERE action = 'looked'`,
      );
      expect(lines).toEqual(
        reads ? [{ action: 'looked', object: `GET /v1/messages/${id}`, owner_id: ann.owner.id }] : [],
      );
    },
  );

  test('lists show texts only of an owner that is named, which is noted', async () => {
    const server = await start({ ...place, operatorReads: 'content' });
    const ann = await MessageClient.register(server, 'ann@example.com');
    await ann.create({ slug: 'harbour' });
    await ann.create({ slug: 'tide' });
    await ann.send('harbour', { subject: 'annsword', body: 'x' });
    const anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    await conversation([anns.as('harbour'), anns.as('tide')], { topic: 'annsword' }, ['annsword']);
    const operator = await PersonClient.operator(server);
    const lists = ['messages', 'threads', 'rooms', 'search?q=anns', 'overview', 'activity'];
    const looks = () =>
      server.context.database.read.all<{ object: string }>(
        sql`SELECT object FROM console_audit WHERE action = 'looked' ORDER BY id`,
      );
    for (const list of lists) {
      const { text, status } = await operator.call('GET', `/v1/console/${list}`);
      expect([list, status]).toEqual([list, 200]);
      expect(text, list).not.toContain('annsword');
    }
    expect((await operator.call('GET', '/v1/console/threads', { query: { q: 'anns' } })).status).toBe(400);
    expect(await looks()).toEqual([]);
    const named = operator.for(ann.owner.slug);
    for (const list of ['messages', 'threads', 'rooms'])
      expect((await named.call('GET', `/v1/console/${list}`)).text, list).toContain('annsword');
    expect((await looks()).map(({ object }) => object)).toEqual([
      'GET /v1/console/messages',
      'GET /v1/console/threads',
      'GET /v1/console/rooms',
    ]);
  });
});
