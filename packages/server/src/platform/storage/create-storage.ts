import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { SqliteDatabase } from '../database/sqlite/sqlite-database.ts';
import type { Health } from '../health.ts';
import { errorFields, type Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { TimerWheel } from '../timer-wheel.ts';
import { checkStore } from './check-store.ts';
import { FreeDisk, type FreeBytes } from './free-disk.ts';
import { WriteProbe } from './write-probe.ts';

export interface StorageOptions {
  database: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  health: Health;
  wheel: TimerWheel;
  freeBytes: FreeBytes;
  leastFree: number;
  /** The server before did not end in order. */
  wasLeftOpen: boolean;
}

/** Whether the store takes writes, has room for more, and is sound: what `/ready`, metrics and the log tell of it. */
export function createStorage(options: StorageOptions): FreeDisk {
  const { database, clock, log, metrics, health, wasLeftOpen, leastFree: least } = options;
  const probe = new WriteProbe(database, clock);
  const disk = new FreeDisk({ ...options, least });
  let damage: readonly string[] = [];
  health.check('database', () => probe.check());
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
  checkStore(file, 'quick').then(
    (problems) => {
      damage = problems;
      if (problems.length > 0) log.error('store_damaged', { file, problems });
      else log.info('store_checked', { file });
    },
    (error: unknown) => log.error('store_check_failed', errorFields(error)),
  );
  return disk;
}
