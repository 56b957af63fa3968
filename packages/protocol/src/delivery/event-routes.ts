import { declareRoute } from '../route.ts';
import * as answers from './answers/event-answers.ts';
import * as schemas from './requests/event-schemas.ts';

/** What happens to an agent and its messages, told by cursor or to an endpoint. */
export const subscriptionCreate = declareRoute({
  name: 'subscription_create',
  method: 'POST',
  path: '/v1/agents/{ref}/subscriptions',
  auth: 'key',
  summary: 'Subscribe the agent to one type of events: to pull them, or to have them posted.',
  body: schemas.subscriptionCreate,
  success: 201,
  answer: answers.subscription,
});

export const subscriptionList = declareRoute({
  name: 'subscription_list',
  method: 'GET',
  path: '/v1/agents/{ref}/subscriptions',
  auth: 'key',
  summary: 'The active subscriptions of an agent.',
  success: 200,
  answer: answers.subscriptions,
});

export const subscriptionAck = declareRoute({
  name: 'subscription_ack',
  method: 'PATCH',
  path: '/v1/agents/{ref}/subscriptions/{id}/ack',
  auth: 'key',
  summary: 'Note how far the agent has come; never moves back.',
  body: schemas.subscriptionAck,
  success: 200,
  answer: answers.acked,
});

export const subscriptionDetach = declareRoute({
  name: 'subscription_delete',
  method: 'DELETE',
  path: '/v1/agents/{ref}/subscriptions/{id}',
  auth: 'key',
  summary: 'End a subscription; may be repeated.',
  success: 200,
  answer: answers.detached,
});

export const eventList = declareRoute({
  name: 'event_list',
  method: 'GET',
  path: '/v1/agents/{ref}/events',
  auth: 'key',
  summary: 'Events of the agent after a cursor, oldest first; wait=long holds until there is one.',
  query: schemas.eventsQuery,
  success: 200,
  answer: answers.events,
});

export const EVENT_ROUTES = [
  subscriptionCreate,
  subscriptionList,
  subscriptionAck,
  subscriptionDetach,
  eventList,
] as const;
