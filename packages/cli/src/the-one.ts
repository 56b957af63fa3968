import { CliError, EXIT } from './cli-error.ts';

/** What a person may have meant: something with an id, of which the beginning is enough. */
export interface Choice<Row> {
  readonly noun: string;
  readonly among: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly hint?: string;
}

/** The only one whose id begins so. */
export function theOne<Row>(beginning: string, { noun, among, idOf, hint }: Choice<Row>): Row {
  const found = new Map(among.map((row) => [idOf(row), row]));
  for (const id of found.keys()) if (!id.startsWith(beginning)) found.delete(id);
  const [one, ...more] = found.values();
  if (one !== undefined && more.length === 0) return one;
  if (one === undefined) {
    throw new CliError('not_found', `parley: there is no ${noun} ${beginning}`, {
      exitCode: EXIT.gone,
      hint,
    });
  }
  throw new CliError('ambiguous', `parley: ${beginning} may be ${[...found.keys()].join(' or ')}`, {
    hint: 'give more of it',
  });
}
