import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SQLITE_FILE } from '../../platform/database/open-database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Platform } from '../../platform.ts';

/** What the store takes on disk, its log included; null where that cannot be told. */
export async function storeBytes({
  database,
  config,
}: Pick<Platform, 'database' | 'config'>): Promise<number | null> {
  if (database.dialect === 'postgres') {
    return await database.read.total(sql`SELECT pg_database_size(current_database()) AS bytes`);
  }
  const file = join(resolve(config.dataDir), SQLITE_FILE);
  const sizes = await Promise.all(
    [file, `${file}-wal`].map((each) =>
      stat(each).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
