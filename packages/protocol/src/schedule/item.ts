import type { SubjectKind } from '../continuity/vocabulary.ts';

export const SCHEDULE_KINDS = ['reminder', 'task_nudge'] as const;
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number];

export const SCHEDULE_STATUSES = ['pending', 'acknowledged', 'done', 'retired'] as const;
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];

/** How an acknowledgement may end an item. */
export const ACKNOWLEDGED_AS = ['acknowledged', 'done'] as const;
export type AcknowledgedAs = (typeof ACKNOWLEDGED_AS)[number];

export type MetadataValue = string | number | boolean | null;

/** As every answer shows it. `wake` is there only where somebody asked for it. */
export interface ScheduleItem {
  schedule_id: string;
  kind: ScheduleKind;
  status: ScheduleStatus;
  derived_state: 'due' | 'scheduled' | 'terminal';
  title: string;
  note: string | null;
  due_at: string;
  created_at: string;
  updated_at: string;
  created_by: string;
  updated_by: string;
  terminal_at: string | null;
  terminal_by: string | null;
  terminal_reason: string | null;
  task_id: string | null;
  thread_id: string | null;
  subject_kind: SubjectKind | null;
  subject_id: string | null;
  idempotency_key: string | null;
  metadata: Record<string, MetadataValue>;
  version: number;
  wake?: true;
}
