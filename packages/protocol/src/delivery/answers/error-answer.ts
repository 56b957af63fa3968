import { z } from 'zod';
import { DELIVERY_ERRORS, type DeliveryErrorCode } from '../errors.ts';

const CODES = Object.keys(DELIVERY_ERRORS) as DeliveryErrorCode[];

/** Some errors show more beside these: `limit`, `current`, `window_seconds`, `hint`. */
const envelope = z
  .object({
    code: z.enum(CODES),
    message: z.string(),
    status: z.int(),
    details: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  })
  .catchall(z.union([z.string(), z.number()]));

/** `detail.error` repeats the envelope for the clients that read only there. */
export const deliveryErrorAnswer = z.object({ error: envelope, detail: z.object({ error: envelope }) });
