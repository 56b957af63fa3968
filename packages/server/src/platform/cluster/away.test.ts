import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { baseCapsule, T } from '../../continuity/testing/base-capsule.ts';
import { Memory } from '../../continuity/testing/memory.ts';
import { PersonClient } from '../../console/testing/person-client.ts';
import { MessageClient } from '../../delivery/testing/message-client.ts';
import { People } from '../../identity/testing/people.ts';
import { McpClient } from '../../mcp/testing/mcp-client.ts';
import { NeverBegunError } from '../database/errors.ts';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { TcpGate } from '../../testing/tcp-gate.ts';

const missing = missingPostgres();
const title = 'a database that is away or held up';

describe.skipIf(missing)(missing ? `${title} (PostgreSQL is not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  let direct: string;
  let gate: TcpGate;
  let server: TestServer;
  let max: MessageClient;
  beforeAll(async () => {
    const place = await freshTables();
    cleanups.push(() => place.remove());
    direct = place.at.url;
    const url = new URL(direct);
    gate = new TcpGate(url.hostname, Number(url.port));
    cleanups.push(() => gate.close());
    url.port = String(await gate.open());
    server = await startServer({
      databaseUrl: url.href,
      rateLimits: false,
      dbLockTimeoutMs: 100,
      dbStatementTimeoutMs: 500,
    });
    cleanups.push(() => server.close());
    max = await MessageClient.register(server);
    await max.create({ slug: 'bo' });
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  /** The status, the hint when to come back, and what kind of error each protocol tells. */
  const said = async (method: string, path: string, body?: object) => {
    const answer = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${max.owner.key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const told = (await answer.json()) as Record<string, unknown>;
    const code = ((told.error as { code?: string })?.code ?? told.code ?? told.error) as string;
    return `${answer.status} ${answer.headers.get('retry-after')} ${code}`;
  };
  const message = { to: 'bo', body: 'hello' };

  /** While another holds these tables for itself. */
  const whileLocked = async (tables: string, act: () => Promise<void>): Promise<void> => {
    const holder = new Client({ connectionString: direct });
    await holder.connect();
    try {
      await holder.query(`BEGIN; LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
      await act();
    } finally {
      await holder.end();
    }
  };

  test('what waits too long for what another holds gets 503 and has done nothing', async () => {
    await whileLocked('messages, rooms', async () => {
      expect(await said('POST', '/v1/messages', message)).toBe('503 1 service_unavailable');
      expect(await said('GET', '/v1/agents/bo/inbox')).toBe('503 1 service_unavailable');
    });
    expect((await max.inbox('bo')).total).toBe(0);
    expect(await said('POST', '/v1/messages', message)).toContain('201');
  });

  test('MCP says so in its own words, to whoever has to be looked up', async () => {
    await whileLocked('api_keys', async () => {
      const stranger = new McpClient(
        server,
        max.owner.key.replace(/.$/, (end) => (end === 'a' ? 'b' : 'a')),
      );
      const { status, headers, body } = await stranger.legacy('tools/list');
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(body).toEqual({
        jsonrpc: '2.0',
        id: null,
        error: { code: 503, message: 'Service unavailable' },
      });
    });
  });

  test('MCP says so of resources that cannot be read or listed now', async () => {
    const known = new McpClient(server, max.owner.key);
    const asked = [
      () => known.legacy('resources/list'),
      () => known.legacy('resources/read', { uri: 'parley://memory/thread/main' }),
    ];
    await whileLocked('continuity_artifacts, continuity_revisions', async () => {
      for (const ask of asked) {
        const { status, headers, body } = await ask();
        expect([status, headers['retry-after'], body.error?.code]).toEqual([503, '1', 503]);
      }
    });
  });

  test('the console says so where the agent that is named cannot be looked up', async () => {
    const person = await PersonClient.signIn(server, { api_key: max.owner.key });
    const { directory } = server.context.identity;
    const resolveOwn = directory.resolveOwn.bind(directory);
    const asStranger = async () => (await person.as('nobody').call('GET', '/v1/messages/none')).status;
    directory.resolveOwn = () => Promise.reject(new NeverBegunError(new Error('cut off')));
    try {
      expect(await asStranger()).toBe(503);
    } finally {
      directory.resolveOwn = resolveOwn;
    }
    expect(await asStranger()).toBe(403);
  });

  test('a connection that breaks while it commits: what was asked for may be done, and that is what is told', async () => {
    const ask = async (path: string, body: object, key: string) => {
      const answer = await fetch(server.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${max.owner.key}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    };
    await max.create({ slug: 'edge' });
    const uncertain = { to: 'edge', body: 'broken off in the end' };
    gate.breakCommitOf(uncertain.body);
    const told = await ask('/v1/messages', uncertain, 'uncertain');
    expect(told.status).toBe(503);
    expect(told.text).toContain('may have been done or not');
    expect(told.text).not.toContain('nothing was done');
    expect((await ask('/v1/messages', uncertain, 'uncertain')).status).toBe(200);
    expect((await max.inbox('edge')).total).toBe(1);

    const memory = new Memory(new People(server), max.owner);
    gate.breakCommitOf('edge of the harbour');
    const second = await memory.upsert(baseCapsule('user', 'edge of the harbour', T(1)));
    expect([second.status, JSON.stringify(second.body)]).toEqual([
      503,
      expect.stringContaining('may have been done or not'),
    ]);
    expect((await memory.upsert(baseCapsule('user', 'edge of the harbour', T(1)))).status).toBe(200);

    const peer = { peer_id: 'edge-of-the-quay', base_url: 'https://edge.example' };
    gate.breakCommitOf(peer.peer_id);
    const third = await ask('/v1/peers/register', peer, 'none');
    expect(third.status).toBe(503);
    expect(third.text).toContain('may have been done or not. Look before you send it again');
    expect(third.text).not.toContain('nothing was changed');
    expect(third.text).not.toContain('Idempotency-Key');
  });

  test('cut off, the server says so, goes on living, and is there again by itself', async () => {
    gate.shut();
    const ready = async () => (await fetch(`${server.url}/ready`)).status;
    expect(await ready()).toBe(503);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect(await said('POST', '/v1/messages', message)).toBe('503 1 service_unavailable');
    gate.lift();
    await expect.poll(ready).toBe(200);
    await expect.poll(() => said('POST', '/v1/messages', message)).toContain('201');
    expect((await max.inbox('bo')).total).toBe(2);
  }, 40_000);
});
