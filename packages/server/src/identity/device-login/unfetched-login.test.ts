import { DEVICE_LOGIN_SECONDS } from '@parley/protocol/identity/device-login-routes';
import { beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { CommandLine } from './testing/command-line.ts';

describeEachServer('identity › browser login › the key', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let count = 0;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
  });

  /** Up to the approval. */
  const approvedLogin = async (email: string) => {
    const cli = new CommandLine(server, `unfetched-${++count}`);
    await cli.begin();
    await cli.submit(email);
    return { cli, session: (await cli.open()).body.session_token ?? '' };
  };
  const keysOf = async (email: string): Promise<number> => {
    const rows = await server.context.database.read.all(sql`
      SELECT k.id FROM api_keys k JOIN owners o ON o.id = k.owner_id
      WHERE o.email_key = ${email} AND k.revoked_at IS NULL`);
    return rows.length;
  };

  test('is not there before it is fetched: a login that lapses leaves none', async () => {
    await new CommandLine(server, 'unused').people.owner('known@example.com');
    for (const [email, before] of [
      ['new@example.com', 0],
      ['known@example.com', 1],
    ] as const) {
      const { cli, session } = await approvedLogin(email);
      expect(await keysOf(email)).toBe(before);
      await clock.leap(DEVICE_LOGIN_SECONDS * 1000);
      expect((await cli.poll()).body).toEqual({ status: 'expired' });
      expect((await cli.key(session)).body.error.code).toBe('plaintext_unavailable');
      expect(await keysOf(email)).toBe(before);
    }
  });

  test('an account that was made for a lapsed login is there for the next', async () => {
    await approvedLogin('again@example.com');
    await clock.leap(DEVICE_LOGIN_SECONDS * 1000);
    const { cli } = await approvedLogin('again@example.com');
    const { body } = await cli.poll();
    expect(body).toMatchObject({ status: 'approved', existing_user: true });
    expect((await cli.me(body.api_key)).body.email).toBe('again@example.com');
  });

  test('counts in what the account may have, and is there once another is gone', async () => {
    const few = await start({ clock, rateLimits: false, budgetKeys: 2 });
    const cli = new CommandLine(few, 'one-too-many-for-this');
    const { key } = await cli.people.owner('full@example.com');
    const second = await cli.people.call<{ id: string }>('POST', '/v1/keys', { key, body: {} });
    await cli.begin();
    await cli.submit('full@example.com');
    const session = (await cli.open()).body.session_token ?? '';
    for (const refused of [await cli.poll(), await cli.key(session)]) {
      expect([refused.status, refused.body.error.code]).toEqual([402, 'quota_exceeded']);
      expect(refused.body.error.message).toContain('PARLEY_BUDGET_KEYS');
    }
    await cli.people.call('DELETE', `/v1/keys/${second.body.id}`, { key });
    const { body } = await cli.poll();
    expect(body).toMatchObject({ status: 'approved', existing_user: true });
    expect((await cli.me(body.api_key)).status).toBe(200);
  });

  test('is one for those who see it and for who claims it in the same moment', async () => {
    const { cli, session } = await approvedLogin('race@example.com');
    const ways = Array.from({ length: 10 }, (_, turn) => (turn % 2 === 0 ? cli.key(session) : cli.poll()));
    const answers = await Promise.all<{ body: { api_key?: string; status?: string } }>(ways);
    expect(answers.filter(({ body }) => body.status === 'approved')).toHaveLength(1);
    expect(new Set(answers.flatMap(({ body }) => body.api_key ?? [])).size).toBe(1);
    expect(await keysOf('race@example.com')).toBe(1);
  });

  test('is one, however many fetch it at once and by whichever way', async () => {
    const { cli, session } = await approvedLogin('many@example.com');
    const shown = await Promise.all(Array.from({ length: 5 }, () => cli.key(session)));
    const polls = await Promise.all(Array.from({ length: 5 }, () => cli.poll()));
    const keys = [...shown, ...polls].flatMap(({ body }) => body.api_key ?? []);
    expect(keys).toHaveLength(6);
    expect(new Set(keys).size).toBe(1);
    expect(await keysOf('many@example.com')).toBe(1);
  });
});
