/** The words of reminders. Apart from the schemas, which need a library that a command line can do without. */
export const SCHEDULE_KINDS = ['reminder', 'task_nudge'] as const;
export type ScheduleKind = (typeof SCHEDULE_KINDS)[number];

export const SCHEDULE_STATUSES = ['pending', 'acknowledged', 'done', 'retired'] as const;
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];

/** How an acknowledgement may end an item. */
export const ACKNOWLEDGED_AS = ['acknowledged', 'done'] as const;
export type AcknowledgedAs = (typeof ACKNOWLEDGED_AS)[number];
