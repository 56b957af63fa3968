import { z } from 'zod';
import { scheduleItem } from './item.ts';

const warnings = z.array(z.string());

export const createdItem = z.object({
  ok: z.literal(true),
  item: scheduleItem,
  /** False when the same request made it before. */
  created: z.boolean(),
  warnings,
});

/** `ok` is false where the store could not answer; `warnings` says why, and there is no item. */
export const shownItem = z.object({ ok: z.boolean(), item: scheduleItem.nullable(), warnings });

export const changedItem = z.object({
  ok: z.literal(true),
  item: scheduleItem,
  updated: z.boolean(),
  warnings,
});

export const itemList = z.object({
  ok: z.boolean(),
  count: z.int(),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
  items: z.array(scheduleItem),
  warnings,
});

export type CreatedItemAnswer = z.output<typeof createdItem>;
export type ItemAnswer = z.output<typeof shownItem>;
export type ChangeAnswer = z.output<typeof changedItem>;
export type ItemListAnswer = z.output<typeof itemList>;
