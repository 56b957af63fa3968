import { z } from 'zod';

export const helpErrorAnswer = z.object({
  error: z.object({
    code: z.string(),
    detail: z.string(),
    validation_hints: z.array(
      z.object({
        field: z.string(),
        area: z.string(),
        reason: z.string(),
        limit: z.null(),
        allowed_values: z.array(z.string()),
        correction_hint: z.string(),
      }),
    ),
  }),
});
