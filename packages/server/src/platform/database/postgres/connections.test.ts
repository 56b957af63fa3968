import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { MessageClient } from '../../../delivery/testing/message-client.ts';
import { People } from '../../../identity/testing/people.ts';
import { RoomClient } from '../../../rooms/testing/room-client.ts';
import { ask, freshDatabase, freshTables, missingPostgres } from '../../../testing/databases.ts';
import { startPgBouncer } from '../../../testing/pgbouncer.ts';
import { missingRedis, startRedis } from '../../../testing/redis.ts';
import { startServer, type TestServer } from '../../../testing/start-server.ts';
import { withOption } from './postgres-database.ts';

const withoutPostgres = missingPostgres();

/** All but those of whoever asks, whatever they call themselves: the place of a node has a name of its own. */
const openAt = async (url: string): Promise<number> => {
  const [row] = await ask<{ open: string }>(
    url,
    `SELECT count(*) AS open FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
  );
  return Number(row?.open);
};

const told = (why: string | undefined, title: string): string =>
  why === undefined ? title : `${title} (not available: ${why})`;

test.skipIf(withoutPostgres)(
  told(withoutPostgres, 'a node with its defaults opens no more than 20 connections, however many ask'),
  async () => {
    const place = await freshTables();
    const server = await startServer({ databaseUrl: place.at.url, rateLimits: false });
    try {
      const max = await MessageClient.register(server);
      await max.create({ slug: 'bo' });
      const busy = Array.from({ length: 60 }, async (_, at) =>
        at % 2 === 0 ? await max.send('bo') : await max.inbox('bo'),
      );
      const seen: number[] = [];
      const state = { over: false };
      const done = Promise.all(busy).finally(() => (state.over = true));
      while (!state.over) seen.push(await openAt(place.at.url));
      await done;
      // They stay open for a while.
      seen.push(await openAt(place.at.url));
      expect(Math.max(...seen)).toBeGreaterThan(2);
      expect(Math.max(...seen)).toBeLessThanOrEqual(20);
    } finally {
      await server.close();
      await place.remove();
    }
  },
  30_000,
);

/** Whether a server says that its database acknowledges too early. */
const tellsOf = async (databaseUrl: string): Promise<boolean> => {
  const server = await startServer({ databaseUrl, secretKey: '5'.repeat(64) });
  await server.close();
  return server.logs.some(({ event }) => event === 'database_may_forget');
};

test.skipIf(withoutPostgres)(
  told(withoutPostgres, 'a PostgreSQL that acknowledges before it is on disk is told of'),
  async () => {
    const place = await freshTables();
    try {
      expect(await tellsOf(place.at.url)).toBe(false);
      expect(await tellsOf(withOption(place.at.url, 'synchronous_commit=off'))).toBe(true);
    } finally {
      await place.remove();
    }
  },
  30_000,
);

test.skipIf(withoutPostgres)(
  told(withoutPostgres, 'a way past a pooler that leads nowhere is told of by its name'),
  async () => {
    const place = await freshTables();
    const options = { databaseUrl: place.at.url, databaseDirectUrl: 'postgres://parley@127.0.0.1:1/parley' };
    await expect(startServer(options)).rejects.toThrow(
      /^the database of database_direct_url cannot be used: /,
    );
    await place.remove();
  },
  30_000,
);

const pgbouncer = inject('pgbouncer');
const missing = withoutPostgres ?? missingRedis() ?? ('missing' in pgbouncer ? pgbouncer.missing : undefined);

/** Fewer than a server wants, so that the same connection serves one after the other. */
const LENT = 3;

describe.skipIf(missing)(told(missing, 'behind a PgBouncer that lends connections by transaction'), () => {
  const cleanups: (() => Promise<void>)[] = [];
  let direct: string;
  let nodes: [TestServer, TestServer];
  let here: MessageClient;
  let there: MessageClient;
  beforeAll(async () => {
    if ('missing' in pgbouncer) return;
    const redis = await startRedis();
    cleanups.push(() => redis.stop());
    // Empty: the tables are made through it too.
    const place = await freshDatabase();
    cleanups.push(() => place.remove());
    direct = place.at.url;
    const pooler = await startPgBouncer(pgbouncer.program, direct, LENT);
    cleanups.push(() => pooler.stop());
    const start = async (): Promise<TestServer> => {
      const server = await startServer({
        databaseUrl: pooler.url(direct),
        databaseDirectUrl: direct,
        redisUrl: redis.url,
        secretKey: '5'.repeat(64),
        rateLimits: false,
        // Longer than forty senders wait for each other on a busy machine.
        dbLockTimeoutMs: 3_000,
      });
      cleanups.push(() => server.close());
      return server;
    };
    nodes = [await start(), await start()];
    here = await MessageClient.register(nodes[0]);
    there = new MessageClient(new People(nodes[1]), here.owner);
  }, 60_000);
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('messages, turns and a poll that waits at the other node go as they do without', async () => {
    await here.create({ slug: 'bo' });
    const sent = await Promise.all(
      Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? here : there).send('bo', { body: `text ${at}` })),
    );
    const { messages, total } = await there.inbox('bo', { limit: 100 });
    expect(total).toBe(40);
    expect(messages.map(({ id }) => id).toSorted()).toEqual(sent.map(({ id }) => id).toSorted());

    await here.create({ slug: 'far' });
    const polled = there.inbox('far', { wait: 25 });
    const { id } = await here.send('far');
    expect((await polled).messages).toMatchObject([{ id }]);

    const { a, b, id: room } = await new RoomClient(nodes[0]).room();
    const { next_turn: first } = await a.context(room);
    await a.send(room, 'one');
    await b.send(room, 'two');
    expect((await a.context(room)).next_turn).toBe(first + 2);
  });

  test('the server holds only its place there itself', async () => {
    expect(await openAt(direct)).toBeLessThanOrEqual(LENT + nodes.length);
  });

  test('what waits too long for what another holds is refused in time', async () => {
    const holder = new Client({ connectionString: direct });
    await holder.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE messages IN EXCLUSIVE MODE');
      const answer = await fetch(`${nodes[0].url}/v1/messages`, {
        method: 'POST',
        headers: { authorization: `Bearer ${here.owner.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to: 'bo', body: 'held up' }),
      });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    } finally {
      await holder.end();
    }
  });
});
