import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { sql } from '../database/sql.ts';
import { createLog } from '../log.ts';
import { alone, type Hold, HoldLostError, Singleton } from './singleton.ts';

const log = createLog({ level: 'silent', secretPrefixes: [] });

describeEachServer('what one node does for all', (start) => {
  let server: TestServer;
  const opened: Singleton[] = [];
  beforeAll(async () => {
    server = await start();
  });
  afterAll(async () => {
    for (const singleton of opened) await singleton.close();
  });

  /** Nodes have clocks of their own here, so that one can be made to stand still. */
  function node(name: string, id: string, clock: FakeClock) {
    const holds: Hold[] = [];
    const told: string[] = [];
    const { database } = server.context;
    const singleton = new Singleton(
      name,
      { database, clock, log, cluster: { node: id, isAlone: false } },
      {
        took: (hold) => {
          holds.push(hold);
          told.push('took');
        },
        lost: () => void told.push('lost'),
      },
    );
    opened.push(singleton);
    const write = async (hold: Hold | undefined, value: string) =>
      await database.write(async (tx) => {
        await tx.run(sql`INSERT INTO clusters (id) VALUES (${value})`);
        await hold?.check(tx);
      });
    return { singleton, holds, told, write };
  }

  test('on a store of one process it is held whoever held it before', async () => {
    const { database } = server.context;
    const clock = new FakeClock();
    await node('left behind', 'a', clock).singleton.start();
    let took = 0;
    const only = new Singleton(
      'left behind',
      { database, clock, log, cluster: { node: 'b', isAlone: true } },
      { took: () => void took++, lost: () => {} },
    );
    opened.push(only);
    await only.start();
    await clock.leap(3_600_000);
    expect([took, only.held]).toEqual([1, true]);
  });

  const written = async (id: string) =>
    (await server.context.database.read.get(sql`SELECT id FROM clusters WHERE id = ${id}`)) !== undefined;

  test('one holds it; it passes on when its holder stops, under the next number', async () => {
    const clock = new FakeClock();
    const [a, b] = [node('passing', 'a', clock), node('passing', 'b', clock)];
    await a.singleton.start();
    await b.singleton.start();
    expect([a.told, b.told]).toEqual([['took'], []]);
    await a.singleton.close();
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return b.told;
      })
      .toEqual(['took']);
    expect(a.told).toEqual(['took', 'lost']);
    expect(b.holds[0]?.fence).toBe((a.holds[0]?.fence ?? 0) + 1);
  });

  test('one that stood still is replaced within ten seconds, and what it then writes is refused', async () => {
    const [frozen, running] = [new FakeClock(), new FakeClock()];
    const [old, next] = [node('standing still', 'old', frozen), node('standing still', 'next', running)];
    await old.singleton.start();
    await next.singleton.start();
    await old.write(old.holds[0], 'before');
    const stood = running.now();
    await expect
      .poll(async () => {
        await running.advance(1_000);
        return next.told;
      })
      .toEqual(['took']);
    expect(running.now() - stood).toBeLessThanOrEqual(10_000);
    // It believes what it knew when it stood still.
    expect(old.singleton.held).toBe(true);
    await expect(old.write(old.holds[0], 'after')).rejects.toThrow(HoldLostError);
    await next.write(next.holds[0], 'by the next');
    expect(await Promise.all(['before', 'after', 'by the next'].map(written))).toEqual([true, false, true]);
    await frozen.advance(2_000);
    await expect.poll(() => old.told).toEqual(['took', 'lost']);
    expect(next.singleton.held).toBe(true);
  });

  test('who has to be alone waits for the other', async () => {
    const clock = new FakeClock();
    const { database } = server.context;
    const steps: string[] = [];
    const finishing: (() => void)[] = [];
    const finished = new Promise<void>((resolve) => finishing.push(resolve));
    const first = alone(
      'in turn',
      { database, clock, log, cluster: { node: 'a', isAlone: false } },
      async () => {
        steps.push('first begins');
        await finished;
        steps.push('first ends');
      },
    );
    await expect.poll(() => steps).toEqual(['first begins']);
    const second = alone(
      'in turn',
      { database, clock, log, cluster: { node: 'b', isAlone: false } },
      async () => {
        steps.push('second begins');
      },
    );
    await clock.advance(2_000);
    for (const finish of finishing) finish();
    await first;
    await expect
      .poll(async () => {
        await clock.advance(2_000);
        return steps;
      })
      .toEqual(['first begins', 'first ends', 'second begins']);
    await second;
  });
});
