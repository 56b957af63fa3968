import { declareRoute } from '../route.ts';

/** What people do at the console that no route of an owner does. */
export const consoleMessageCancel = declareRoute({
  name: 'console_message_cancel',
  method: 'DELETE',
  path: '/v1/console/messages/{id}',
  auth: 'person',
  summary: 'Take a message back that nobody has yet.',
  success: 204,
});

export const consoleExecutionRelease = declareRoute({
  name: 'console_execution_release',
  method: 'POST',
  path: '/v1/console/executions/{id}/release',
  auth: 'person',
  summary: 'Take an execution from a worker whose lease is over, so that another can claim it.',
  success: 204,
});

export const ACTION_ROUTES = [consoleMessageCancel, consoleExecutionRelease] as const;
