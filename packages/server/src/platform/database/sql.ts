/** What may be bound. Both databases hold these alike; a flag is stored as 0 or 1, a time as Unix milliseconds. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/**
 * PostgreSQL refuses text with a NUL character, and one binding of SQLite ends the text there: an id with one would name whatever
 * has its beginning. It becomes U+FFFD in both, as half a surrogate pair does anyway, so that such an id is an unknown id.
 */
export const storable = <Value>(values: readonly Value[]): readonly Value[] =>
  values.some(hasNul) ? values.map(withoutNul) : values;

const hasNul = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');

const withoutNul = <Value>(value: Value): Value =>
  hasNul(value) ? (value.replaceAll('\0', '\ufffd') as Value & string) : value;

export interface SqlQuery {
  readonly strings: readonly string[];
  readonly values: readonly SqlValue[];
}

/**
 * A hot statement as written text with bound values. The same `sql` expression always carries the same `strings`
 * object, so each connection finds its prepared statement by identity: no text is built, compared or hashed per call.
 */
export function sql(strings: TemplateStringsArray, ...values: (SqlValue | Fixed)[]): SqlQuery {
  return isBound(values) ? { strings, values } : spliced(strings, values);
}

/** A constant that is part of a statement's text: bound, it could not be matched with the condition of an index. */
export interface Fixed {
  readonly text: string;
}

/** Names of states, as they stand after `IN`. */
export const oneOf = (names: readonly string[]): Fixed => ({
  text: `(${names.map((name) => `'${name}'`).join(', ')})`,
});

/** The name of one state, to be held against the names there are: `word('ACTIVE' satisfies RoomState)`. */
export const word = (name: string): Fixed => ({ text: `'${name}'` });

const isFixed = (value: SqlValue | Fixed): value is Fixed =>
  typeof value === 'object' && value !== null && 'text' in value;
const isValue = (value: SqlValue | Fixed): value is SqlValue => !isFixed(value);
const isBound = (values: readonly (SqlValue | Fixed)[]): values is readonly SqlValue[] =>
  values.every(isValue);

const splicedTexts = new WeakMap<readonly string[], readonly string[]>();

/** What is fixed is the same whenever the expression is evaluated, so its text is made once. */
function spliced(strings: readonly string[], values: readonly (SqlValue | Fixed)[]): SqlQuery {
  let texts = splicedTexts.get(strings);
  if (!texts) {
    const made = [strings[0] ?? ''];
    for (const [index, value] of values.entries()) {
      const after = strings[index + 1] ?? '';
      if (isFixed(value)) made.push(`${made.pop()}${value.text}${after}`);
      else made.push(after);
    }
    texts = made;
    splicedTexts.set(strings, texts);
  }
  return { strings: texts, values: values.filter(isValue) };
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
