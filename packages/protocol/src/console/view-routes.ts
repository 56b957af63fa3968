import type { z } from 'zod';
import { declareRoute } from '../route.ts';
import * as schemas from './view-schemas.ts';

export const consoleOverview = declareRoute({
  name: 'console_overview',
  method: 'GET',
  path: '/v1/console/overview',
  auth: 'person',
  summary: 'What needs somebody, and who is awake.',
  success: 200,
  answer: schemas.overviewAnswer,
});

export const consoleTraffic = declareRoute({
  name: 'console_traffic',
  method: 'GET',
  path: '/v1/console/traffic',
  auth: 'person',
  summary: 'Messages, turns, cue fires, upserts and failures over time.',
  query: schemas.trafficQuery,
  success: 200,
  answer: schemas.trafficAnswer,
});

export const consoleSearch = declareRoute({
  name: 'console_search',
  method: 'GET',
  path: '/v1/console/search',
  auth: 'person',
  summary: 'Objects by name, address or id.',
  query: schemas.searchQuery,
  success: 200,
  answer: schemas.searchAnswer,
});

export const consoleStream = declareRoute({
  name: 'console_stream',
  method: 'GET',
  path: '/v1/console/stream',
  auth: 'person',
  summary: 'Server-sent events: which kinds of objects changed.',
  success: 200,
  events: schemas.changedEvent,
});

export const consoleOwners = declareRoute({
  name: 'console_owners',
  method: 'GET',
  path: '/v1/console/owners',
  auth: 'person',
  summary: 'Owners whose objects the person may see, oldest first, or those whose name begins with q.',
  query: schemas.ownersQuery,
  success: 200,
  answer: schemas.ownersAnswer,
});

export const consoleOwnerOf = declareRoute({
  name: 'console_owner_of',
  method: 'GET',
  path: '/v1/console/owner-of/{id}',
  auth: 'person',
  summary: 'Whose a message, an execution or a cue is, for an operator who follows a link to it.',
  success: 200,
  answer: schemas.ownerOfAnswer,
});

export const consoleAgents = declareRoute({
  name: 'console_agents',
  method: 'GET',
  path: '/v1/console/agents',
  auth: 'person',
  summary: 'Agents and how each would be reached now, newest first.',
  query: schemas.agentsQuery,
  success: 200,
  answer: schemas.agentsAnswer,
});

export const consoleAgentRoute = declareRoute({
  name: 'console_agent_route',
  method: 'GET',
  path: '/v1/console/agents/{ref}/route',
  auth: 'person',
  summary: 'The way a message to an agent would take now, and why.',
  success: 200,
  answer: schemas.agentRouteAnswer,
});

export const consoleMessages = declareRoute({
  name: 'console_messages',
  method: 'GET',
  path: '/v1/console/messages',
  auth: 'person',
  summary: 'Messages without their texts, newest first.',
  query: schemas.messagesQuery,
  success: 200,
  answer: schemas.messagesAnswer,
});

export const consoleThreads = declareRoute({
  name: 'console_threads',
  method: 'GET',
  path: '/v1/console/threads',
  auth: 'person',
  summary:
    'Threads of messages without their texts: those with something unread first, then the others, newest first.',
  query: schemas.threadsQuery,
  success: 200,
  answer: schemas.threadsAnswer,
});

export const consoleExecutions = declareRoute({
  name: 'console_executions',
  method: 'GET',
  path: '/v1/console/executions',
  auth: 'person',
  summary: 'Executions without their payloads, newest first.',
  query: schemas.executionsQuery,
  success: 200,
  answer: schemas.executionsAnswer,
});

export const consoleActivity = declareRoute({
  name: 'console_activity',
  method: 'GET',
  path: '/v1/console/activity',
  auth: 'person',
  summary: 'What people did at the console and what happened to agents, newest first.',
  query: schemas.activityQuery,
  success: 200,
  answer: schemas.activityAnswer,
});

export const VIEW_ROUTES = [
  consoleOverview,
  consoleTraffic,
  consoleSearch,
  consoleStream,
  consoleOwners,
  consoleOwnerOf,
  consoleAgents,
  consoleAgentRoute,
  consoleMessages,
  consoleThreads,
  consoleExecutions,
  consoleActivity,
] as const;

export type Overview = z.infer<typeof schemas.overviewAnswer>;
export type Need = z.infer<typeof schemas.need>;
export type Traffic = z.infer<typeof schemas.trafficAnswer>;
export type ConsoleSearchAnswer = z.infer<typeof schemas.searchAnswer>;
export type ReachedAgentAnswer = z.infer<typeof schemas.reachedAgent>;
export type ListedAgentAnswer = z.infer<typeof schemas.listedAgent>;
export type AgentsAnswer = z.infer<typeof schemas.agentsAnswer>;
export type AgentRouteAnswer = z.infer<typeof schemas.agentRouteAnswer>;
export type ListedMessageAnswer = z.infer<typeof schemas.listedMessage>;
export type MessagesAnswer = z.infer<typeof schemas.messagesAnswer>;
export type ListedThreadAnswer = z.infer<typeof schemas.listedThread>;
export type ThreadsAnswer = z.infer<typeof schemas.threadsAnswer>;
export type ListedExecutionAnswer = z.infer<typeof schemas.listedExecution>;
export type ExecutionsAnswer = z.infer<typeof schemas.executionsAnswer>;
export type ActivityAnswer = z.infer<typeof schemas.activityAnswer>;
export type OwnerOfAnswer = z.infer<typeof schemas.ownerOfAnswer>;
export type OwnersAnswer = z.infer<typeof schemas.ownersAnswer>;
