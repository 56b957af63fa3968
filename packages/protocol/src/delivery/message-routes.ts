import { declareRoute, IDEMPOTENCY_KEY } from '../route.ts';
import { noInput } from './fields.ts';
import * as answers from './answers/message-answers.ts';
import * as schemas from './requests/message-schemas.ts';

/** Messages: sending them, the inbox of an agent and what it sent, and how far each came. */
export const messageSend = declareRoute({
  name: 'message_send',
  method: 'POST',
  path: '/v1/messages',
  auth: 'key',
  summary: 'Send a message; the answer says by which channel it goes. 200 when the Idempotency-Key repeats.',
  body: schemas.messageCreate,
  headers: {
    [IDEMPOTENCY_KEY]: 'Repeated with the same key it is carried out once.',
  },
  success: 201,
  otherSuccesses: [200],
  answer: answers.message,
});

export const messageReadOne = declareRoute({
  name: 'message_get',
  method: 'GET',
  path: '/v1/messages/{id}',
  auth: 'key',
  summary: 'A message you sent or were sent, with how far it provably came.',
  success: 200,
  answer: answers.message,
});

export const messageMarkRead = declareRoute({
  name: 'message_read',
  method: 'POST',
  path: '/v1/messages/{id}/read',
  auth: 'key',
  summary: 'Mark a message as read, for its recipient.',
  body: noInput,
  success: 200,
  answer: answers.messageRead,
});

export const messageInvoked = declareRoute({
  name: 'message_invoked',
  method: 'POST',
  path: '/v1/messages/{id}/invoked',
  auth: 'key',
  summary: 'Say that a bridge started the agent with a message, for its recipient.',
  body: schemas.messageInvoked,
  success: 200,
  answer: answers.messageInvoked,
});

export const messageAck = declareRoute({
  name: 'message_ack',
  method: 'POST',
  path: '/v1/messages/{id}/ack',
  auth: 'key',
  summary: 'Mark a message as done, for its recipient.',
  body: noInput,
  success: 200,
  answer: answers.messageAcked,
});

export const inbox = declareRoute({
  name: 'agent_inbox',
  method: 'GET',
  path: '/v1/agents/{ref}/inbox',
  auth: 'key',
  summary: 'Messages to an agent, newest first; what is returned counts as delivered unless peek=true.',
  query: schemas.inboxQuery,
  success: 200,
  answer: answers.box,
});

export const sent = declareRoute({
  name: 'agent_sent',
  method: 'GET',
  path: '/v1/agents/{ref}/sent',
  auth: 'key',
  summary: 'Messages from an agent, newest first.',
  query: schemas.sentQuery,
  success: 200,
  answer: answers.box,
});

export const threadResume = declareRoute({
  name: 'thread_resume',
  method: 'POST',
  path: '/v1/threads/{id}/resume',
  auth: 'owner',
  summary: 'Let a thread go on that the loop guard has stopped.',
  body: noInput,
  success: 200,
  answer: answers.threadResumed,
});

export const MESSAGE_ROUTES = [
  messageSend,
  messageReadOne,
  messageMarkRead,
  messageInvoked,
  messageAck,
  inbox,
  sent,
  threadResume,
] as const;
