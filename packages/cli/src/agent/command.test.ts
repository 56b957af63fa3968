import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';
import { registerAgent } from '@parley/server/identity/owners/registration';

describe('parley agent', () => {
  let server: TestServer;
  let ann: Terminal;
  const file = (): string => join(ann.home, '.config/parley/credentials.json');
  const kept = () => JSON.parse(readFileSync(file(), 'utf8'));
  const stored = () => kept().profiles[kept().current[server.url]];
  const agent = (...args: string[]) => ann.run(['agent', ...args]);

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    ann = new Terminal({ PARLEY_URL: server.url });
  });
  afterEach(() => ann.remove());

  test('registers, logs in and says who it is, without ever showing the key', async () => {
    const registered = await agent('register', 'Harbour Bot');
    expect(registered).toMatchObject({ code: 0, stderr: '' });
    const { agent_id: id, api_key: key } = stored();
    expect(key).toMatch(/^ak_/);
    expect(registered.stdout).toContain(id);

    const byKey = await agent('whoami');
    expect(byKey.stdout).toContain(`by key ${key.slice(0, 12)}…`);
    const loggedIn = await agent('login', '--json');
    expect(JSON.parse(loggedIn.stdout)).toMatchObject({ agent_id: id, server: server.url });
    const { session_token: session } = stored();
    expect(session).toMatch(/^as_/);

    const who = await agent('whoami', '--json');
    expect(JSON.parse(who.stdout)).toMatchObject({
      agent: { id: id.replace('agt_', 'agent_'), display_name: 'Harbour Bot' },
      credential: { kind: 'session' },
    });
    for (const { stdout, stderr } of [registered, byKey, loggedIn, who]) {
      for (const secret of [key, session]) expect(stdout + stderr).not.toContain(secret);
    }
  });

  test('keeps the credentials for this user alone, and leaves nothing else behind', async () => {
    await agent('register', 'x');
    await agent('login');
    expect((statSync(file()).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(dirname(file())).mode & 0o777).toString(8)).toBe('700');
    expect(readdirSync(dirname(file()))).toEqual(['credentials.json']);
  });

  test('loses no key when several are kept at the same time', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const all = await Promise.all(names.map((name) => agent('register', name, '--replace')));
    expect(all.map(({ code, stderr }) => [code, stderr])).toEqual(names.map(() => [0, '']));
    expect(Object.keys(kept().profiles)).toHaveLength(names.length);
    expect(readdirSync(dirname(file()))).toEqual(['credentials.json']);
  });

  test('finds, uses and forgets a profile by the id of its agent, too', async () => {
    await agent('register', 'first');
    const { agent_id: first } = stored();
    await agent('register', 'second', '--replace');
    const { agent_id: second } = stored();
    const who = await agent('whoami', '--profile', first);
    expect(who.stdout).toContain('first@first');
    expect(await ann.run(['profile', 'use', first, '--json'])).toMatchObject({ code: 0 });
    expect(kept()).toMatchObject({ use: 'first', current: { [server.url]: 'first' } });
    expect(await ann.run(['profile', 'remove', first])).toMatchObject({
      code: 0,
      stdout: 'Forgot first and its key\n',
    });
    expect(Object.keys(kept().profiles)).toEqual(['second']);
    expect(await ann.run(['logout', '--profile', second])).toMatchObject({ code: 0 });
    expect(kept()).toMatchObject({ profiles: {}, current: {} });
    expect((await ann.run(['profile', 'remove', second])).code).toBe(3);
  });

  test('goes on where one that was killed left its mark', async () => {
    await agent('register', 'x');
    const mark = `${file()}.lock`;
    writeFileSync(mark, '');
    utimesSync(mark, new Date(0), new Date(0));
    expect(await agent('register', 'y', '--replace')).toMatchObject({ code: 0, stderr: '' });
    expect(Object.keys(kept().profiles)).toHaveLength(2);
  });

  test('follows XDG_CONFIG_HOME', async () => {
    const other = new Terminal({ PARLEY_URL: server.url, XDG_CONFIG_HOME: join(ann.home, 'elsewhere') });
    expect((await other.run(['agent', 'register', 'x'])).code).toBe(0);
    expect(statSync(join(ann.home, 'elsewhere/parley/credentials.json')).isFile()).toBe(true);
    other.remove();
  });

  test('takes a key from standard input, and only from there', async () => {
    const { apiKey, agent: made } = await registerAgent(server.context.identity, 'given');
    const loggedIn = await ann.run(['agent', 'login', '--stdin', '--json'], `${apiKey}\n`);
    expect(JSON.parse(loggedIn.stdout)).toMatchObject({ agent_id: `agt_${made.suffix}` });
    expect(stored().api_key).toBe(apiKey);
    expect((await ann.run(['agent', 'login', '--api-key', apiKey])).code).toBe(2);
  });

  test('goes on with the key when the session is over', async () => {
    await agent('register', 'x');
    await agent('login');
    const { session_token: session } = stored();
    await fetch(`${server.url}/v1/agent/session`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${session}` },
    });
    const who = await agent('whoami', '--json');
    expect(JSON.parse(who.stdout)).toMatchObject({ credential: { kind: 'api_key' } });
  });

  test('does not forget a key by accident', async () => {
    await agent('register', 'first');
    const before = stored();
    const again = await agent('register', 'second', '--json');
    expect(again.code).toBe(5);
    expect(JSON.parse(again.stderr)).toMatchObject({ error: 'already_registered' });
    expect(stored()).toEqual(before);
    expect((await agent('register', 'second', '--replace')).code).toBe(0);
    expect(stored().agent_id).not.toBe(before.agent_id);
  });

  test('keeps every key it was given, and goes back to one by name', async () => {
    await agent('register', 'first');
    const first = stored();
    await agent('register', 'second', '--replace');
    const second = stored();
    expect(await ann.run(['agent', 'login', '--stdin'], first.api_key)).toMatchObject({ code: 0 });
    expect(stored()).toMatchObject({ agent_id: first.agent_id, api_key: first.api_key });
    expect(Object.values(kept().profiles)).toMatchObject([{ api_key: first.api_key }, second]);
    expect((await agent('login', '--profile', second.agent_id)).code).toBe(0);
    expect(stored()).toMatchObject({ api_key: second.api_key });
    const unknown = await agent('login', '--profile', 'nobody', '--json');
    expect(JSON.parse(unknown.stderr)).toMatchObject({ error: 'no_profile' });
    expect(unknown.stderr).toContain('there is first, second');
  });

  test('takes over a file of the first version with the next change', async () => {
    await agent('register', 'x');
    const { server: at, ...credentials } = stored();
    const other = { agent_id: 'agent_zzzzzzzzzzzz', api_key: 'ak_other' };
    const servers = { [at]: credentials, 'https://other.example': other };
    writeFileSync(file(), JSON.stringify({ version: 1, servers }));
    expect((await agent('login')).code).toBe(0);
    expect(kept()).toMatchObject({
      version: 2,
      profiles: {
        [credentials.agent_id]: { ...credentials, server: at },
        agent_zzzzzzzzzzzz: { ...other, server: 'https://other.example' },
      },
      current: { [at]: credentials.agent_id, 'https://other.example': 'agent_zzzzzzzzzzzz' },
    });
    expect((statSync(file()).mode & 0o777).toString(8)).toBe('600');
  });

  test('registers with an invite from standard input', async () => {
    const closed = await startServer({ registration: 'invite' });
    const args = ['agent', 'register', 'x', '--server', `${closed.url}/`];
    const refused = await ann.run([...args, '--json']);
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: 'forbidden', status: 403 });
    const registered = await ann.run([...args, '--invite'], `${closed.context.identity.startInvite}\n`);
    expect(registered.code).toBe(0);
    expect((await ann.run(['agent', 'whoami', '--server', closed.url])).code).toBe(0);
    await closed.close();
  });

  test.each([
    [['whoami'], 'no_key', 4],
    [['login'], 'no_key', 4],
    [['whoami', '--server', 'nonsense'], 'invalid_server', 2],
    [['register', 'x', '--server', 'http://127.0.0.1:1'], 'unreachable', 7],
    [['register', ''], 'invalid_request', 2],
  ])('%j fails with %s', async (args, error, code) => {
    const finished = await agent(...args, '--json');
    expect(finished.code).toBe(code);
    expect(finished.stdout).toBe('');
    expect(JSON.parse(finished.stderr)).toMatchObject({ error });
  });

  test('refuses a file that is something else, or that others can read', async () => {
    await agent('register', 'x');
    writeFileSync(file(), '{}');
    expect(JSON.parse((await agent('whoami', '--json')).stderr)).toMatchObject({ error: 'bad_credentials' });
    chmodSync(file(), 0o644);
    expect(JSON.parse((await agent('whoami', '--json')).stderr)).toMatchObject({
      error: 'unsafe_credentials',
    });
  });

  describe('with a server that redirects', () => {
    let trap: Server;
    const reached: string[] = [];
    beforeAll(async () => {
      trap = createServer((request, response) => {
        reached.push(request.url ?? '');
        response.writeHead(307, { location: '/elsewhere' }).end();
      });
      await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    });
    afterAll(() => new Promise((resolve) => trap.close(resolve)));

    test('does not carry the key there', async () => {
      const { port } = trap.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}`;
      const finished = await ann.run(
        ['agent', 'login', '--stdin', '--server', url, '--json'],
        `ak_${'a'.repeat(32)}`,
      );
      expect(JSON.parse(finished.stderr)).toMatchObject({ error: 'unreachable' });
      expect(reached).toEqual(['/v1/agent/login']);
    });
  });
});
