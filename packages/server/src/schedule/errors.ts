import {
  SCHEDULE_ERRORS,
  SCHEDULE_NOT_FOUND,
  type ScheduleErrorCode,
  type ScheduleTrouble,
} from '@parley/protocol/schedule/errors';
import { COME_BACK, DetailError } from '../wire/memory/errors.ts';

export function scheduleError(code: ScheduleErrorCode, field: string): DetailError {
  const [status, message] = SCHEDULE_ERRORS[code];
  return new DetailError(status, { code, field, message }, { text: message, help: code });
}

export const scheduleNotFound = (scheduleId: string, warnings: readonly string[]): DetailError =>
  new DetailError(
    404,
    { code: SCHEDULE_NOT_FOUND, schedule_id: scheduleId, warnings },
    { text: SCHEDULE_NOT_FOUND, help: SCHEDULE_NOT_FOUND },
  );

/** What passes by itself. */
const PASSING: ReadonlySet<ScheduleTrouble> = new Set(['schedule_db_unavailable', 'schedule_db_locked']);

export const scheduleTrouble = (word: ScheduleTrouble): DetailError =>
  new DetailError(
    503,
    { code: word, warnings: [word] },
    { text: word, help: word, ...(PASSING.has(word) && { headers: COME_BACK }) },
  );
