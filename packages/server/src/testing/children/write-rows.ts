import { openDatabase } from '../../platform/database/open-database.ts';
import { sql } from '../../platform/database/sql.ts';

/**
 * Writes rows from many callers at once and prints an id only after its write was acknowledged.
 * Arguments: location as JSON, prefix of the ids, number of callers. Runs until it is killed.
 */
const [location = '', prefix = '', callers = '1'] = process.argv.slice(2);
const db = await openDatabase(JSON.parse(location) as { dataDir: string });

let next = 0;
async function caller(): Promise<void> {
  for (;;) {
    const id = `${prefix}-${next++}`;
    await db.write(async (tx) => {
      await tx.run(sql`INSERT INTO acked (id, body) VALUES (${id}, ${'x'.repeat(200)})`);
      await tx.run(sql`UPDATE totals SET n = n + 1`);
    });
    process.stdout.write(`${id}\n`);
  }
}

await Promise.all(Array.from({ length: Number(callers) }, caller));
