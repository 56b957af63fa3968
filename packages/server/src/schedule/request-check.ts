import { isObject } from '@parley/protocol/json';
import {
  acknowledgeItem,
  changeItem,
  createItem,
  type ListItems,
  listItems,
  retireItem,
  SCHEDULE_ID,
} from '@parley/protocol/schedule/requests';
import type { z } from 'zod';
import { type Check, compiled } from '../platform/http/schema.ts';
import type { ScheduleErrorCode } from '@parley/protocol/schedule/errors';
import { scheduleError } from './errors.ts';

type Body = Readonly<Record<string, unknown>>;
type Issues = readonly z.core.$ZodIssue[];

/** By field; what is not here is a fault of the payload. */
const CODES: Readonly<Record<string, ScheduleErrorCode>> = {
  schedule_id: 'invalid_schedule_id',
  kind: 'invalid_schedule_kind',
  title: 'invalid_schedule_title',
  note: 'invalid_schedule_note',
  due_at: 'invalid_schedule_due_at',
  metadata: 'invalid_schedule_metadata',
  expected_version: 'invalid_schedule_version',
  status: 'invalid_schedule_status',
  reason: 'invalid_schedule_reason',
};

/** In these a null is no value at all, and nothing that could be cleared. */
const NEVER_NULL: ReadonlySet<string> = new Set(['kind', 'title', 'due_at', 'status']);

const SUBJECT = 'subject';
const FIELDS = ['kind', 'title', 'note', 'due_at', 'task_id', 'thread_id', SUBJECT, 'metadata', 'wake'];

interface Order {
  /** Looked at before the form of any other. */
  readonly present: readonly string[];
  readonly fields: readonly string[];
  /** Whether one of the fields has to be there. */
  readonly some?: boolean;
}

const CREATE: Order = {
  present: ['kind', 'title', 'due_at'],
  fields: ['schedule_id', 'idempotency_key', ...FIELDS],
};
const CHANGE: Order = { present: [], fields: FIELDS, some: true };
const END: Order = { present: [], fields: ['expected_version', 'status', 'reason'] };

export const createFrom = acceptedBy(createItem, CREATE);
export const changeFrom = acceptedBy(changeItem, CHANGE);
export const acknowledgeFrom = acceptedBy(acknowledgeItem, END);
export const retireFrom = acceptedBy(retireItem, END);

export function requireScheduleId(text: string): string {
  const id = text.trim();
  if (!SCHEDULE_ID.test(id)) throw scheduleError('invalid_schedule_id', 'schedule_id');
  return id;
}

function acceptedBy<Schema extends z.ZodType>(schema: Schema, order: Order) {
  const check = compiled(schema);
  return (raw: unknown) => accepted(check, raw, order);
}

/** Of several faults the first is told, in an order that clients rely on. */
function accepted<Output>(check: Check<Output>, raw: unknown, order: Order): Output {
  if (!isObject(raw)) throw scheduleError('invalid_schedule_payload', 'body');
  const result = check(raw);
  const issues = result.success ? [] : result.error.issues;
  refuseUnknown(raw, issues);
  for (const field of order.present) {
    if (raw[field] == null) throw scheduleError('invalid_schedule_payload', field);
  }
  if (order.some) {
    refuse('expected_version', raw, issues);
    if (!Object.keys(raw).some((key) => key !== 'expected_version'))
      throw scheduleError('invalid_schedule_payload', 'body');
  }
  for (const field of order.fields) {
    if (field === SUBJECT) refuseSubject(raw, issues);
    else refuse(field, raw, issues);
  }
  if (!result.success) throw scheduleError('invalid_schedule_payload', 'body');
  return result.data;
}

function refuseUnknown(raw: Body, issues: Issues): void {
  const unknown = new Set(issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : [])));
  const first = Object.keys(raw).find((key) => unknown.has(key));
  if (first !== undefined) throw scheduleError('invalid_schedule_payload', first);
}

const isWrong = (field: string, issues: Issues): boolean => issues.some(({ path }) => path[0] === field);

function refuse(field: string, raw: Body, issues: Issues): void {
  if (!isWrong(field, issues)) return;
  const code = raw[field] === null && NEVER_NULL.has(field) ? undefined : CODES[field];
  throw scheduleError(code ?? 'invalid_schedule_payload', field);
}

function refuseSubject(raw: Body, issues: Issues): void {
  const alone = (raw.subject_kind == null) !== (raw.subject_id == null);
  const cleared = Object.hasOwn(raw, 'subject_kind') !== Object.hasOwn(raw, 'subject_id');
  const half = alone || (cleared && Object.hasOwn(raw, 'expected_version'));
  if (half || isWrong('subject_kind', issues))
    throw scheduleError('invalid_schedule_subject', 'subject_kind');
  refuse('subject_id', raw, issues);
}

const list = compiled(listItems);

/** What stands in the query of a list. */
export function listFrom(raw: unknown): ListItems {
  const query = isObject(raw) ? raw : {};
  const result = list(query);
  const issues = result.success ? [] : result.error.issues;
  if (isWrong('status', issues)) throw scheduleError('invalid_schedule_status', 'query.status');
  for (const name of LIST_PARAMETERS) {
    if (isWrong(name, issues)) throw scheduleError('invalid_schedule_query', `query.${name}`);
  }
  if (!result.success) throw scheduleError('invalid_schedule_query', 'query');
  const { subject_kind: kind, subject_id: id } = result.data;
  if (kind === undefined && id !== undefined)
    throw scheduleError('invalid_schedule_query', 'query.subject_kind');
  if (kind !== undefined && id === undefined)
    throw scheduleError('invalid_schedule_query', 'query.subject_id');
  return result.data;
}

const LIST_PARAMETERS = Object.keys(listItems.shape);
