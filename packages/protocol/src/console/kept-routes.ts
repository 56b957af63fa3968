import type { z } from 'zod';
import { declareRoute } from '../route.ts';
import * as schemas from './kept-schemas.ts';

/** What agents keep: memory, reminders, what they exchange, and what wakes them next. */
export const consoleMemory = declareRoute({
  name: 'console_memory',
  method: 'GET',
  path: '/v1/console/memory',
  auth: 'person',
  summary: 'Capsules without what they say, by salience or the last change.',
  query: schemas.memoryQuery,
  success: 200,
  answer: schemas.memoryAnswer,
});

export const consoleSchedule = declareRoute({
  name: 'console_schedule',
  method: 'GET',
  path: '/v1/console/schedule',
  auth: 'person',
  summary: 'What agents asked to be reminded of, by when it is due.',
  query: schemas.scheduleQuery,
  success: 200,
  answer: schemas.scheduleAnswer,
});

export const consoleCoordination = declareRoute({
  name: 'console_coordination',
  method: 'GET',
  path: '/v1/console/coordination',
  auth: 'person',
  summary: 'Handoffs, shared states or reconciliations, the latest first.',
  query: schemas.coordinationQuery,
  success: 200,
  answer: schemas.coordinationAnswer,
});

export const consoleCues = declareRoute({
  name: 'console_cues',
  method: 'GET',
  path: '/v1/console/cues',
  auth: 'person',
  summary: 'Cues with their next five times, newest first.',
  query: schemas.cuesQuery,
  success: 200,
  answer: schemas.cuesAnswer,
});

export const consoleComing = declareRoute({
  name: 'console_coming',
  method: 'GET',
  path: '/v1/console/coming',
  auth: 'person',
  summary: 'Which cues fire in the next 24 hours, and when.',
  query: schemas.comingQuery,
  success: 200,
  answer: schemas.comingAnswer,
});

export const consoleNextTimes = declareRoute({
  name: 'console_next_times',
  method: 'GET',
  path: '/v1/console/next-times',
  auth: 'person',
  summary: 'The next times of a cron line that is being written.',
  query: schemas.nextTimesQuery,
  success: 200,
  answer: schemas.nextTimesAnswer,
});

export const KEPT_ROUTES = [
  consoleMemory,
  consoleSchedule,
  consoleCoordination,
  consoleCues,
  consoleComing,
  consoleNextTimes,
] as const;

export type KeptSubject = z.infer<typeof schemas.keptSubject>;
export type MemoryAnswer = z.infer<typeof schemas.memoryAnswer>;
export type KeptItem = z.infer<typeof schemas.keptItem>;
export type ScheduleAnswer = z.infer<typeof schemas.scheduleAnswer>;
export type KeptExchange = z.infer<typeof schemas.keptExchange>;
export type CoordinationAnswer = z.infer<typeof schemas.coordinationAnswer>;
export type ListedCueAnswer = z.infer<typeof schemas.listedCue>;
export type CuesAnswer = z.infer<typeof schemas.cuesAnswer>;
export type ComingAnswer = z.infer<typeof schemas.comingAnswer>;
export type NextTimesAnswer = z.infer<typeof schemas.nextTimesAnswer>;
