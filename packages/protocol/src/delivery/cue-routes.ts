import { CONFIRM_DESTRUCTIVE, declareRoute } from '../route.ts';
import * as answers from './answers/cue-answers.ts';
import * as schemas from './requests/cue-schemas.ts';

/** Schedules: what should happen and when, and what came of it. */
export const cueCreate = declareRoute({
  name: 'cue_create',
  method: 'POST',
  path: '/v1/cues',
  auth: 'key',
  summary: 'Say once what should happen and when: at a time, or again and again.',
  body: schemas.cueCreate,
  success: 201,
  answer: answers.cue,
});

export const cueList = declareRoute({
  name: 'cue_list',
  method: 'GET',
  path: '/v1/cues',
  auth: 'key',
  summary: 'Your cues, newest first.',
  query: schemas.cueListQuery,
  success: 200,
  answer: answers.cueList,
});

export const cueBulkDelete = declareRoute({
  name: 'cue_bulk_delete',
  method: 'POST',
  path: '/v1/cues/bulk-delete',
  auth: 'key',
  summary: 'Delete up to 100 cues with their executions; needs X-Confirm-Destructive: true.',
  body: schemas.cueBulkDelete,
  headers: {
    [CONFIRM_DESTRUCTIVE]: 'true: it is meant.',
  },
  success: 200,
  answer: answers.cuesDeleted,
});

export const cueRead = declareRoute({
  name: 'cue_get',
  method: 'GET',
  path: '/v1/cues/{id}',
  auth: 'key',
  summary: 'One cue with its latest executions.',
  query: schemas.cueReadQuery,
  success: 200,
  answer: answers.cueWithExecutions,
});

export const cueUpdate = declareRoute({
  name: 'cue_update',
  method: 'PATCH',
  path: '/v1/cues/{id}',
  auth: 'key',
  summary: 'Change a cue, pause it or let it go on.',
  body: schemas.cuePatch,
  success: 200,
  answer: answers.cue,
});

export const cueDelete = declareRoute({
  name: 'cue_delete',
  method: 'DELETE',
  path: '/v1/cues/{id}',
  auth: 'key',
  summary: 'Delete a cue with its executions.',
  success: 204,
});

export const cueFire = declareRoute({
  name: 'cue_fire',
  method: 'POST',
  path: '/v1/cues/{id}/fire',
  auth: 'key',
  summary: 'Fire a cue now, or at a time, with another payload if you like.',
  body: schemas.cueFire,
  success: 200,
  answer: answers.cueFired,
});

export const cueNext = declareRoute({
  name: 'cue_next',
  method: 'GET',
  path: '/v1/cues/{id}/next',
  auth: 'key',
  summary: 'When a cue will run next, also as the clock in its time zone shows it.',
  query: schemas.cueNextQuery,
  success: 200,
  answer: answers.cueNext,
});

export const cueBackfill = declareRoute({
  name: 'cue_backfill',
  method: 'POST',
  path: '/v1/cues/{id}/backfill',
  auth: 'key',
  summary: 'Run a recurring cue for past times that have no execution; with dry_run only say which.',
  body: schemas.cueBackfill,
  success: 200,
  answer: answers.cueBackfilled,
});

export const CUE_ROUTES = [
  cueCreate,
  cueList,
  cueBulkDelete,
  cueRead,
  cueUpdate,
  cueDelete,
  cueFire,
  cueNext,
  cueBackfill,
] as const;
