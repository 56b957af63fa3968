import { z } from 'zod';
import { SUBJECT_KINDS } from '../continuity/vocabulary.ts';
import { type MetadataValue } from './item.ts';
import { ACKNOWLEDGED_AS, SCHEDULE_KINDS, SCHEDULE_STATUSES } from './vocabulary.ts';
import {
  LINK_CHARS,
  LIST_LIMIT,
  LIST_OFFSET,
  METADATA_BYTES,
  NOTE_CHARS,
  REASON_CHARS,
  TITLE_CHARS,
} from './limits.ts';

/** Half a character makes no text, and a zero cannot be stored as part of one. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

const text = (most: number, least = 0) =>
  z.string().trim().min(least).max(most).refine(isStorable, 'Input should be a valid string');

const trimmed = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);
const word = <const Words extends readonly string[]>(words: Words) => z.preprocess(trimmed, z.enum(words));

export const SCHEDULE_ID = /^sched_[a-z0-9][a-z0-9_-]{0,57}$/;

const scheduleId = z.string().trim().regex(SCHEDULE_ID);
const link = text(LINK_CHARS, 1);

const SECONDS = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Exactly whole seconds of UTC, on a day there is. */
function isUtcSecond(value: string): boolean {
  if (!SECONDS.test(value)) return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value.replace('Z', '.000Z');
}

const dueAt = z
  .string()
  .trim()
  .refine(isUtcSecond, 'Input should be UTC seconds: YYYY-MM-DDTHH:MM:SSZ')
  .meta({ format: 'date-time', example: '2030-01-01T00:00:00Z' });

/** Beyond these not every whole number is one, and two clients would hash the same text differently. */
const isExact = (value: unknown): boolean =>
  typeof value !== 'number' ||
  (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)));

/** Its canonical form is checked against `METADATA_BYTES` by the length of its parts: order changes nothing there. */
const fits = (metadata: Record<string, MetadataValue>): boolean =>
  new TextEncoder().encode(JSON.stringify(metadata)).length <= METADATA_BYTES;

const metadata = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]).refine(isExact, 'not exact'))
  .refine(fits, `at most ${METADATA_BYTES} bytes`)
  .meta({ description: `flat; at most ${METADATA_BYTES} bytes of JSON` });

const version = z.int().min(1);
/** Beyond the original: the agent that asks is sent a message when the item is due. */
const wake = z.boolean();

/** In the order in which faults are told. */
export const createItem = z.strictObject({
  schedule_id: scheduleId.nullish(),
  idempotency_key: link.nullish(),
  kind: word(SCHEDULE_KINDS),
  title: text(TITLE_CHARS, 1),
  note: text(NOTE_CHARS).nullish(),
  due_at: dueAt,
  task_id: link.nullish(),
  thread_id: link.nullish(),
  subject_kind: word(SUBJECT_KINDS).nullish(),
  subject_id: link.nullish(),
  metadata: metadata.nullish(),
  wake: wake.nullish(),
});
export type CreateItem = z.output<typeof createItem>;

/** What is left out stays, what is null is cleared. */
export const changeItem = z.strictObject({
  expected_version: version,
  kind: word(SCHEDULE_KINDS).optional(),
  title: text(TITLE_CHARS, 1).optional(),
  note: text(NOTE_CHARS).nullish(),
  due_at: dueAt.optional(),
  task_id: link.nullish(),
  thread_id: link.nullish(),
  subject_kind: word(SUBJECT_KINDS).nullish(),
  subject_id: link.nullish(),
  metadata: metadata.nullish(),
  wake: wake.nullish(),
});
export type ChangeItem = z.output<typeof changeItem>;

const reason = text(REASON_CHARS).nullish();

export const acknowledgeItem = z.strictObject({
  expected_version: version.nullish(),
  status: word(ACKNOWLEDGED_AS).optional(),
  reason,
});

export const retireItem = z.strictObject({ expected_version: version.nullish(), reason });
export type RetireItem = z.output<typeof retireItem>;

const WHOLE = /^[+-]?\d+$/;
const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

/** From the text of a URL. */
const whole = ({ least, usual, most }: { least: number; usual: number; most: number }) =>
  z
    .preprocess(
      (value) => (typeof value === 'string' && WHOLE.test(value.trim()) ? Number(value) : value),
      z.int().min(least).max(most),
    )
    .default(usual);

const flag = z.preprocess((value) => {
  const said = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (typeof said !== 'string') return value;
  return TRUE.has(said) || (FALSE.has(said) ? false : value);
}, z.boolean());

/** Filters that must all hold. What else stands in a query is nobody's business. */
export const listItems = z.object({
  status: word(SCHEDULE_STATUSES).optional(),
  due: flag.optional(),
  task_id: link.optional(),
  thread_id: link.optional(),
  subject_kind: word(SUBJECT_KINDS).optional(),
  subject_id: link.optional(),
  include_retired: flag.default(false),
  limit: whole(LIST_LIMIT),
  offset: whole(LIST_OFFSET),
});
export type ListItems = z.output<typeof listItems>;
