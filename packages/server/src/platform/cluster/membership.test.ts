import { afterEach, describe, expect, test } from 'vitest';
import { ask, freshTables, missingPostgres } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { MemoryBus } from '../bus/memory-bus.ts';
import { openDatabase } from '../database/open-database.ts';
import { sql } from '../database/sql.ts';
import { createLog } from '../log.ts';
import { listNodes, Membership } from './membership.ts';

const missing = missingPostgres();
const title = 'the list of nodes';
const log = createLog({ level: 'silent', secretPrefixes: [] });
const BEAT_MS = 5_000;

describe.skipIf(missing)(missing ? `${title} (not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  /** A node among others whose places are as the test says. */
  async function set({ heldForMs = 60_000, before = undefined as string | undefined } = {}) {
    const store = await freshTables();
    cleanups.push(() => store.remove());
    const database = await openDatabase(store.at);
    cleanups.push(() => database.close());
    const clock = new FakeClock();
    const gone = new Set<string>();
    const [asked, buried]: [string[], string[]] = [[], []];
    let confirmed = 0;
    const place = {
      heldForMs,
      confirm: async () => void confirmed++,
      isGone: async (node: string) => {
        asked.push(node);
        return gone.has(node);
      },
    };
    const node = new Membership({
      database,
      clock,
      log,
      bus: new MemoryBus(() => {}),
      id: 'me',
      before,
      url: 'http://here',
      version: '1',
      place,
      gone: async (id) => void buried.push(id),
    });
    cleanups.push(() => node.close());
    const see = (id: string, at: number, url = `http://${id}`) =>
      database.write((tx) =>
        tx.run(sql`
          INSERT INTO nodes (id, url, version, started_at, seen_at) VALUES (${id}, ${url}, '1', 0, ${at})
          ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`),
      );
    // Each ends with the wait for the next.
    let beats = 0;
    const after = clock.after.bind(clock);
    clock.after = (ms, fn) => {
      beats += 1;
      return after(ms, fn);
    };
    const beat = async () => {
      const counted = beats;
      await clock.advance(BEAT_MS);
      await expect.poll(() => beats).toBe(counted + 1);
    };
    return {
      clock,
      place,
      gone,
      asked,
      buried,
      see,
      beat,
      start: () => node.start(),
      url: store.at.url,
      listed: async () => (await listNodes(database.read)).map(({ id }) => id),
      confirmations: () => confirmed,
    };
  }

  test('one that is silent is buried when its process was gone at two beats in a row', async () => {
    const { clock, gone, buried, see, start, beat } = await set();
    await see('other', clock.now() - 10_000);
    gone.add('other');
    await start();
    expect(buried).toEqual([]);
    // As one that had lost its place for a moment, with the database.
    gone.delete('other');
    await beat();
    gone.add('other');
    await beat();
    expect(buried).toEqual([]);
    await beat();
    expect(buried).toEqual(['other']);
  });

  test('the one before it in its folder is buried at the start, and no other of its address', async () => {
    const { clock, buried, see, start } = await set({ before: 'killed', heldForMs: 0 });
    await see('killed', clock.now(), 'http://here');
    await see('twin', clock.now(), 'http://here');
    await start();
    expect(buried).toEqual(['killed']);
  });

  test('one whose database is away when it starts goes on, and is in the list when it is back', async () => {
    const { clock, url, buried, see, start, beat, listed } = await set({ before: 'killed' });
    await see('killed', clock.now(), 'http://here');
    await ask(url, 'ALTER TABLE nodes RENAME TO away');
    await start();
    await ask(url, 'ALTER TABLE away RENAME TO nodes');
    expect([await listed(), buried]).toEqual([['killed'], []]);
    await beat();
    expect([await listed(), buried]).toEqual([['me'], ['killed']]);
  });

  test('nobody is buried by one that has not held its own place for a while', async () => {
    const { clock, place, gone, buried, see, start, beat } = await set({ heldForMs: 1_000 });
    await see('other', clock.now() - 60_000);
    gone.add('other');
    await start();
    await beat();
    await beat();
    expect(buried).toEqual([]);
    place.heldForMs = 10_000;
    await beat();
    expect(buried).toEqual(['other']);
  });

  test('one of the same address is asked about as long as it was not seen since this one began', async () => {
    const { clock, gone, asked, buried, see, start, beat } = await set();
    await see('before', clock.now() - 1, 'http://here');
    await see('beside', clock.now() - 1, 'http://here');
    gone.add('before');
    await start();
    await see('beside', clock.now() + 1, 'http://here');
    asked.length = 0;
    gone.add('beside');
    await beat();
    expect(buried).toEqual(['before']);
    expect(asked).toEqual(['before']);
  });

  test('its own place is looked at with every beat', async () => {
    const { start, beat, confirmations } = await set();
    await start();
    await beat();
    expect(confirmations()).toBe(2);
  });
});
