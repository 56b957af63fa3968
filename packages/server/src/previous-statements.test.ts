import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from './migrations.ts';
import type { Dialect } from './platform/database/database.ts';
import { migrate } from './platform/database/migrations.ts';
import { type DatabaseLocation, openDatabase, SQLITE_FILE } from './platform/database/open-database.ts';
import { sql } from './platform/database/sql.ts';
import { describeEachDatabase } from './testing/databases.ts';
import { failuresOn, type Statement } from './testing/previous/statements.ts';
import { VERSION } from './version.ts';

/** A folder that a run with `RECORD_STATEMENTS` has filled: the fixture is made of it. */
const recorded = process.env.PARLEY_WRITE_STATEMENTS;

const fixture = (dialect: Dialect): URL => new URL(`./testing/previous/${dialect}.jsonl`, import.meta.url);

const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

/** Made by which version, and its statements. */
function readFixture(dialect: Dialect): { version: string; statements: Statement[] } {
  const [head, ...statements] = linesOf(readFileSync(fixture(dialect), 'utf8'));
  return { ...(head as { version: string }), statements: statements as Statement[] };
}

/**
 * While nodes are replaced one by one, those of the version before go on with their statements on tables that a new node has
 * changed. Whoever adds a step keeps them working, and takes away one release later what only they needed.
 */
describeEachDatabase('the statements of the version before', (open, { dialect, location }) => {
  async function newest(): Promise<{ at: DatabaseLocation; place: string }> {
    const at = await location();
    const database = await open({ at });
    await migrate(database, MIGRATIONS, () => 0);
    return { at, place: 'url' in at ? at.url : join(at.dataDir, SQLITE_FILE) };
  }

  if (recorded === undefined) {
    test('run on the newest tables', async () => {
      const { statements } = readFixture(dialect);
      expect(statements.length).toBeGreaterThan(400);
      const { place } = await newest();
      expect(await failuresOn(dialect, place, statements)).toEqual([]);
    });

    test('are refused by tables that lost or demand something', async () => {
      const { statements } = readFixture(dialect);
      const { at, place } = await newest();
      const database = await openDatabase(at);
      await database.write(async (tx) => {
        await tx.run(sql`ALTER TABLE message_tallies RENAME COLUMN count TO number`);
        await tx.run(sql`ALTER TABLE agents RENAME TO people`);
      });
      await database.close();
      const failed = (await failuresOn(dialect, place, statements)).map(({ text }) => text).join('\n');
      expect(failed).toMatch(/INSERT INTO message_tallies/);
      expect(failed).toMatch(/FROM agents\b/);
      expect(failed).not.toMatch(/INSERT INTO agent_events/);
    });
  } else {
    test('are those that a run has sent', async () => {
      const found = new Map<string, Statement>();
      for (const name of existsSync(recorded ?? '') ? readdirSync(recorded ?? '') : []) {
        if (!name.startsWith(dialect)) continue;
        const lines = linesOf(readFileSync(join(recorded ?? '', name), 'utf8')) as Statement[];
        for (const [text, values] of lines) found.set(shapeOf(text), [text, values]);
      }
      const { place } = await newest();
      const all = [...found.values()].toSorted(([a], [b]) => (a < b ? -1 : 1));
      // Statements of tests themselves, on tables of their own or with values that are refused.
      const failed = new Set((await failuresOn(dialect, place, all)).map(({ text }) => text));
      const kept = all.filter(([text]) => !failed.has(text));
      expect(kept.length).toBeGreaterThan(400);
      const head = { version: VERSION };
      writeFileSync(fixture(dialect), [head, ...kept].map((line) => `${JSON.stringify(line)}\n`).join(''));
    });
  }
});

/** Lists of any length are one statement. */
const shapeOf = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\$\d+/g, '?')
    .replaceAll(/(?:\(\?(?:, \?)*\), )+\(/g, '(')
    .replaceAll(/(?:\?, )+\?/g, '?');
