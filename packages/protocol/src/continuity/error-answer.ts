import { z } from 'zod';

/** One breach of the schema. */
const breach = z.object({
  type: z.string(),
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
});

/** A text, the breaches of the schema, or an object that names a code. */
const detail = z.union([z.string(), z.array(breach), z.record(z.string(), z.unknown())]);

export const memoryErrorAnswer = z.union([
  z.object({
    detail,
    code: z.string().optional(),
    problems: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
  /** Something nobody foresaw. */
  z.object({
    ok: z.literal(false),
    operation: z.literal('unhandled'),
    error: z.object({ code: z.literal('internal_error'), detail: z.string() }),
  }),
]);
