import { declareRoute } from '../route.ts';
import { liveEvent } from './wakes.ts';
import { liveSession, liveSessionsAnswer } from './answers/agent-answers.ts';
import * as schemas from './requests/live-session-schemas.ts';

/** Live sessions of an agent and how their monitors learn of offers. */
export const liveSessionAttach = declareRoute({
  name: 'live_session_attach',
  method: 'POST',
  path: '/v1/agents/{ref}/live-sessions',
  auth: 'key',
  summary: 'Attach a live session; attaching counts as its first beat.',
  body: schemas.liveSessionAttach,
  success: 201,
  answer: liveSession,
});

export const liveSessionList = declareRoute({
  name: 'live_session_list',
  method: 'GET',
  path: '/v1/agents/{ref}/live-sessions',
  auth: 'key',
  summary: 'The live sessions of an agent, newest first.',
  query: schemas.liveSessionList,
  success: 200,
  answer: liveSessionsAnswer,
});

export const liveSessionPatch = declareRoute({
  name: 'live_session_update',
  method: 'PATCH',
  path: '/v1/agents/{ref}/live-sessions/{label}',
  auth: 'key',
  summary: 'Make the session the default, or rotate its token.',
  body: schemas.liveSessionPatch,
  success: 200,
  answer: liveSession,
});

export const liveSessionBeat = declareRoute({
  name: 'live_session_heartbeat',
  method: 'POST',
  path: '/v1/agents/{ref}/live-sessions/{label}/heartbeat',
  auth: 'key',
  summary: 'The monitor says that it is there; advised every 60 seconds.',
  body: schemas.liveSessionBeat,
  success: 200,
  answer: liveSession,
});

export const liveSessionDetach = declareRoute({
  name: 'live_session_detach',
  method: 'DELETE',
  path: '/v1/agents/{ref}/live-sessions/{label}',
  auth: 'key',
  summary: 'Detach the session; its open offers fall back at once.',
  success: 200,
  answer: liveSession,
});

export const liveSessionStream = declareRoute({
  name: 'live_session_stream',
  method: 'GET',
  path: '/v1/agents/{ref}/live-sessions/{label}/stream',
  auth: 'key',
  summary: 'Server-sent events offer, withdrawn and ping; the open stream beats for the session.',
  success: 200,
  events: liveEvent,
});

export const LIVE_SESSION_ROUTES = [
  liveSessionAttach,
  liveSessionList,
  liveSessionPatch,
  liveSessionBeat,
  liveSessionDetach,
  liveSessionStream,
] as const;
