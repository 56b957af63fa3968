import { z } from 'zod';
import { ROOMS_ERRORS, type RoomsErrorBody, type RoomsErrorCode } from './errors.ts';

const CODES = Object.keys(ROOMS_ERRORS) as RoomsErrorCode[];

export const roomsErrorAnswer = z.object({
  error: z.enum(CODES),
  status: z.int(),
  recoverable: z.boolean(),
  hint: z.string(),
  endpoint: z.string().optional(),
  allow: z.array(z.string()).optional(),
  max_chars: z.int().optional(),
  retry_after_seconds: z.int().optional(),
}) satisfies z.ZodType<RoomsErrorBody>;
