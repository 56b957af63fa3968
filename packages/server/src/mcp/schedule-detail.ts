import type { ScheduleErrorCode } from '@parley/protocol/schedule/errors';
import { scheduleError } from '../schedule/errors.ts';
import { acknowledgeFrom, changeFrom, createFrom, listFrom, retireFrom } from '../schedule/request-check.ts';
import { DetailError } from '../wire/memory/errors.ts';
import type { ArgumentProblem } from './arguments.ts';
import type { Loose } from './message.ts';

const CHECKS: Readonly<Record<string, (given: Loose) => unknown>> = {
  'schedule.create': createFrom,
  'schedule.list': listFrom,
  'schedule.update': changeFrom,
  'schedule.acknowledge': acknowledgeFrom,
  'schedule.retire': retireFrom,
};

/**
 * A breach of a schedule tool's schema in the words of the schedule. Its own checks know them; where those would have been
 * lenient about a type, or the fault is in the path, the first breach is told.
 */
export function scheduleDetail(name: string, given: Loose, problems: readonly ArgumentProblem[]): object {
  const { schedule_id: id, ...body } = given;
  const field = problems[0]?.path.split('/')[1] ?? 'body';
  const check = field === 'schedule_id' && name !== 'schedule.create' ? undefined : CHECKS[name];
  try {
    check?.(name === 'schedule.create' ? given : body);
  } catch (error) {
    if (error instanceof DetailError && typeof error.detail === 'object') return error.detail;
    throw error;
  }
  if (field === 'schedule_id' && id !== undefined) return detailFor('invalid_schedule_id', field);
  if (name !== 'schedule.list') return detailFor('invalid_schedule_payload', field);
  return detailFor(
    field === 'status' ? 'invalid_schedule_status' : 'invalid_schedule_query',
    `query.${field}`,
  );
}

function detailFor(code: ScheduleErrorCode, field: string): object {
  const { detail } = scheduleError(code, field);
  return Object(detail);
}
