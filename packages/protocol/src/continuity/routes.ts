import { z } from 'zod';
import { declareRoute } from '../route.ts';
import * as answers from './answers.ts';
import * as lists from './list-answers.ts';
import {
  diffRequest,
  eventsQuery,
  historyRequest,
  opsRunRequest,
  restoreRequest,
  searchRequest,
} from './beyond-requests.ts';
import {
  archiveRequest,
  compareRequest,
  deleteRequest,
  lifecycleRequest,
  listRequest,
  patchRequest,
  readRequest,
  refreshPlanRequest,
  retentionPlanRequest,
  revalidateRequest,
  upsertRequest,
} from './requests.ts';

/* The name of a route is also the name of its tool. */

export const upsert = declareRoute({
  name: 'continuity.upsert',
  method: 'POST',
  path: '/v1/continuity/upsert',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Store a capsule; with merge_mode preserve, send only what changes.',
  body: upsertRequest,
  success: 200,
  answer: z.union([answers.upserted, answers.upsertRehearsed]),
});

export const patch = declareRoute({
  name: 'continuity.patch',
  method: 'POST',
  path: '/v1/continuity/patch',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Add, remove or replace single list items of a capsule, all or nothing.',
  body: patchRequest,
  success: 200,
  answer: z.union([answers.patched, answers.rehearsal]),
});

export const lifecycle = declareRoute({
  name: 'continuity.lifecycle',
  method: 'POST',
  path: '/v1/continuity/lifecycle',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Suspend, resume, conclude or supersede a thread or task.',
  body: lifecycleRequest,
  success: 200,
  answer: z.union([answers.moved, answers.moveRehearsed]),
});

export const read = declareRoute({
  name: 'continuity.read',
  method: 'POST',
  path: '/v1/continuity/read',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'Read a capsule with its trust signals; with view startup also a summary to carry on from.',
  body: readRequest,
  success: 200,
  answer: z.union([answers.startupAnswer, answers.readAnswer]),
});

export const compare = declareRoute({
  name: 'continuity.compare',
  method: 'POST',
  path: '/v1/continuity/compare',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'Compare a candidate with the stored capsule and recommend an outcome; writes nothing.',
  body: compareRequest,
  success: 200,
  answer: answers.compared,
});

export const revalidate = declareRoute({
  name: 'continuity.revalidate',
  method: 'POST',
  path: '/v1/continuity/revalidate',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Confirm, correct, degrade or mark as conflicted what a capsule says.',
  body: revalidateRequest,
  success: 200,
  answer: z.union([answers.revalidated, answers.revalidateRehearsed]),
});

export const list = declareRoute({
  name: 'continuity.list',
  method: 'POST',
  path: '/v1/continuity/list',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'List capsules, filtered by their descriptors, in order or by salience.',
  body: listRequest,
  success: 200,
  answer: lists.listed,
});

export const archive = declareRoute({
  name: 'continuity.archive',
  method: 'POST',
  path: '/v1/continuity/archive',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Move the active capsule of a subject into an archive.',
  body: archiveRequest,
  success: 200,
  answer: answers.archived,
});

export const remove = declareRoute({
  name: 'continuity.delete',
  method: 'POST',
  path: '/v1/continuity/delete',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Delete the active capsule, the fallback or the archives of a subject.',
  body: deleteRequest,
  success: 200,
  answer: answers.deleted,
});

export const refreshPlan = declareRoute({
  name: 'continuity.refresh_plan',
  method: 'POST',
  path: '/v1/continuity/refresh/plan',
  auth: 'token',
  scopes: ['read:files', 'write:projects'],
  summary: 'Plan which capsules to verify next.',
  body: refreshPlanRequest,
  success: 200,
  answer: lists.refreshPlan,
});

export const retentionPlan = declareRoute({
  name: 'continuity.retention_plan',
  method: 'POST',
  path: '/v1/continuity/retention/plan',
  auth: 'token',
  scopes: ['read:files', 'write:projects'],
  summary: 'Plan which archives to put into cold storage.',
  body: retentionPlanRequest,
  success: 200,
  answer: lists.retentionPlan,
});

export const history = declareRoute({
  name: 'continuity.history',
  method: 'POST',
  path: '/v1/continuity/history',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'What was written for a subject, newest first.',
  body: historyRequest,
  success: 200,
  answer: lists.revisions,
});

export const diff = declareRoute({
  name: 'continuity.diff',
  method: 'POST',
  path: '/v1/continuity/diff',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'What differs between two states of a capsule.',
  body: diffRequest,
  success: 200,
  answer: lists.differences,
});

export const restore = declareRoute({
  name: 'continuity.restore',
  method: 'POST',
  path: '/v1/continuity/restore',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Write an older state of a capsule as a new one.',
  body: restoreRequest,
  success: 200,
  answer: answers.restored,
});

export const search = declareRoute({
  name: 'continuity.search',
  method: 'POST',
  path: '/v1/continuity/search',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'Find capsules by the words in them.',
  body: searchRequest,
  success: 200,
  answer: lists.found,
});

export const events = declareRoute({
  name: 'continuity.events',
  method: 'GET',
  path: '/v1/continuity/events',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'Changes of capsules as an event stream; resumes after Last-Event-ID.',
  query: eventsQuery,
  success: 200,
  events: lists.capsuleChange,
});

export const opsRun = declareRoute({
  name: 'ops.run',
  method: 'POST',
  path: '/v1/ops/run',
  auth: 'token',
  scopes: ['admin:peers'],
  summary: 'Run a storage job; from the host itself only.',
  body: opsRunRequest,
  success: 200,
  answer: lists.jobDone,
});

export const CONTINUITY_ROUTES = [
  upsert,
  patch,
  lifecycle,
  read,
  compare,
  revalidate,
  list,
  archive,
  remove,
  refreshPlan,
  retentionPlan,
  history,
  diff,
  restore,
  search,
  events,
  opsRun,
] as const;
