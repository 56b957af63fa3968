import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../platform/clock.ts';
import { type DatabaseLocation, openDatabase } from '../../platform/database/open-database.ts';
import { sql } from '../../platform/database/sql.ts';
import { systemRandom } from '../../platform/ids.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { createLog } from '../../platform/log.ts';

/** Runs `effect` jobs, each leaving one row, and prints the number of each it finished. Runs until it is killed. */
const database = await openDatabase(JSON.parse(process.argv[2] ?? '') as DatabaseLocation);
const jobs = new Jobs({
  database,
  clock: systemClock,
  random: systemRandom,
  log: createLog({ level: 'silent', secretPrefixes: [], stream: { write: () => {} } }),
});

jobs.define<number>('effect', {
  leaseMs: 600,
  concurrency: 16,
  handler: async ({ payload }, { complete }) => {
    // Slow enough to be killed in the middle, however late the parent wakes.
    await sleep(20);
    await database.write(async (tx) => {
      await tx.run(sql`INSERT INTO effects (n) VALUES (${payload})`);
      await complete(tx);
    });
    process.stdout.write(`${payload}\n`);
  },
});

await jobs.start();
setInterval(() => {}, 1_000);
