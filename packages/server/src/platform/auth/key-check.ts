import type { Database } from '../database/database.ts';
import type { ModuleMigrations } from '../database/migrations.ts';
import { step } from '../database/step.ts';
import { sql } from '../database/sql.ts';
import { type SecretBox, SecretBoxError } from './secret-box.ts';

/** One row: a known text, sealed with the key that everything else in this store is sealed with. */
export const secretMigrations: ModuleMigrations = {
  module: 'secrets',
  migrations: [
    step('001 create key check', [
      `CREATE TABLE secret_key_check (id integer PRIMARY KEY, sealed text NOT NULL)`,
    ]),
  ],
};

const PURPOSE = 'key-check';
const TEXT = 'this key fits';

/**
 * Refuses to go on with a key that cannot open what the store holds: with another one every sealed secret would turn out
 * unreadable one by one, hours later. `acceptNew` is the operator's word that the old key is lost.
 *
 * | check value | key      | accept_new_key | then                         |
 * |-------------|----------|----------------|------------------------------|
 * | none        |          |                | made                         |
 * | there       | fits     |                | nothing                      |
 * | there       | does not | off            | refused                      |
 * | there       | does not | on             | made anew; answers true      |
 */
export async function checkKey(
  database: Database,
  secrets: SecretBox,
  { acceptNew }: { acceptNew: boolean },
): Promise<boolean> {
  return await database.write(async (tx) => {
    await tx.lock('secret key check');
    const known = await tx.get<{ sealed: string }>(sql`SELECT sealed FROM secret_key_check WHERE id = 1`);
    if (known && fits(secrets, known.sealed)) return false;
    if (known && !acceptNew) {
      throw new SecretBoxError(
        'wrong_key',
        'the secret key does not fit this database: its secrets and room texts were sealed with another one. Put that ' +
          'key back (the file parley.key in the data folder, or PARLEY_SECRET_KEY; every node needs the same). If it is ' +
          'lost, start once with PARLEY_ACCEPT_NEW_KEY=on: what it sealed stays unreadable',
      );
    }
    await tx.run(sql`DELETE FROM secret_key_check`);
    await tx.run(sql`INSERT INTO secret_key_check (id, sealed) VALUES (1, ${secrets.seal(TEXT, PURPOSE)})`);
    return known !== undefined;
  });
}

function fits(secrets: SecretBox, sealed: string): boolean {
  try {
    return secrets.open(sealed, PURPOSE) === TEXT;
  } catch (error) {
    if (error instanceof SecretBoxError && error.code === 'cannot_open') return false;
    throw error;
  }
}
