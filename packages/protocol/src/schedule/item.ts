import { z } from 'zod';
import { SUBJECT_KINDS } from '../continuity/vocabulary.ts';
import { SCHEDULE_KINDS, SCHEDULE_STATUSES } from './vocabulary.ts';

export type MetadataValue = string | number | boolean | null;

const metadataValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** As every answer shows it. `wake` is there only where somebody asked for it. */
export const scheduleItem = z.object({
  schedule_id: z.string(),
  kind: z.enum(SCHEDULE_KINDS),
  status: z.enum(SCHEDULE_STATUSES),
  derived_state: z.enum(['due', 'scheduled', 'terminal']),
  title: z.string(),
  note: z.string().nullable(),
  due_at: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: z.string(),
  updated_by: z.string(),
  terminal_at: z.string().nullable(),
  terminal_by: z.string().nullable(),
  terminal_reason: z.string().nullable(),
  task_id: z.string().nullable(),
  thread_id: z.string().nullable(),
  subject_kind: z.enum(SUBJECT_KINDS).nullable(),
  subject_id: z.string().nullable(),
  idempotency_key: z.string().nullable(),
  metadata: z.record(z.string(), metadataValue),
  version: z.int(),
  wake: z.literal(true).optional(),
});
export type ScheduleItem = z.output<typeof scheduleItem>;
