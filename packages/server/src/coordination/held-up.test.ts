import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { baseCapsule, T } from '../continuity/testing/base-capsule.ts';
import { PostgresDatabase } from '../platform/database/postgres/postgres-database.ts';
import { freshTables, missingPostgres } from '../testing/databases.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';
import { type CoordinationScene, coordinationScene, must } from './testing/coordination-scene.ts';

const missing = missingPostgres();
const title = 'what another node has locked and does not let go';

/** Far less than the thirty seconds that are waited at most, and more than writers of one busy machine wait for each other. */
const LOCK_MS = 1_500;

describe.skipIf(missing)(missing ? `${title} (PostgreSQL is not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  let other: PostgresDatabase;
  let scene: CoordinationScene;
  beforeAll(async () => {
    const place = await freshTables();
    cleanups.push(() => place.remove());
    other = new PostgresDatabase(place.at.url);
    cleanups.push(() => other.close());
    const start = async (options: object = {}): Promise<TestServer> => {
      const limits = { dbLockTimeoutMs: LOCK_MS, dbStatementTimeoutMs: 0 };
      const server = await startServer({ ...options, ...limits, databaseUrl: place.at.url });
      cleanups.push(() => server.close());
      return server;
    };
    scene = await coordinationScene(start);
  });
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  /** What is answered meanwhile. */
  const whileHeld = (name: string, ask: () => Promise<Answered>): Promise<string> =>
    other.write(async (tx) => {
      await tx.lock(name);
      const { status, headers } = await ask();
      return `${status} ${headers['retry-after']}`;
    });

  test('a capsule: its writers are told to come back, nothing is done, and then it is', async () => {
    const { a, owner } = scene;
    const capsule = baseCapsule('thread', 'th1', T(2));
    const body = { subject_kind: 'thread', subject_id: 'th1', capsule };
    const write = () => a.call('POST', '/continuity/upsert', body);
    const refused = await whileHeld(`continuity:${owner.id}:thread:th1`, write);
    expect(refused).toBe('503 1');
    expect(must(await write())).toMatchObject({ created: false, updated: true });
    expect(must(await write())).toMatchObject({ created: false, updated: false });
  });

  test('a handoff: whoever consumes it is told to come back, nothing is done, and then it is', async () => {
    const { a, b, owner } = scene;
    const { handoff_id: id } = await a.handed('b');
    const consume = () => b.consume(id, { status: 'accepted_advisory' });
    const refused = await whileHeld(`coordination:${owner.id}:${id}`, consume);
    expect(refused).toBe('503 1');
    expect(must(await a.handoff(id)).handoff.recipient_status).toBe('pending');
    expect(must(await consume())).toMatchObject({ updated: true });
  });

  test('a shared document: who updates it is told to come back, nothing is done, and then it is', async () => {
    const { a, owner } = scene;
    const { shared_id: id } = await a.shared();
    const update = () => a.updateShared(id, 1, { title: 'tides' });
    const refused = await whileHeld(`coordination:${owner.id}:${id}`, update);
    expect(refused).toBe('503 1');
    expect(must(await a.readShared(id)).shared).toMatchObject({ version: 1, title: 'board' });
    expect(must(await update()).shared).toMatchObject({ version: 2, title: 'tides' });
  });
});

type Answered = Awaited<ReturnType<CoordinationScene['a']['call']>>;
