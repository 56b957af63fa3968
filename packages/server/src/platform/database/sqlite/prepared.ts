import type { SqlValue } from '../sql.ts';
import type { SqliteHandle, SqliteStatement } from './binding.ts';
import { type RowMaker, rowMaker } from './row-maker.ts';

/** One prepared statement. Its rows come as arrays and become objects here: that takes half as long as in the binding. */
export class Prepared {
  readonly #statement: SqliteStatement;
  readonly #columns: readonly string[];
  #rowOf: RowMaker | undefined;

  constructor(handle: SqliteHandle, text: string) {
    this.#statement = handle.prepare(text);
    this.#columns = this.#statement.columns().map(({ name }) => name);
    if (this.returnsRows) this.#statement.setReturnArrays(true);
  }

  get returnsRows(): boolean {
    return this.#columns.length > 0;
  }

  all(values: readonly SqlValue[]): object[] {
    const rows = this.#statement.all(...values) as (readonly unknown[])[];
    return rows.length === 0 ? [] : rows.map((this.#rowOf ??= rowMaker(this.#columns)));
  }

  get(values: readonly SqlValue[]): object | undefined {
    const row = this.#statement.get(...values) as readonly unknown[] | undefined;
    return row && (this.#rowOf ??= rowMaker(this.#columns))(row);
  }

  run(values: readonly SqlValue[]): ReturnType<SqliteStatement['run']> {
    return this.#statement.run(...values);
  }
}
