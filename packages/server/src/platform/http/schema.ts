import { z } from 'zod';

export type Check<Output> = (value: unknown) => z.ZodSafeParseResult<Output>;

/** A compiled schema. The one place that knows how schemas are compiled. */
export function compiled<Schema extends z.ZodType>(schema: Schema): Check<z.output<Schema>> {
  const fast = z.compile(schema);
  return (value) => fast.safeParse(value);
}
