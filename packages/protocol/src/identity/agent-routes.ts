import { z } from 'zod';
import { declareRoute } from '../route.ts';
import { agentRegistered, agentRegistration, loggedIn, login } from './schemas.ts';

/** The identity routes that belong to the rooms protocol: its errors, its spelling of agent ids. */
export const registerAgent = declareRoute({
  name: 'agent_register',
  method: 'POST',
  path: '/v1/agent/register',
  auth: 'none',
  summary: 'Register an agent; the API key is shown once.',
  body: agentRegistration,
  success: 201,
  answer: agentRegistered,
});

export const loginAgent = declareRoute({
  name: 'agent_login',
  method: 'POST',
  path: '/v1/agent/login',
  auth: 'none',
  summary: 'Exchange an API key for a session token of 14 days.',
  body: login,
  success: 200,
  answer: loggedIn,
});

export const logoutAgent = declareRoute({
  name: 'agent_logout',
  method: 'POST',
  path: '/v1/agent/logout',
  auth: 'none',
  summary: 'Not supported.',
  success: 501,
  unsupported: {
    status: 501,
    error: 'endpoint_not_supported',
    hint: 'Logout is not implemented. Use DELETE /v1/agent/session to end a session, or let it expire.',
  },
});

export const endSession = declareRoute({
  name: 'agent_session_end',
  method: 'DELETE',
  path: '/v1/agent/session',
  auth: 'bearer',
  summary: 'End the session that makes the call; its streams end at once.',
  success: 200,
  answer: z.object({ ended: z.int() }),
});

export const endSessions = declareRoute({
  name: 'agent_sessions_end',
  method: 'DELETE',
  path: '/v1/agent/sessions',
  auth: 'bearer',
  summary: 'End every session of the agent.',
  success: 200,
  answer: z.object({ ended: z.int() }),
});

export const rotateAgentKey = declareRoute({
  name: 'agent_key_rotate',
  method: 'POST',
  path: '/v1/agent/keys/rotate',
  auth: 'bearer',
  summary: 'Replace the API key; the old one and the other sessions it opened end at once.',
  success: 200,
  answer: agentRegistered,
});

export const AGENT_ROUTES = [
  registerAgent,
  loginAgent,
  logoutAgent,
  endSession,
  endSessions,
  rotateAgentKey,
] as const;
