import { z } from 'zod';
import { MAX_ADDRESS, MAX_METADATA_BYTES } from './limits.ts';
import {
  DELIVERY_MODES,
  type DeliveryMode,
  LIVE_FALLBACK_SPELLINGS,
  type LiveFallbackMode,
} from './vocabulary.ts';

/** Pieces that several requests share. An optional field may be left out or sent as null, which is the same. */

/** Text the store can keep and give back as it came: whole characters, no NUL. */
const KEPT = /^[^\0\p{Cs}]*$/u;
/** One line of it: no control characters. */
const ONE_LINE = /^[^\p{Cc}\p{Cs}]*$/u;

export const text = (longest: number) =>
  z.string().max(longest).regex(KEPT, 'must not hold NUL or halves of characters');

export const line = (longest: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(longest)
    .regex(ONE_LINE, 'must not hold control characters');

/** Left out, or sent as null: the given value. */
export const orElse = <Schema extends z.ZodType, Value>(schema: Schema, value: Value) =>
  schema.nullish().transform((given) => given ?? value);

/** A string measured in bytes, as it travels. */
export const bytes = (longest: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .regex(KEPT, 'must not hold NUL or halves of characters')
    .refine((value) => byteLength(value) <= longest, `must be at most ${longest} bytes`)
    .meta({ maxLength: longest });

const ENCODER = new TextEncoder();
const byteLength = (value: string): number => ENCODER.encode(value).length;

/** An agent in any of the three address forms. Whether it is one is said with its own error, not as a bad field. */
export const agentRef = z.string().max(MAX_ADDRESS);

export const jsonObject = z.record(z.string(), z.unknown());

/** Too much metadata is an error of its own, so the size is no part of the shape. */
export const fitsAsMetadata = (metadata: Readonly<Record<string, unknown>>): boolean =>
  fitsAsJson(metadata, MAX_METADATA_BYTES);

export const fitsAsJson = (value: object, most: number): boolean => byteLength(JSON.stringify(value)) <= most;

const NO_INSTANT = 'must be an RFC 3339 time';
/** What RFC 3339 can still write in UTC: an offset may lead out of its years. */
const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00Z');
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** RFC 3339, in either case, without an offset in UTC; comes out as Unix milliseconds. */
export const instant = z
  .string({ error: NO_INSTANT })
  .toUpperCase()
  .pipe(z.iso.datetime({ offset: true, local: true, error: NO_INSTANT }))
  .transform((value) => Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`))
  .refine((at) => at >= FIRST_INSTANT && at <= LAST_INSTANT, NO_INSTANT);

export const deliveryMode = z.enum(DELIVERY_MODES);
export const liveFallbackMode = z
  .enum(LIVE_FALLBACK_SPELLINGS)
  .transform((word): LiveFallbackMode => (word === 'fallback_to_background' ? 'background' : word));

export const DEFAULT_MODE: DeliveryMode = 'auto';
export const DEFAULT_FALLBACK: LiveFallbackMode = 'background';

export const queryInteger = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number);
export const queryWhole = (least: number, most: number) => queryInteger.pipe(z.int().min(least).max(most));

export const queryFlag = z
  .enum(['true', 'false', '1', '0', 'True', 'False'], 'must be true or false')
  .transform((word) => word === 'true' || word === '1' || word === 'True');

/** `limit` and `offset` of a list. */
export const page = (size: { readonly default: number; readonly max: number }) => ({
  limit: queryWhole(1, size.max).default(size.default),
  offset: queryInteger.default(0),
});

/** What every list carries besides its items. */
export const pageAnswer = { total: z.int(), limit: z.int(), offset: z.int() };

export const time = z.iso.datetime();
export const noInput = z.object({});
