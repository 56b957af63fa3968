import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { startChild } from '../../testing/child-program.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { systemClock } from '../clock.ts';
import { migrate } from '../database/migrations.ts';
import { sql } from '../database/sql.ts';
import { systemRandom } from '../ids.ts';
import { createLog } from '../log.ts';
import { Jobs } from './jobs.ts';
import { jobMigrations } from './migrations.ts';

const JOBS = 1_500;
const KILLS = 4;

describeEachDatabase('jobs › kill -9', (open, { location }) => {
  test('every enqueued job has exactly one effect, however often its runner is killed', async () => {
    const at = await location();
    const database = await open({ at });
    await migrate(database, [jobMigrations], () => 0);
    await database.write((tx) => tx.run(sql`CREATE TABLE effects (n bigint NOT NULL)`));
    const log = createLog({ level: 'silent', secretPrefixes: [], stream: { write: () => {} } });
    const jobs = new Jobs({ database, clock: systemClock, random: systemRandom, log });
    jobs.define('effect', { handler: async () => {} });
    const numbers = Array.from({ length: JOBS }, (_, n) => n);
    await Promise.all(numbers.map((n) => database.write((tx) => jobs.enqueue(tx, 'effect', n))));

    const left = async () =>
      (await database.read.get<{ n: number }>(sql`SELECT count(*) AS n FROM jobs`))?.n ?? 0;
    let interrupted = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const child = await startChild('run-jobs', [JSON.stringify(at)]);
      let finished = 0;
      await child.until(() => ++finished > 50);
      await sleep(kill * 2);
      await child.kill();
      if ((await left()) > 0) interrupted++;
    }
    expect(interrupted).toBeGreaterThan(1);
    const child = await startChild('run-jobs', [JSON.stringify(at)]);
    await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 60_000, interval: 20 });
    await child.kill();

    const effects = await database.read.all<{ n: number }>(sql`SELECT n FROM effects ORDER BY n`);
    expect(effects.map((row) => row.n)).toEqual(numbers);
  }, 120_000);
});
