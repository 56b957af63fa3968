import { vi } from 'vitest';
import { sqliteText } from '../platform/database/sql.ts';
import { SqliteConnection } from '../platform/database/sqlite/connection.ts';

/** The statements that are sent to SQLite while something is done, in their order. The frame of transactions is not counted. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const { prototype } = SqliteConnection;
  const queries = (['all', 'get', 'run'] as const).map((name) => vi.spyOn(prototype, name));
  const built = vi.spyOn(prototype, 'execute');
  try {
    await work();
    return [
      ...queries.flatMap(({ mock }) =>
        mock.calls.map(([{ strings }], n) => note(mock, n, sqliteText(strings))),
      ),
      ...built.mock.calls.map(([{ sql }], n) => note(built.mock, n, sql)),
    ]
      .toSorted((a, b) => a.order - b.order)
      .map(({ text }) => text);
  } finally {
    for (const spy of [...queries, built]) spy.mockRestore();
  }
}

const note = ({ invocationCallOrder }: { invocationCallOrder: number[] }, n: number, text: string) => ({
  order: invocationCallOrder[n] ?? 0,
  text: text.replace(/\s+/g, ' ').trim(),
});
