import { beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { tally } from '../testing/people.ts';
import { CommandLine } from './testing/command-line.ts';
import { createInvite } from '../owners/invites.ts';

/** As a browser does, forms included. */
const visit = async (url: string, form?: Record<string, string>) => {
  const answer = await fetch(url, {
    ...(form && { method: 'POST', body: new URLSearchParams(form) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
};

describeEachServer('identity › browser login', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let count = 0;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false, allowedHosts: ['*'] });
  });
  const commandLine = (on = server) => new CommandLine(on, `code-${++count}`);

  test('leads somebody new from the code to a key, by the page and its forms', async () => {
    const cli = commandLine();
    const begun = await cli.begin();
    expect([begun.status, begun.body]).toEqual([
      201,
      { verification_url: `${server.url}/v1/auth/verify?device_code=${cli.code}`, expires_in: 900 },
    ]);
    expect((await cli.poll()).body).toEqual({ status: 'pending' });
    const page = await visit(begun.body.verification_url ?? '');
    expect(page.text).toContain(`value="${cli.code}"`);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const sent = await visit(`${server.url}/v1/auth/verify`, {
      device_code: cli.code,
      email: 'New@example.com',
    });
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('Look for the link')]);
    expect((await cli.poll()).body).toEqual({ status: 'email_sent' });
    expect(cli.links).toMatchObject([{ email: 'New@example.com' }]);

    // Programs that look into mail open links: looking approves nothing.
    expect((await visit(cli.links[0]?.url ?? '')).text).toContain('Approve this login?');
    expect((await cli.poll()).body).toEqual({ status: 'email_sent' });
    const approved = await visit(`${server.url}/v1/auth/verify`, { token: cli.token });
    expect(approved.text).toContain('logged in as New@example.com');

    const { body } = await cli.poll();
    expect(body).toEqual({
      status: 'approved',
      api_key: expect.stringMatching(/^cue_sk_[0-9a-f]{32}$/),
      email: 'New@example.com',
      session_token: expect.stringMatching(/^dl_/),
    });
    expect((await cli.me(body.api_key)).body.email).toBe('New@example.com');
    expect((await cli.poll()).body).toEqual({ status: 'claimed' });
    expect((await cli.key(body.session_token)).body.error).toMatchObject({
      code: 'plaintext_unavailable',
      status: 410,
    });
  });

  test('takes JSON from a client that calls it a form', async () => {
    const cli = commandLine();
    const answer = await fetch(`${server.url}/v1/auth/device-code`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: JSON.stringify({ device_code: cli.code }),
    });
    expect(answer.status).toBe(201);
  });

  test('gives an existing owner one more key, and shows it to the session until it is fetched', async () => {
    const cli = commandLine();
    const { key } = await cli.people.owner('ada@example.com');
    await cli.begin();
    expect((await cli.submit('ADA@example.com')).body).toEqual({ status: 'email_sent' });
    const opened = await cli.open();
    expect(opened.body).toEqual({ session_token: expect.any(String), email: 'ADA@example.com' });
    const shown = await cli.key(opened.body.session_token ?? '');
    const { body } = await cli.poll();
    expect(body).toMatchObject({ status: 'approved', existing_user: true, api_key: shown.body.api_key });
    expect(body.session_token).toBe(opened.body.session_token);
    for (const each of [key, body.api_key]) expect((await cli.me(each)).body.email).toBe('ada@example.com');
  });

  test('hands the key to one of many polls', async () => {
    const cli = commandLine();
    await cli.begin();
    await cli.submit('race@example.com');
    await cli.open();
    const polls = await Promise.all(Array.from({ length: 10 }, () => cli.poll()));
    const won = polls.filter(({ body }) => body.api_key !== undefined);
    expect(won).toHaveLength(1);
    expect(polls.filter(({ body }) => body.status === 'approved')).toEqual(won);
  });

  test('approves once, however often the link is used', async () => {
    const cli = commandLine();
    await cli.begin();
    await cli.submit('once@example.com');
    const { token } = cli;
    const opened = await Promise.all(Array.from({ length: 5 }, () => cli.open(token)));
    expect(tally(opened)).toEqual({ 200: 1, 400: 4 });
    expect((await cli.open(token)).body.error.code).toBe('invalid_token');
  });

  test('a later link takes the place of the one before', async () => {
    const cli = commandLine();
    await cli.begin();
    await cli.submit('typo@example.com');
    const first = cli.token;
    await cli.submit('right@example.com');
    expect((await cli.open(first)).body.error.code).toBe('invalid_token');
    expect((await cli.open()).body.email).toBe('right@example.com');
    expect((await cli.submit('other@example.com')).body.error.code).toBe('invalid_device_code');
  });

  test('refuses what it does not know', async () => {
    const cli = commandLine();
    for (const code of ['short', 'x'.repeat(129), 'with space']) {
      expect((await cli.post('device-code', { device_code: code })).status).toBe(422);
    }
    expect((await cli.poll()).body.error).toMatchObject({ code: 'invalid_device_code', status: 400 });
    expect((await cli.submit('a@example.com')).body.error.code).toBe('invalid_device_code');
    expect((await cli.open('nothing')).body.error).toMatchObject({ code: 'invalid_token', status: 400 });
    expect((await cli.key('dl_nothing')).body.error).toMatchObject({ code: 'invalid_session', status: 401 });
    await cli.begin();
    expect((await cli.begin()).body.error).toMatchObject({ code: 'device_code_exists', status: 409 });
    expect((await cli.submit('nobody')).body.error.code).toBe('validation_error');
  });

  test('is over after 15 minutes, and the session after a day', async () => {
    const [late, done] = [commandLine(), commandLine()];
    for (const cli of [late, done]) {
      await cli.begin();
      await cli.submit('late@example.com');
    }
    const opened = await done.open();
    await clock.leap(900_000);
    expect((await late.poll()).body).toEqual({ status: 'expired' });
    expect((await late.submit('late@example.com')).body.error.code).toBe('device_code_expired');
    expect((await late.open()).body.error.code).toBe('device_code_expired');
    expect((await done.poll()).body).toEqual({ status: 'expired' });
    const session = opened.body.session_token ?? '';
    expect((await done.key(session)).body.error.code).toBe('plaintext_unavailable');
    await clock.leap(24 * 3_600_000);
    expect((await done.key(session)).body.error).toMatchObject({ code: 'session_expired', status: 401 });
  });

  test('never puts the token into a link to a host that the request made up', async () => {
    const cli = commandLine();
    await cli.begin();
    await cli.submit('ada@example.com', { host: 'evil.example' });
    expect(cli.links.at(-1)?.url).toMatch(new RegExp(`^${server.url}/v1/auth/verify`));
  });

  test('keeps codes, tokens and keys out of the log and the store', async () => {
    const cli = new CommandLine(server, 'a-code-of-some-length');
    const { read } = server.context.database;
    const stored: string[] = [];
    const look = async () => stored.push(JSON.stringify(await read.all(sql`SELECT * FROM device_logins`)));
    await cli.begin();
    await cli.submit('quiet@example.com');
    await look();
    await fetch(cli.links.at(-1)?.url ?? '');
    const { token } = cli;
    await cli.open();
    await look();
    const { body } = await cli.poll();
    await look();
    for (const secret of [cli.code, token, body.api_key, body.session_token]) {
      expect(secret.length).toBeGreaterThan(20);
      for (const text of [server.rawLog(), ...stored]) expect(text).not.toContain(secret);
    }
  });

  describe('where registration is not open', () => {
    test('closed: known addresses log in, others learn from their link that they cannot', async () => {
      const closed = await start({ clock, rateLimits: false, registration: 'closed' });
      const cli = commandLine(closed);
      await cli.begin();
      expect((await cli.submit('new@example.com')).body).toEqual({ status: 'email_sent' });
      expect((await cli.open()).body.error).toMatchObject({ code: 'not_found', status: 404 });
    });

    test('by invite: the code comes with the approval', async () => {
      const invited = await start({ clock, rateLimits: false, registration: 'invite' });
      const cli = commandLine(invited);
      await cli.begin();
      await cli.submit('new@example.com');
      expect((await visit(cli.links.at(-1)?.url ?? '')).text).toContain('name="invite"');
      expect((await cli.open()).body.error).toMatchObject({ code: 'invite_required', status: 403 });
      const { code } = await createInvite(invited.context.identity);
      expect((await cli.open(cli.token, { invite: code })).body.email).toBe('new@example.com');
    });
  });

  test('makes guessing slow', async () => {
    const limited = await start({ clock, rlFailedLoginsPerMinute: 3 });
    const cli = commandLine(limited);
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await cli.open(`guess-${n}`)).status);
    expect(statuses).toEqual([400, 400, 400, 429]);
  });

  test("a code that could be guessed is not found by trying on; a long one is nobody else's to lock", async () => {
    const limited = await start({ clock, rlFailedLoginsPerMinute: 3 });
    const short = commandLine(limited);
    const long = new CommandLine(limited, 'f'.repeat(32));
    for (const cli of [short, long]) {
      await cli.begin();
      await cli.submit('ada@example.com');
      await cli.open();
    }
    for (let n = 0; n < 3; n++) {
      await short.post('device-code/poll', { device_code: `wrong-${n}` });
    }
    const found = await short.poll();
    expect([found.status, found.body.error.code]).toEqual([429, 'rate_limit_exceeded']);
    expect((await short.submit('eve@example.com')).status).toBe(429);
    const page = { device_code: short.code, email: 'eve@example.com' };
    expect((await visit(`${limited.url}/v1/auth/verify`, page)).status).toBe(429);
    expect((await long.poll()).body.status).toBe('approved');
    await clock.leap(60_000);
    expect((await short.poll()).body.status).toBe('approved');
  });

  test('many tries at once are no way around that', async () => {
    const limited = await start({ clock, rlFailedLoginsPerMinute: 3 });
    const cli = commandLine(limited);
    const tries = Array.from({ length: 20 }, (_, n) =>
      cli.post('device-code/poll', { device_code: `wrong-${n}` }),
    );
    expect(tally(await Promise.all(tries))).toEqual({ 400: 3, 429: 17 });
  });

  test('says on the page whose program gets the key, and to which account', async () => {
    const cli = commandLine();
    await cli.begin();
    await cli.submit('ada@example.com');
    const link = new URL(cli.links.at(-1)?.url ?? '');
    const { text } = await visit(link.href);
    expect(text).toContain(`<code>${cli.code}</code>`);
    expect(text).toContain('ada@example.com');
    // A link whose code was changed on its way does not show that one as the program that asks.
    link.searchParams.set('device_code', 'another-code');
    const changed = await visit(link.href);
    expect([changed.status, changed.text.includes('another-code')]).toEqual([400, false]);
    const told = await visit(`${server.url}/v1/auth/verify?device_code=call+me+at+555`);
    expect([told.status, told.text.includes('call me')]).toEqual([400, false]);
  });
});
