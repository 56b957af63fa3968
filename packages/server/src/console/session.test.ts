import { CONSOLE_SESSION_MS } from '@parley/protocol/console/session-routes';
import { beforeAll, expect, test } from 'vitest';
import { People } from '../identity/testing/people.ts';
import { operatorCode } from '../identity/sign-ins/operator-code.ts';
import { sql } from '../platform/database/sql.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { TestServer } from '../testing/start-server.ts';
import { cookieIn, pageHeaders, PersonClient } from './testing/person-client.ts';

interface Errors {
  error: { code: string; message: string };
}
interface Sessions {
  sessions: { id: string; current: boolean; role: string }[];
}

describeEachServer('console › sign-in', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let people: People;
  let ann: { id: string; slug: string; key: string };
  let bob: { id: string; slug: string; key: string };

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    people = new People(server);
    ann = await people.owner('ann@example.com');
    bob = await people.owner('bob@example.com');
  });

  const code = () => operatorCode(server.context.secrets, clock.now());
  const enter = (body: object, headers: Record<string, string> = pageHeaders(server.url)) =>
    people.client.call<Errors>('POST', '/v1/console/session', { body, headers });

  test('the code of an operator opens the console once, within five minutes', async () => {
    const first = code();
    const late = code();
    expect((await enter({ code: first })).status).toBe(201);
    expect((await enter({ code: first })).body.error.code).toBe('invalid_token');
    expect((await enter({ code: `${first}x` })).body.error.code).toBe('invalid_token');
    await clock.advance(5 * 60_000);
    expect((await enter({ code: late })).body.error.code).toBe('invalid_token');
  });

  test('the cookie is for the browser alone, and Secure behind https', async () => {
    const { headers } = await enter({ api_key: ann.key });
    expect(headers['set-cookie']?.[0]).toMatch(
      /^parley_console=pcs_[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const proxied = await start({ publicUrl: 'https://parley.example', trustedProxies: ['127.0.0.1'] });
    const made = operatorCode(proxied.context.secrets, proxied.context.clock.now());
    const answer = await new People(proxied).client.call('POST', '/v1/console/session', {
      body: { code: made },
      headers: { ...pageHeaders('https://parley.example'), 'x-forwarded-proto': 'https' },
    });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; SameSite=Strict; Secure$/);
  });

  test('a key that is not for the whole owner opens nothing', async () => {
    const agent = await people.agent('bound');
    expect((await enter({ api_key: agent.key })).body.error.code).toBe('owner_key_required');
    expect((await enter({ api_key: `cue_sk_${'0'.repeat(32)}` })).body.error.code).toBe('invalid_api_key');
  });

  test('a page of another site signs nobody in', async () => {
    const own = pageHeaders(server.url);
    const { 'x-parley-console': _header, ...form } = own;
    expect((await enter({ api_key: ann.key }, form)).status).toBe(403);
    expect((await enter({ api_key: ann.key }, { ...own, origin: 'http://evil.example' })).status).toBe(403);
    expect((await enter({ api_key: ann.key }, { ...own, 'sec-fetch-site': 'same-site' })).status).toBe(403);
  });

  test('a login by device code never shows the key to the page', async () => {
    const device = 'CONSOLE-DEVICE-CODE-1';
    const links: string[] = [];
    server.context.identity.hooks.loginLink.push(({ url }) => links.push(url));
    await people.call('POST', '/v1/auth/device-code', { body: { device_code: device } });
    expect((await enter({ device_code: device })).body.error).toMatchObject({
      code: 'invalid_state',
      login: 'pending',
    });
    await people.call('POST', '/v1/auth/device-code/submit-email', {
      body: { device_code: device, email: 'ann@example.com' },
    });
    const token = new URL(links[0] ?? '').searchParams.get('token');
    await people.client.call('POST', '/v1/auth/verify', {
      body: { token },
      headers: { accept: 'application/json' },
    });
    const answer = await enter({ device_code: device });
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain('cue_sk_');
    expect(answer.body).toMatchObject({ role: 'owner', owner: { slug: ann.slug } });
  });

  test('lasts 12 hours from its last use, and ends with its key', async () => {
    const person = await PersonClient.signIn(server, { api_key: bob.key });
    await clock.leap(CONSOLE_SESSION_MS - 1000);
    expect((await person.call('GET', '/v1/console/session')).status).toBe(200);
    await clock.leap(CONSOLE_SESSION_MS - 1000);
    expect((await person.call('GET', '/v1/console/session')).status).toBe(200);
    await clock.leap(CONSOLE_SESSION_MS);
    expect((await person.call('GET', '/v1/console/session')).status).toBe(401);

    const made = await people.call<{ id: string; api_key: string }>('POST', '/v1/keys', {
      key: bob.key,
      body: {},
    });
    const second = await PersonClient.signIn(server, { api_key: made.body.api_key });
    await people.call('DELETE', `/v1/keys/${made.body.id}`, { key: bob.key });
    expect((await second.call('GET', '/v1/console/session')).status).toBe(401);
    expect((await second.call('GET', '/v1/agents')).status).toBe(401);
  });

  test('signing out ends it on the server: the cookie opens nothing any more', async () => {
    const person = await PersonClient.signIn(server, { api_key: ann.key });
    expect((await person.call('GET', '/v1/agents')).status).toBe(200);
    const out = await person.call('DELETE', '/v1/console/session');
    expect([out.status, cookieIn(out)]).toEqual([204, 'parley_console=']);
    for (const path of ['/v1/console/session', '/v1/agents', '/v1/console/sessions']) {
      expect((await person.call('GET', path)).status).toBe(401);
    }
  });

  test('sessions of the same owner are listed and ended, others are not there', async () => {
    const one = await PersonClient.signIn(server, { api_key: ann.key });
    const two = await PersonClient.signIn(server, { api_key: ann.key });
    const other = await PersonClient.signIn(server, { api_key: bob.key });
    const { sessions } = await one.read<Sessions>('/v1/console/sessions');
    const twin = (await two.read<{ id: string }>('/v1/console/session')).id;
    const foreign = (await other.read<{ id: string }>('/v1/console/session')).id;
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    expect(sessions.map(({ id }) => id)).toContain(twin);
    expect(sessions.map(({ id }) => id)).not.toContain(foreign);
    expect((await one.call('DELETE', `/v1/console/sessions/${foreign}`)).status).toBe(404);
    expect((await one.call('DELETE', `/v1/console/sessions/${twin}`)).status).toBe(204);
    expect((await two.call('GET', '/v1/agents')).status).toBe(401);
    expect((await other.call('GET', '/v1/agents')).status).toBe(200);
  });

  test('neither cookie nor code is in the log or in the store', async () => {
    const made = code();
    const answer = await enter({ code: made });
    const cookie = cookieIn(answer).split('=')[1] ?? '';
    expect(cookie).toMatch(/^pcs_/);
    expect(server.rawLog()).not.toContain(cookie);
    expect(server.rawLog()).not.toContain(made);
    const rows = await server.context.database.read.all(sql`SELECT * FROM sign_ins`);
    expect(JSON.stringify(rows)).not.toContain(cookie);
  });
});
