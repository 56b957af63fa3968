import { sql as built } from 'kysely';
import type { Reader, Tx } from './database.ts';
import { type Fixed, sql, type SqlQuery, type SqlValue } from './sql.ts';

/** A column. What it holds is a matter of its type alone. */
export interface Column<Value extends SqlValue> {
  readonly value?: Value;
  /** The database fills it in: no insert names it. */
  readonly generated: boolean;
}

export interface GeneratedColumn<Value extends SqlValue> extends Column<Value> {
  readonly generated: true;
}

export type Columns = Readonly<Record<string, Column<SqlValue>>>;

export const column = <Value extends SqlValue>(): Column<Value> => ({ generated: false });
export const generated = <Value extends SqlValue>(): GeneratedColumn<Value> => ({ generated: true });

type NameOf<C extends Columns> = keyof C & string;
type ValueOf<C> = C extends { readonly value?: infer Value } ? Exclude<Value, undefined> : never;
type Row<C extends Columns> = { readonly [Name in keyof C]: ValueOf<C[Name]> };
type NewRow<C extends Columns> = {
  readonly [Name in keyof C as C[Name] extends GeneratedColumn<SqlValue> ? never : Name]: ValueOf<C[Name]>;
};

/** A row as it is read. */
export type RowOf<T> = T extends Table<infer C> ? Row<C> : never;

/** A row as it is inserted. */
export type NewRowOf<T> = T extends Table<infer C> ? NewRow<C> : never;

/** Continues a statement whose beginning is fixed, as `sql` writes a whole one. */
export type Tail = (strings: TemplateStringsArray, ...values: (SqlValue | Fixed)[]) => SqlQuery;

/** For a select that is more than one table: its columns and joins said once, the condition where it is asked. */
export function headed(text: string, end = ''): Tail {
  return continued(new Head([text]), [], end);
}

const continued =
  (head: Head, own: readonly SqlValue[], end = ''): Tail =>
  (strings, ...values) => {
    const rest = sql(strings, ...values);
    return { strings: head.with(rest.strings, end), values: [...own, ...rest.values] };
  };

/**
 * The columns of a table, said once: what its rows look like, and the statements that name all of them. A column has the
 * name its rows give it, in the spelling of the store: `readTurn` is the column `read_turn`, read under its own name.
 * Each text is made once, so a connection finds its prepared statement by identity, as it does for a written one.
 */
export class Table<C extends Columns> {
  readonly name: string;
  readonly names: readonly NameOf<C>[];
  /** Begins with "SELECT … FROM table". */
  readonly select: Tail;
  /** Begins with "DELETE FROM table". */
  readonly delete: Tail;
  readonly insert: (row: NewRow<C>) => SqlQuery;
  /** An insert that leaves a row with the same key as it is. */
  readonly insertNew: (row: NewRow<C>) => SqlQuery;
  readonly #columns: C;
  readonly #inserted: readonly NameOf<C>[];
  readonly #updates = new Map<string, Head>();
  readonly #inserts = new Map<number, Head>();
  readonly #locks: Readonly<Record<'UPDATE' | 'SHARE', Tail>>;

  constructor(name: string, columns: C) {
    this.name = name;
    this.#columns = columns;
    this.names = Object.keys(columns);
    this.#inserted = this.names.filter((each) => !columns[each]?.generated);
    const select = `SELECT ${this.list()} FROM ${name}`;
    this.select = headed(select);
    this.#locks = { UPDATE: headed(select, ' FOR UPDATE'), SHARE: headed(select, ' FOR SHARE') };
    this.delete = headed(`DELETE FROM ${name}`);
    this.insert = this.#insertThen('');
    this.insertNew = this.#insertThen(' ON CONFLICT DO NOTHING');
  }

  /** The names, for a head of one's own: `a, b` or, of an alias, `x.a, x.b`. */
  list(alias?: string): string {
    const before = alias === undefined ? '' : `${alias}.`;
    return this.names.map((each) => `${before}${shown(each)}`).join(', ');
  }

  /** A select whose rows nobody changes (`UPDATE`) or removes (`SHARE`) before the commit. SQLite has one writer anyway. */
  lock({ dialect }: Tx, how: 'UPDATE' | 'SHARE'): Tail {
    return dialect === 'postgres' ? this.#locks[how] : this.select;
  }

  /** A select to be built, for a question whose shape varies. Its rows have the names of the store. */
  from(reader: Reader) {
    return reader.kysely<{ row: Row<C> }>().selectFrom(this.name as 'row');
  }

  /** Finds the row of which a column holds a value. To be made once and kept. */
  finds<Name extends NameOf<C>>(name: Name) {
    const strings = [`SELECT ${this.list()} FROM ${this.name} WHERE ${stored(name)} = `, ''];
    return (reader: Reader, value: ValueOf<C[Name]> & SqlValue): Promise<Row<C> | undefined> =>
      reader.get<Row<C>>({ strings, values: [value] });
  }

  /** The rows of which a column holds one of some values. */
  async among(reader: Reader, name: NameOf<C>, values: readonly SqlValue[]): Promise<Row<C>[]> {
    if (values.length === 0) return [];
    const wanted = built.join([...new Set(values)]);
    const query = built<Row<C>>`
      SELECT ${built.raw(this.list())} FROM ${built.table(this.name)} WHERE ${built.ref(stored(name))} IN (${wanted})`;
    return (await query.execute(reader.kysely())).rows;
  }

  /** The same table with some of its columns: what is left out is neither read nor inserted. */
  pick<Name extends NameOf<C>>(...names: readonly Name[]): Table<Pick<C, Name>> {
    const entries = names.map((name) => [name, this.#columns[name]]);
    return new Table(this.name, Object.fromEntries(entries) as Pick<C, Name>);
  }

  /** The same table with more of its columns: those that are written and never read back. */
  with<More extends Columns>(more: More): Table<C & More> {
    return new Table(this.name, { ...this.#columns, ...more });
  }

  /** Begins with "INSERT INTO table (…) VALUES (…)" of one row or more: for a conflict that is settled otherwise than below. */
  inserting(...rows: readonly NewRow<C>[]): Tail {
    let head = this.#inserts.get(rows.length);
    if (!head) {
      const commas = this.#inserted.slice(1).map(() => ', ');
      const more = rows.slice(1).flatMap(() => ['), (', ...commas]);
      head = new Head([this.#into(), ...commas, ...more, ')']);
      this.#inserts.set(rows.length, head);
    }
    return continued(
      head,
      rows.flatMap((row) => valuesOf(row, this.#inserted)),
    );
  }

  /** An insert that overwrites the row with the same key. To be made once and kept. */
  upsert(...key: readonly NameOf<C>[]): (row: NewRow<C>) => SqlQuery {
    const rest = this.#inserted.filter((each) => !key.includes(each));
    const set = rest.map((each) => `${stored(each)} = excluded.${stored(each)}`);
    return this.#insertThen(` ON CONFLICT (${key.map(stored).join(', ')}) DO UPDATE SET ${set.join(', ')}`);
  }

  /** An insert that returns columns, of those the database fills in. To be made once and kept. */
  insertReturning(...returned: readonly NameOf<C>[]): (row: NewRow<C>) => SqlQuery {
    return this.#insertThen(` RETURNING ${returned.map(shown).join(', ')}`);
  }

  /** An insert that lets the database work out one column and returns others. To be made once and kept. */
  insertWith<Name extends NameOf<C>>(
    name: Name,
    work: (row: Omit<NewRow<C>, Name>) => SqlQuery,
    ...returned: readonly NameOf<C>[]
  ): (row: Omit<NewRow<C>, Name>) => SqlQuery {
    const others = this.#inserted.filter((each) => each !== name);
    const names = [...others, name].map(stored).join(', ');
    const head = new Head([`INSERT INTO ${this.name} (${names}) VALUES (`, ...others.map(() => ', ')]);
    const end = `) RETURNING ${returned.map(shown).join(', ')}`;
    return (row) => {
      const worked = work(row);
      return {
        strings: head.with(worked.strings, end),
        values: [...valuesOf(row, others), ...worked.values],
      };
    };
  }

  /** Begins with "UPDATE table SET" the columns named, of which there has to be one. One text for each set of names. */
  update(change: Partial<Row<C>>): Tail {
    const names = Object.keys(change);
    return this.#setting(names, change);
  }

  /**
   * The same for those of some columns in which two rows differ; undefined when that is none. A column that is set is taken out
   * of its indexes and put back, whether it changes or not.
   */
  difference(names: readonly NameOf<C>[], before: Row<C>, after: Row<C>): Tail | undefined {
    const changed = names.filter((name) => before[name] !== after[name]);
    return changed.length === 0 ? undefined : this.#setting(changed, after);
  }

  /** A row of this table alone, from one that holds more. Three times as quick as taking the rest of an object. */
  of(row: Row<C>): Row<C> {
    const from: Readonly<Record<string, unknown>> = row;
    const own: Record<string, unknown> = {};
    for (const name of this.names) own[name] = from[name];
    return own as Row<C>;
  }

  #setting(names: readonly string[], row: object): Tail {
    const key = names.join();
    let head = this.#updates.get(key);
    if (!head) {
      const texts = names.map(
        (each, index) => `${index === 0 ? `UPDATE ${this.name} SET` : ','} ${stored(each)} = `,
      );
      head = new Head([...texts, '']);
      this.#updates.set(key, head);
    }
    return continued(head, valuesOf(row, names));
  }

  #into(): string {
    return `INSERT INTO ${this.name} (${this.#inserted.map(stored).join(', ')}) VALUES (`;
  }

  #insertThen(end: string): (row: NewRow<C>) => SqlQuery {
    const names = this.#inserted;
    const strings = [this.#into(), ...names.slice(1).map(() => ', '), `)${end}`];
    return (row) => ({ strings, values: valuesOf(row, names) });
  }
}

export const table = <const C extends Columns>(name: string, columns: C): Table<C> =>
  new Table(name, columns);

const stored = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const shown = (name: string): string => (stored(name) === name ? name : `${stored(name)} AS "${name}"`);

/** The fixed beginning of statements, and the whole texts made of it. */
class Head {
  readonly #texts: readonly string[];
  readonly #whole = new WeakMap<readonly string[], readonly string[]>();

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  with(rest: readonly string[], end = ''): readonly string[] {
    const known = this.#whole.get(rest);
    if (known) return known;
    const texts = [...this.#texts.slice(0, -1), `${this.#texts.at(-1)} ${rest[0]}`, ...rest.slice(1)];
    const whole = [...texts.slice(0, -1), `${texts.at(-1)}${end}`];
    this.#whole.set(rest, whole);
    return whole;
  }
}

/** A value left out would be bound as the wrong one or as none, so it is an error here already. */
function valuesOf(row: object, names: readonly string[]): SqlValue[] {
  const values = row as Readonly<Record<string, SqlValue | undefined>>;
  return names.map((name) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`no value for the column ${name}`);
    return value;
  });
}
