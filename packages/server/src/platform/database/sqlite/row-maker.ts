/** Makes an object of what one row holds. */
export type RowMaker = (values: readonly unknown[]) => object;

const makers = new Map<string, RowMaker>();

/**
 * The maker for these columns, which statements with the same columns share. It is a written object literal, as nothing else makes
 * objects of one shape as fast.
 */
export function rowMaker(columns: readonly string[]): RowMaker {
  const fields = columns.map((name, at) => `${JSON.stringify(name)}: values[${at}]`).join(', ');
  const known = makers.get(fields);
  if (known) return known;
  // oxlint-disable-next-line typescript/no-implied-eval -- only names in quotes and numbers go into it
  const made = new Function('values', `return { ${fields} };`) as RowMaker;
  makers.set(fields, made);
  return made;
}
