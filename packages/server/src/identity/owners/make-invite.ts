import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { systemClock } from '../../platform/clock.ts';
import { stepName, takenSteps } from '../../platform/database/migrations.ts';
import { openDatabase, SQLITE_FILE } from '../../platform/database/open-database.ts';
import { systemRandom } from '../../platform/ids.ts';
import { identityMigrations } from '../migrations.ts';
import { createInvite, type Invite } from './invites.ts';

/** There is no store of a server where the settings say. */
class NoStoreError extends Error {
  override readonly name = 'NoStoreError';

  constructor(place: string) {
    super(`no server has used ${place} yet; start it once, or name the one it uses`);
  }
}

type Place = Pick<Config, 'dataDir' | 'databaseUrl'>;

/**
 * For operators, who own the store: the code is written there, whether a server runs on it or not. Invites are read from the
 * store at every registration, so a running server knows it at once.
 */
export async function makeInvite({ dataDir, databaseUrl }: Place): Promise<Invite> {
  const folder = resolve(dataDir);
  const place = databaseUrl === undefined ? `the data folder ${folder}` : 'the database of database_url';
  // Opening a file that is not there would make an empty one.
  if (databaseUrl === undefined && !existsSync(join(folder, SQLITE_FILE))) throw new NoStoreError(place);
  const database = await openDatabase(databaseUrl === undefined ? { dataDir: folder } : { url: databaseUrl });
  try {
    const taken = await takenSteps(database);
    const { module, migrations } = identityMigrations;
    if (!migrations.some((step) => taken.has(stepName(module, step)))) throw new NoStoreError(place);
    return await createInvite({ database, clock: systemClock, random: systemRandom });
  } finally {
    await database.close();
  }
}
