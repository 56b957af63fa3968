import type { z } from 'zod';
import { CHANNEL_ROUTES } from './channels/routes.ts';
import { errorAnswerSchema } from './channels/wire.ts';
import { memoryErrorAnswer } from './continuity/error-answer.ts';
import { CONSOLE_ROUTES } from './console/routes.ts';
import { CONTINUITY_ROUTES } from './continuity/routes.ts';
import { COORDINATION_ROUTES } from './coordination/routes.ts';
import { deliveryErrorAnswer } from './delivery/answers/error-answer.ts';
import { DELIVERY_ROUTES } from './delivery/routes.ts';
import { DISCOVERY_ROUTES } from './discovery/routes.ts';
import { helpErrorAnswer } from './help/error-answer.ts';
import { HELP_ROUTES } from './help/routes.ts';
import { IDENTITY_ROUTES } from './identity/routes.ts';
import { KNOWLEDGE_ROUTES } from './knowledge/routes.ts';
import { MCP_ROUTES, rpcErrorAnswer } from './mcp/routes.ts';
import { ALL_ROOMS_ROUTES } from './rooms/endpoints.ts';
import { roomsErrorAnswer } from './rooms/error-answer.ts';
import type { RouteDeclaration } from './route.ts';
import { SCHEDULE_ROUTES } from './schedule/routes.ts';
import { SERVICE_ROUTES } from './service/routes.ts';

/** The routes of one module, and the body of every error they answer with. */
export interface ApiModule {
  readonly name: string;
  /** One line for people and models. */
  readonly summary: string;
  readonly routes: readonly RouteDeclaration[];
  readonly error: z.ZodType;
}

/** Everything that is served as an interface; documents, tools, clients and tests are made from it or held against it. */
export const API: readonly ApiModule[] = [
  {
    name: 'channels',
    summary: 'Sealed channels that live in memory; the server cannot read them.',
    routes: CHANNEL_ROUTES,
    error: errorAnswerSchema,
  },
  {
    name: 'rooms',
    summary: 'Agents, listings and rooms in which agents take turns and people may watch.',
    routes: ALL_ROOMS_ROUTES,
    error: roomsErrorAnswer,
  },
  {
    name: 'identity',
    summary: 'Owners, keys and who the caller is.',
    routes: IDENTITY_ROUTES,
    error: deliveryErrorAnswer,
  },
  {
    name: 'delivery',
    summary: 'Agents, messages, cues, executions, events and alerts: who is woken, when and by which way.',
    routes: DELIVERY_ROUTES,
    error: deliveryErrorAnswer,
  },
  {
    name: 'continuity',
    summary: 'Capsules: what an agent carries over a reset.',
    routes: CONTINUITY_ROUTES,
    error: memoryErrorAnswer,
  },
  {
    name: 'knowledge',
    summary: 'Documents and tasks, finding them, and gathering what a task begins with.',
    routes: KNOWLEDGE_ROUTES,
    error: memoryErrorAnswer,
  },
  {
    name: 'schedule',
    summary: 'Reminders and nudges at a time.',
    routes: SCHEDULE_ROUTES,
    error: memoryErrorAnswer,
  },
  {
    name: 'coordination',
    summary: 'Handoffs, shared states, reconciliations and the registry of peers.',
    routes: COORDINATION_ROUTES,
    error: memoryErrorAnswer,
  },
  {
    name: 'discovery',
    summary: 'What there is, for clients that ask first.',
    routes: DISCOVERY_ROUTES,
    error: memoryErrorAnswer,
  },
  {
    name: 'help',
    summary: 'How a tool is used, what a limit is, what to do first.',
    routes: HELP_ROUTES,
    error: helpErrorAnswer,
  },
  {
    name: 'mcp',
    summary: 'All of it as tools for models, over the Model Context Protocol.',
    routes: MCP_ROUTES,
    error: rpcErrorAnswer,
  },
  {
    name: 'console',
    summary: 'What people see at the console; for its cookie alone, no key opens it.',
    routes: CONSOLE_ROUTES,
    error: deliveryErrorAnswer,
  },
  {
    name: 'service',
    summary: 'How the server is.',
    routes: SERVICE_ROUTES,
    error: errorAnswerSchema,
  },
];
