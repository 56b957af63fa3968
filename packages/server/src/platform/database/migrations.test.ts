import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeEachDatabase, freshLocation } from '../../testing/databases.ts';
import { MigrationFailedError, UnknownMigrationError } from './errors.ts';
import { type ModuleMigrations, migrate } from './migrations.ts';
import { openDatabase } from './open-database.ts';
import { sql } from './sql.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';

const now = () => 1_000;

function creating(module: string, ...tables: string[]): ModuleMigrations {
  return {
    module,
    migrations: tables.map((table) => ({
      name: `create ${table}`,
      up: async (db) => {
        await db.schema
          .createTable(table)
          .addColumn('id', 'text', (column) => column.primaryKey())
          .execute();
      },
    })),
  };
}

describeEachDatabase('migrations', (open, { location }) => {
  test('run in order on an empty database, once', async () => {
    const db = await open();
    const modules = [creating('rooms', 'rooms', 'turns'), creating('agents', 'agents')];
    expect(await migrate(db, modules, now)).toEqual([
      'rooms/create rooms',
      'rooms/create turns',
      'agents/create agents',
    ]);
    await db.write((tx) => tx.run(sql`INSERT INTO turns (id) VALUES ('kept')`));
    expect(await migrate(db, modules, now)).toEqual([]);
    expect(await db.read.all(sql`SELECT id FROM turns`)).toEqual([{ id: 'kept' }]);
    expect(await db.read.get(sql`SELECT applied_at FROM parley_migrations WHERE module = 'agents'`)).toEqual({
      applied_at: 1_000,
    });
  });

  test('take only the new steps later', async () => {
    const db = await open();
    await migrate(db, [creating('rooms', 'rooms')], now);
    expect(await migrate(db, [creating('rooms', 'rooms', 'turns')], now)).toEqual(['rooms/create turns']);
  });

  test('a failing step leaves nothing of itself, and earlier steps stand', async () => {
    const db = await open();
    const broken: ModuleMigrations = {
      module: 'broken',
      migrations: [
        {
          name: 'half',
          up: async (kysely) => {
            await kysely.schema.createTable('half').addColumn('id', 'text').execute();
            throw new Error('no further');
          },
        },
      ],
    };
    const steps = [creating('rooms', 'rooms', 'turns'), broken];
    await expect(migrate(db, steps, now)).rejects.toThrow('migration broken/half failed');
    // In an empty store the steps are taken together.
    await expect(db.read.all(sql`SELECT id FROM rooms`)).rejects.toThrow(/rooms/);

    await migrate(db, [creating('rooms', 'rooms')], now);
    await expect(migrate(db, steps, now)).rejects.toThrow(MigrationFailedError);
    await expect(db.read.all(sql`SELECT id FROM half`)).rejects.toThrow(/half/);
    expect(await db.read.all(sql`SELECT id FROM turns`)).toEqual([]);
    expect(await migrate(db, [creating('rooms', 'rooms', 'turns'), creating('broken', 'half')], now)).toEqual(
      ['broken/create half'],
    );
  });

  test('data of a newer version is refused by name', async () => {
    const db = await open();
    await migrate(db, [creating('rooms', 'rooms', 'turns')], now);
    const older = migrate(db, [creating('rooms', 'rooms')], now);
    await expect(older).rejects.toThrow(UnknownMigrationError);
    await expect(older).rejects.toThrow(/rooms\/create turns/);
  });

  test('two nodes that start together migrate once', async () => {
    const at = await location();
    const nodes = [await open({ at }), await open({ at })];
    const modules = [creating('rooms', 'rooms', 'turns', 'views'), creating('agents', 'agents')];
    const taken = await Promise.all(nodes.map((node) => migrate(node, modules, now)));
    expect(taken.flat().toSorted()).toEqual([
      'agents/create agents',
      'rooms/create rooms',
      'rooms/create turns',
      'rooms/create views',
    ]);
  });
});

describe('migrations › backup', () => {
  test('a SQLite database with data is copied before it is changed, and three copies are kept', async () => {
    const { at, remove } = await freshLocation('sqlite');
    const folder = 'dataDir' in at ? at.dataDir : '';
    const db = await openDatabase(at);
    const backups = () =>
      readdirSync(folder)
        .filter((name) => name.includes('.backup-'))
        .toSorted();
    const tables = ['t1'];
    await migrate(db, [creating('m', ...tables)], now);
    expect(backups()).toEqual([]);
    await db.write((tx) => tx.run(sql`INSERT INTO t1 (id) VALUES ('kept')`));
    for (const table of ['t2', 't3', 't4', 't5']) {
      tables.push(table);
      await migrate(db, [creating('m', ...tables)], now);
    }
    expect(backups()).toEqual(['parley.db.backup-2', 'parley.db.backup-3', 'parley.db.backup-4']);
    await migrate(db, [creating('m', ...tables)], now);
    expect(backups()).toHaveLength(3);

    const copy = new SqliteDatabase(`${folder}/parley.db.backup-4`);
    expect(await copy.read.all(sql`SELECT id FROM t1`)).toEqual([{ id: 'kept' }]);
    await expect(copy.read.all(sql`SELECT id FROM t5`)).rejects.toThrow(/t5/);
    await copy.close();
    await db.close();
    await remove();
    expect(existsSync(folder)).toBe(false);
  });
});
