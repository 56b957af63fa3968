import { z } from 'zod';
import { time } from '../delivery/fields.ts';
import { declareRoute } from '../route.ts';

/** The cookie of a person who is signed in. */
export const CONSOLE_COOKIE = 'parley_console';
export const CONSOLE_SESSION_PREFIX = 'pcs_';
export const CONSOLE_CODE_PREFIX = 'pcc_';
export const CONSOLE_SESSION_BYTES = 32;
/** A session ends when nobody used it for this long. */
export const CONSOLE_SESSION_MS = 12 * 3_600_000;
export const CONSOLE_CODE_MS = 5 * 60_000;
/** A form of another site cannot send it, so a change that carries it was asked for by our own page. */
export const CONSOLE_HEADER = 'X-Parley-Console';
/** For whom an operator asks. */
export const CONSOLE_OWNER_HEADER = 'X-Parley-Owner';
/** As which agent of that owner, for routes that an agent calls. */
export const CONSOLE_AGENT_HEADER = 'X-Parley-Agent';

export const CONSOLE_ROLES = ['operator', 'owner'] as const;
/** What an operator sees of owners: everything, their texts too but only to read, or names, states, counts and errors. */
export const OPERATOR_SIGHT = ['all', 'content', 'names'] as const;

const signIn = z.union([
  z.strictObject({ code: z.string().min(1).max(400) }),
  z.strictObject({ api_key: z.string().min(1).max(200) }),
  z.strictObject({ device_code: z.string().min(1).max(200) }),
]);

const session = z.object({
  id: z.string(),
  role: z.enum(CONSOLE_ROLES),
  /** Null for an operator. */
  owner: z.object({ id: z.string(), slug: z.string() }).nullable(),
  sees: z.enum(OPERATOR_SIGHT),
  version: z.string(),
  server_time: time,
  expires_at: time,
});

const listedSession = z.object({
  id: z.string(),
  role: z.enum(CONSOLE_ROLES),
  owner: z.string().nullable(),
  agent: z.string(),
  created_at: time,
  seen_at: time,
  expires_at: time,
  current: z.boolean(),
});

const sessionList = z.object({ sessions: z.array(listedSession) });

export const consoleSessionCreate = declareRoute({
  name: 'console_session_create',
  method: 'POST',
  path: '/v1/console/session',
  auth: 'none',
  summary:
    'Sign in to the console, by the one-time code of an operator, an owner-wide key or a device login.',
  body: signIn,
  success: 201,
  answer: session,
});

export const consoleSessionRead = declareRoute({
  name: 'console_session_read',
  method: 'GET',
  path: '/v1/console/session',
  auth: 'person',
  summary: 'Who is signed in, and what they may see.',
  success: 200,
  answer: session,
});

export const consoleSessionEnd = declareRoute({
  name: 'console_session_end',
  method: 'DELETE',
  path: '/v1/console/session',
  auth: 'person',
  summary: 'Sign out.',
  success: 204,
});

export const consoleSessionList = declareRoute({
  name: 'console_session_list',
  method: 'GET',
  path: '/v1/console/sessions',
  auth: 'person',
  summary: 'Sessions of the same owner, or of operators, newest first.',
  success: 200,
  answer: sessionList,
});

export const consoleSessionRevoke = declareRoute({
  name: 'console_session_revoke',
  method: 'DELETE',
  path: '/v1/console/sessions/{id}',
  auth: 'person',
  summary: 'End one of these sessions.',
  success: 204,
});

export const SESSION_ROUTES = [
  consoleSessionCreate,
  consoleSessionRead,
  consoleSessionEnd,
  consoleSessionList,
  consoleSessionRevoke,
] as const;

export type ConsoleRole = (typeof CONSOLE_ROLES)[number];
export type OperatorSight = (typeof OPERATOR_SIGHT)[number];
export type ConsoleSession = z.infer<typeof session>;
export type ConsoleSignIn = z.infer<typeof signIn>;
export type ConsoleSessions = z.infer<typeof sessionList>;
