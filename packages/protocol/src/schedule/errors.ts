/** Every refusal of the schedule: what it answers, and what it says to people. */
export const SCHEDULE_ERRORS = {
  invalid_schedule_payload: [422, 'The request does not have the form of this operation'],
  invalid_schedule_id: [422, 'schedule_id must match sched_ and 1 to 58 of a-z, 0-9, _ and -'],
  invalid_schedule_kind: [422, 'kind must be reminder or task_nudge'],
  invalid_schedule_title: [422, 'title must have 1 to 160 characters'],
  invalid_schedule_note: [422, 'note must be a text of at most 1000 characters'],
  invalid_schedule_due_at: [422, 'due_at must be UTC seconds: YYYY-MM-DDTHH:MM:SSZ'],
  due_at_not_future: [422, 'due_at must be in the future'],
  invalid_schedule_subject: [422, 'subject_kind (user, peer, thread or task) and subject_id come together'],
  invalid_schedule_metadata: [422, 'metadata must be a flat object of at most 2048 bytes'],
  invalid_schedule_link: [422, 'a task_nudge needs a task_id, a thread_id or a subject'],
  invalid_schedule_version: [422, 'expected_version must be the version the change is based on, from 1'],
  invalid_schedule_status: [422, 'this is no status that can be given here'],
  invalid_schedule_reason: [422, 'reason must be a text of at most 500 characters'],
  invalid_schedule_query: [422, 'this parameter cannot have that value'],
  schedule_id_conflict: [409, 'another item has this schedule_id'],
  idempotency_key_conflict: [409, 'another item was made with this idempotency_key'],
  schedule_version_conflict: [409, 'the item has changed since that version'],
  schedule_status_conflict: [409, 'the item is not in a status that allows this'],
} as const;

export type ScheduleErrorCode = keyof typeof SCHEDULE_ERRORS;

/** What is wrong with the store, in one word, and what that means. */
export const SCHEDULE_TROUBLE = {
  schedule_db_unavailable:
    'the store of reminders does not answer; nothing was changed, unless it broke off while this was stored: look before you send it again',
  schedule_db_locked: 'the store of reminders is in use; nothing was changed, so try again',
  schedule_db_corrupt: 'the store of reminders is damaged; its operator has to restore it',
  schedule_actor_invalid: 'whoever calls cannot be named in the store of reminders',
} as const;

export type ScheduleTrouble = keyof typeof SCHEDULE_TROUBLE;

export const SCHEDULE_NOT_FOUND = 'schedule_not_found';
