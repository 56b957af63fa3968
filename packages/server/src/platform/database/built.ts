import type { SelectQueryBuilder } from 'kysely';

/** Of the columns to be matched those that were asked for, for the `and` of a condition. */
export function given<Asked extends object>(
  asked: Asked,
): { readonly [Name in keyof Asked]?: Exclude<Asked[Name], undefined> } {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as Asked;
}

/** How many rows a built select would have. */
export async function countOf<Tables, From extends keyof Tables>(
  query: SelectQueryBuilder<Tables, From, object>,
): Promise<number> {
  const counted = query.select(({ fn }) => fn.countAll().as('total')).$castTo<{ total: number | string }>();
  return Number((await counted.executeTakeFirst())?.total ?? 0);
}
