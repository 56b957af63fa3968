import type { SqlQuery } from '../database/database.ts';
import { SqliteDatabase } from '../database/sqlite/sqlite-database.ts';
import { checkStore } from './check-store.ts';
import { FreeDisk, type FreeDiskOptions } from './free-disk.ts';
import { sql } from '../database/sql.ts';
import type { Parts } from '../parts.ts';

export interface StorageOptions extends FreeDiskOptions, Pick<Parts, 'clock' | 'health' | 'database'> {
  /** This process, as no other calls itself. */
  node: string;
  /** The server before did not end in order. */
  wasLeftOpen: boolean;
}

/** Whether the store takes writes, has room for more, and is sound: what `/ready`, metrics and the log tell of it. */
export function createStorage(options: StorageOptions): FreeDisk {
  const { database, log, metrics, health, wasLeftOpen } = options;
  const disk = new FreeDisk(options);
  let damage: readonly string[] = [];
  health.check('database', writeProbe(options));
  health.check('disk', async () => {
    if (disk.isLow) throw new Error(disk.told);
  });
  health.check('store', async () => {
    if (damage.length > 0) throw new Error('the store is damaged');
  });
  metrics.gauge(
    'parley_store_problems',
    'What a check after an unclean stop found wrong',
    () => damage.length,
  );
  if (!wasLeftOpen || !(database instanceof SqliteDatabase)) return disk;
  const { file } = database;
  checkStore(file, 'quick').then((problems) => {
    damage = problems;
    if (problems.length > 0) log.error('store_damaged', { file, problems });
    else log.info('store_checked', { file });
  }, log.failed('store_check_failed'));
  return disk;
}

/** A load balancer may ask every second; a write each time would be work for nothing. */
const GOOD_FOR_MS = 1_500;
/** One that hangs is let be for a while, and then another is tried: it may be the connection that is gone, not the store. */
const GIVEN_UP_MS = 5_000;

/**
 * Changes nothing and goes to the disk all the same. On a file it is the row that is there since the first start. Where there may be
 * other nodes it is this one's line in the list of nodes: a node that stands still in the middle of its own makes no other wait.
 */
function harmlessWrite({ database, node }: StorageOptions): SqlQuery {
  return database.dialect === 'sqlite'
    ? sql`UPDATE secret_key_check SET sealed = sealed WHERE id = 1`
    : sql`UPDATE nodes SET version = version WHERE id = ${node}`;
}

/** Whether the store takes writes: it can answer every read while it cannot store a byte. */
function writeProbe(options: StorageOptions): () => Promise<void> {
  const { database, clock } = options;
  const query = harmlessWrite(options);
  let latest: { readonly at: number; readonly outcome: Promise<unknown> } | undefined;
  let underWay = 0;
  const write = (): Promise<unknown> => {
    underWay += 1;
    return database.write((tx) => tx.run(query)).finally(() => (underWay -= 1));
  };
  // Throws when the last write, made a moment ago at most, did not work.
  return async () => {
    const now = clock.monotonic();
    const goodFor = underWay > 0 ? GIVEN_UP_MS : GOOD_FOR_MS;
    if (!latest || now - latest.at >= goodFor) latest = { at: now, outcome: write() };
    await latest.outcome;
  };
}
