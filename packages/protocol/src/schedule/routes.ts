import { declareRoute } from '../route.ts';
import * as answers from './answers.ts';
import { acknowledgeItem, changeItem, createItem, listItems, retireItem } from './requests.ts';

/* The name of a route is also the name of its tool. */

export const create = declareRoute({
  name: 'schedule.create',
  method: 'POST',
  path: '/v1/schedule/items',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Be reminded of something, or nudge a task, at a time; sending it again changes nothing.',
  body: createItem,
  success: 201,
  answer: answers.createdItem,
  otherSuccesses: [200],
  successes: '201; 200 for a repetition',
});

export const list = declareRoute({
  name: 'schedule.list',
  method: 'GET',
  path: '/v1/schedule/items',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'Items by when they are due, filtered by status and by what they are about.',
  query: listItems,
  success: 200,
  answer: answers.itemList,
});

export const get = declareRoute({
  name: 'schedule.get',
  method: 'GET',
  path: '/v1/schedule/items/{schedule_id}',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'One item.',
  success: 200,
  answer: answers.shownItem,
});

export const update = declareRoute({
  name: 'schedule.update',
  method: 'PATCH',
  path: '/v1/schedule/items/{schedule_id}',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Change a pending item; names the version it is based on.',
  body: changeItem,
  success: 200,
  answer: answers.changedItem,
});

export const acknowledge = declareRoute({
  name: 'schedule.acknowledge',
  method: 'POST',
  path: '/v1/schedule/items/{schedule_id}/acknowledge',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'End an item as seen, or with status done as completed.',
  body: acknowledgeItem,
  success: 200,
  answer: answers.changedItem,
});

export const retire = declareRoute({
  name: 'schedule.retire',
  method: 'POST',
  path: '/v1/schedule/items/{schedule_id}/retire',
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Put an item away for good.',
  body: retireItem,
  success: 200,
  answer: answers.changedItem,
});

export const SCHEDULE_ROUTES = [create, list, get, update, acknowledge, retire] as const;
