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

export const ACTION_ROUTES = [consoleMessageCancel] as const;
