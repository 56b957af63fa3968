import { vi } from 'vitest';
import { sqliteText } from '../platform/database/sql.ts';
import { SqliteConnection } from '../platform/database/sqlite/connection.ts';

/** The statements that are sent to SQLite while something is done, in their order. The frame of transactions is not counted. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = [];
  const note = (text: string): void => void texts.push(text.replace(/\s+/g, ' ').trim());
  const { prototype } = SqliteConnection;
  const { all, get, run, execute } = prototype;
  const spies = [
    vi.spyOn(prototype, 'all').mockImplementation(function (this: SqliteConnection, query) {
      note(sqliteText(query.strings));
      return all.call(this, query);
    }),
    vi.spyOn(prototype, 'get').mockImplementation(function (this: SqliteConnection, query) {
      note(sqliteText(query.strings));
      return get.call(this, query);
    }),
    vi.spyOn(prototype, 'run').mockImplementation(function (this: SqliteConnection, query) {
      note(sqliteText(query.strings));
      return run.call(this, query);
    }),
    vi.spyOn(prototype, 'execute').mockImplementation(function (this: SqliteConnection, query) {
      note(query.sql);
      return execute.call(this, query) as never;
    }),
  ];
  try {
    await work();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return texts;
}
