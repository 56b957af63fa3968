import { z } from 'zod';

export type Check<Output> = (value: unknown) => z.ZodSafeParseResult<Output>;

/**
 * A compiled schema. The one place that knows how schemas are compiled: when they are first used, for a server has many and
 * most of its clients ask for few.
 */
export function compiled<Schema extends z.ZodType>(schema: Schema): Check<z.output<Schema>> {
  let fast: Pick<Schema, 'safeParse'> | undefined;
  return (value) => (fast ??= z.compile(schema)).safeParse(value) as z.ZodSafeParseResult<z.output<Schema>>;
}
