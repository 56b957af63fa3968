/** What may be bound. Both databases hold these alike; a flag is stored as 0 or 1, a time as Unix milliseconds. */
export type SqlValue = string | number | bigint | Uint8Array | null;

export interface SqlQuery {
  readonly strings: readonly string[];
  readonly values: readonly SqlValue[];
}

/**
 * A hot statement as written text with bound values. The same `sql` expression always carries the same `strings`
 * object, so each connection finds its prepared statement by identity: no text is built, compared or hashed per call.
 */
export function sql(strings: TemplateStringsArray, ...values: SqlValue[]): SqlQuery {
  return { strings, values };
}

export interface PostgresText {
  readonly name: string;
  readonly text: string;
}

const postgresTexts = new WeakMap<readonly string[], PostgresText>();
let named = 0;

/** The text with `$1 … $n`, and the name under which a connection keeps it prepared. */
export function postgresText(strings: readonly string[]): PostgresText {
  const known = postgresTexts.get(strings);
  if (known) return known;
  const text = strings.reduce((head, tail, index) => `${head}$${index}${tail}`);
  const made = { name: `sql_${++named}`, text };
  postgresTexts.set(strings, made);
  return made;
}

/** The text with `?`. Not cached: a SQLite connection keeps the prepared statement itself under `strings`. */
export function sqliteText(strings: readonly string[]): string {
  return strings.join('?');
}
