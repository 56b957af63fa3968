import { declareRoute } from '../route.ts';
import * as answers from './answers.ts';
import {
  appendRequest,
  changeTaskRequest,
  createTaskRequest,
  readQuery,
  recentRequest,
  retrieveRequest,
  searchDocumentsRequest,
  tasksQuery,
  writeRequest,
} from './requests.ts';

/* The name of a route is also the name of its tool. */

export const write = declareRoute({
  name: 'documents.write',
  method: 'POST',
  path: '/v1/write',
  auth: 'token',
  summary: 'Store a text under a path, whole.',
  body: writeRequest,
  success: 200,
  answer: answers.written,
});

export const read = declareRoute({
  name: 'documents.read',
  method: 'GET',
  path: '/v1/read',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'Read a document, a task or a capsule by its path.',
  query: readQuery,
  success: 200,
  answer: answers.document,
});

export const append = declareRoute({
  name: 'documents.append',
  method: 'POST',
  path: '/v1/append',
  auth: 'token',
  summary: 'Add one JSON object as a line to a document; creates it.',
  body: appendRequest,
  success: 200,
  answer: answers.written,
});

export const rebuild = declareRoute({
  name: 'index.rebuild',
  method: 'POST',
  path: '/v1/index/rebuild',
  auth: 'token',
  scopes: ['read:index'],
  summary: 'Make the search index anew.',
  success: 200,
  answer: answers.rebuilt,
});

export const rebuildIncremental = declareRoute({
  name: 'index.rebuild_incremental',
  method: 'POST',
  path: '/v1/index/rebuild-incremental',
  auth: 'token',
  scopes: ['read:index'],
  summary: 'Bring the search index up to date and say what changed since the last time.',
  success: 200,
  answer: answers.broughtUpToDate,
});

export const indexStatus = declareRoute({
  name: 'index.status',
  method: 'GET',
  path: '/v1/index/status',
  auth: 'token',
  scopes: ['read:index'],
  summary: 'Whether there is a search index, how old it is and how much is in it.',
  success: 200,
  answer: answers.indexStatus,
});

export const search = declareRoute({
  name: 'documents.search',
  method: 'POST',
  path: '/v1/search',
  auth: 'token',
  scopes: ['search'],
  summary: 'Find documents and tasks by the words in them and in their paths.',
  body: searchDocumentsRequest,
  success: 200,
  answer: answers.found,
});

export const recent = declareRoute({
  name: 'documents.recent',
  method: 'POST',
  path: '/v1/recent',
  auth: 'token',
  scopes: ['search'],
  summary: 'The documents and tasks that changed last.',
  body: recentRequest,
  success: 200,
  answer: answers.recent,
});

export const createTask = declareRoute({
  name: 'tasks.create',
  method: 'POST',
  path: '/v1/tasks',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Create a task.',
  body: createTaskRequest,
  success: 200,
  answer: answers.taskCreated,
});

export const changeTask = declareRoute({
  name: 'tasks.update',
  method: 'PATCH',
  path: '/v1/tasks/{task_id}',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Change fields of a task; a task that is done stays done.',
  body: changeTaskRequest,
  success: 200,
  answer: answers.taskChanged,
});

export const queryTasks = declareRoute({
  name: 'tasks.query',
  method: 'GET',
  path: '/v1/tasks/query',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'Tasks by status, owner, collaborator or thread, newest change first.',
  query: tasksQuery,
  success: 200,
  answer: answers.tasks,
});

export const retrieve = declareRoute({
  name: 'context.retrieve',
  method: 'POST',
  path: '/v1/context/retrieve',
  auth: 'token',
  scopes: ['search'],
  summary: 'Everything to begin a task with: capsules within a token budget, core memory, evidence, links.',
  body: retrieveRequest,
  success: 200,
  answer: answers.retrieved,
});

export const KNOWLEDGE_ROUTES = [
  write,
  read,
  append,
  rebuild,
  rebuildIncremental,
  indexStatus,
  search,
  recent,
  createTask,
  changeTask,
  queryTasks,
  retrieve,
] as const;
