import { CONSOLE_ROUTES } from '@parley/protocol/console/routes';
import type { ConsoleWebhooksAnswer } from '@parley/protocol/console/webhook-routes';
import { DELIVERY_ROUTES } from '@parley/protocol/delivery/routes';
import type { RouteDeclaration } from '@parley/protocol/route';
import { beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { describeEachServer } from '../testing/each-server.ts';
import type { TestServer } from '../testing/start-server.ts';
import { conversation } from './testing/conversation.ts';
import { PersonClient } from './testing/person-client.ts';

const ROUTES: readonly RouteDeclaration[] = CONSOLE_ROUTES;
/** Those that answer at once; who signs in is asked for nothing. */
const asked = ROUTES.filter(({ auth, path }) => auth !== 'none' && !path.endsWith('/stream'));
/** Bob's own: they end his session, or begin one. */
const isOwn = ({ path, method }: RouteDeclaration): boolean =>
  path === '/v1/console/session' || (path.startsWith('/v1/console/sessions') && method === 'GET');
const TAKES_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Every route of the console, with what is Ann's in its path. */
describeEachServer('console › every route of it', (start) => {
  let server: TestServer;
  let ann: MessageClient;
  let anns: PersonClient;
  let bobs: PersonClient;
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    server = await start({ rateLimits: false, callbackAllow: ['127.0.0.1'] });
    ann = await MessageClient.register(server, 'ann@example.com');
    const bob = await MessageClient.register(server, 'bob@example.com');
    await ann.create({ slug: 'harbour', webhook_url: 'http://127.0.0.1:9/annshook' });
    await ann.create({ slug: 'tide' });
    anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    bobs = await PersonClient.signIn(server, { api_key: bob.owner.key });
    const { id } = await ann.send('harbour', { subject: 'annsword', body: 'annsword' });
    const { room_id: room } = await conversation(
      [anns.as('harbour'), anns.as('tide')],
      { topic: 'annsword' },
      ['annsword'],
    );
    const { webhooks } = await anns.read<ConsoleWebhooksAnswer>('/v1/console/webhooks');
    const { sessions } = await anns.read<{ sessions: { id: string }[] }>('/v1/console/sessions');
    ids = { message: id, room, webhook: webhooks[0]?.id ?? '', session: sessions[0]?.id ?? '' };
  });

  const filled = (path: string): string => {
    const kind = ['room', 'webhook', 'session'].find((each) => path.includes(`/${each}s/`)) ?? 'message';
    return path
      .replace('{ref}', `harbour@${ann.owner.slug}`)
      .replace('{id}', ids[kind] ?? '')
      .replaceAll(/\{\w+\}/g, 'main');
  };
  const call = (person: PersonClient, { method, path }: RouteDeclaration) =>
    person.call(method, filled(path), {
      ...(TAKES_BODY.has(method) && { body: {} }),
      ...(method === 'GET' && { query: { owner: ann.owner.slug, q: 'annsword' } }),
    });

  test('owner B sees and changes nothing of owner A', async () => {
    for (const route of asked.filter((each) => !isOwn(each))) {
      const { status, text } = await call(bobs, route);
      const said = `${route.method} ${filled(route.path)}: ${status} ${text}`;
      expect(text.replaceAll(filled(route.path), ''), said).not.toMatch(/annsword|annshook|harbour/);
      expect(status, said).not.toBe(500);
      if (route.path.includes('{') || route.auth === 'operator')
        expect(status, said).toBeGreaterThanOrEqual(400);
    }
    expect((await ann.message(ids['message'] ?? '')).delivery_state).not.toBe('expired');
    expect((await anns.call('GET', '/v1/console/session')).status).toBe(200);
  });

  test('a form of another site changes nothing', async () => {
    const forms: Record<string, string>[] = [
      { origin: 'http://evil.example', 'content-type': 'text/plain' },
      { origin: server.url, 'content-type': 'text/plain' },
      { origin: 'http://evil.example', 'x-parley-console': '1' },
    ];
    for (const { method, path } of asked.filter((each) => each.method !== 'GET')) {
      for (const headers of forms) {
        const body = TAKES_BODY.has(method) ? { body: {} } : {};
        const { status } = await anns.client.call(method, filled(path), {
          ...body,
          headers: { cookie: anns.cookie, ...headers },
        });
        expect([400, 401, 403], `${method} ${path}`).toContain(status);
      }
    }
    expect((await anns.call('GET', '/v1/console/session')).status).toBe(200);
  });

  test('a cookie that is signed out opens nothing, here or on the routes of agents', async () => {
    const gone = await PersonClient.signIn(server, { api_key: ann.owner.key });
    expect((await gone.call('GET', '/v1/agents')).status).toBe(200);
    await gone.call('DELETE', '/v1/console/session');
    const agents: readonly RouteDeclaration[] = DELIVERY_ROUTES;
    const keyed = agents.filter(
      ({ auth, path, unsupported }) => auth !== 'none' && !path.includes('stream') && !unsupported,
    );
    for (const route of [...asked, ...keyed]) {
      const { status } = await call(gone, route);
      expect(status, `${route.method} ${route.path}`).toBe(401);
    }
  });
});
