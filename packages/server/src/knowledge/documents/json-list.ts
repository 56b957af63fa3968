import type { Dialect } from '../../platform/database/database.ts';

/** A list of any length as one value of a statement. */
export const jsonList = (dialect: Dialect, values: readonly string[]): string =>
  JSON.stringify(dialect === 'sqlite' ? values : values.map(asStored));

/** PostgreSQL keeps a NUL character and half a surrogate pair as this one, and takes neither in JSON. */
const asStored = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
