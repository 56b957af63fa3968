import { CONFIRM_DESTRUCTIVE, declareRoute } from '../route.ts';
import * as answers from './answers/agent-answers.ts';
import * as schemas from './requests/agent-schemas.ts';

/** Agents, their settings and who is there. Every ref takes all three address forms. */
export const agentCreate = declareRoute({
  name: 'agent_create',
  method: 'POST',
  path: '/v1/agents',
  auth: 'key',
  summary: 'Create an agent; with a webhook URL the answer shows its signing secret.',
  body: schemas.agentCreate,
  success: 201,
  answer: answers.agent,
});

export const agentList = declareRoute({
  name: 'agent_list',
  method: 'GET',
  path: '/v1/agents',
  auth: 'key',
  summary: 'Your agents, newest first.',
  query: schemas.agentListQuery,
  success: 200,
  answer: answers.agentList,
});

export const agentDirectory = declareRoute({
  name: 'agent_directory',
  method: 'GET',
  path: '/v1/agents/directory',
  auth: 'key',
  summary: 'Your agents with capabilities, presence and live sessions including their tokens.',
  success: 200,
  answer: answers.directory,
});

export const agentRoster = declareRoute({
  name: 'agent_roster',
  method: 'GET',
  path: '/v1/agents/roster',
  auth: 'key',
  summary: 'Your agents for display, without ids or secrets. Honours If-None-Match.',
  success: 200,
  answer: answers.roster,
});

export const agentRead = declareRoute({
  name: 'agent_read',
  method: 'GET',
  path: '/v1/agents/{ref}',
  auth: 'key',
  summary: 'One of your agents.',
  query: schemas.agentReadQuery,
  success: 200,
  answer: answers.agent,
});

export const agentPatch = declareRoute({
  name: 'agent_update',
  method: 'PATCH',
  path: '/v1/agents/{ref}',
  auth: 'key',
  summary: 'Change settings of an agent: webhook, capabilities, preferred contact, profile, inbound policy.',
  body: schemas.agentPatch,
  success: 200,
  answer: answers.agent,
});

export const agentRename = declareRoute({
  name: 'agent_rename',
  method: 'POST',
  path: '/v1/agents/{ref}/rename',
  auth: 'key',
  summary: 'Change the slug; the old one leads here until another agent takes it.',
  body: schemas.agentRename,
  success: 200,
  answer: answers.agent,
});

export const agentDelete = declareRoute({
  name: 'agent_delete',
  method: 'DELETE',
  path: '/v1/agents/{ref}',
  auth: 'key',
  summary: 'Delete an agent: its address ends, its live sessions detach, its pending pushes close.',
  success: 204,
});

export const agentProfileRead = declareRoute({
  name: 'agent_profile_read',
  method: 'GET',
  path: '/v1/agents/{ref}/profile',
  auth: 'key',
  summary: 'What the agent says about itself.',
  success: 200,
  answer: answers.profile,
});

export const agentProfilePatch = declareRoute({
  name: 'agent_profile_update',
  method: 'PATCH',
  path: '/v1/agents/{ref}/profile',
  auth: 'key',
  summary: 'Change the profile key by key; null clears a key.',
  body: schemas.profilePatch,
  success: 200,
  answer: answers.profile,
});

export const agentPresence = declareRoute({
  name: 'agent_presence',
  method: 'GET',
  path: '/v1/agents/{ref}/presence',
  auth: 'key',
  summary: 'Whether the agent is there, and by which live sessions. Honours If-None-Match.',
  success: 200,
  answer: answers.presence,
});

export const agentSecretRead = declareRoute({
  name: 'agent_webhook_secret_read',
  method: 'GET',
  path: '/v1/agents/{ref}/webhook-secret',
  auth: 'key',
  summary: "The secret that signs webhooks to the agent's URL.",
  success: 200,
  answer: answers.agentSecret,
});

export const agentSecretRotate = declareRoute({
  name: 'agent_webhook_secret_regenerate',
  method: 'POST',
  path: '/v1/agents/{ref}/webhook-secret/regenerate',
  auth: 'key',
  summary: 'Replace that secret, with an overlap if wanted. Needs X-Confirm-Destructive.',
  body: schemas.secretRotation,
  headers: { [CONFIRM_DESTRUCTIVE]: 'true: it is meant.' },
  success: 200,
  answer: answers.agentSecretRotated,
});

export const agentBeat = declareRoute({
  name: 'agent_heartbeat',
  method: 'POST',
  path: '/v1/agents/{ref}/heartbeat',
  auth: 'key',
  summary: 'A background handler of the agent says that it is there.',
  body: schemas.agentBeat,
  success: 200,
  answer: answers.beatAnswer,
});

export const DIRECTORY_ROUTES = [
  agentCreate,
  agentList,
  agentDirectory,
  agentRoster,
  agentRead,
  agentPatch,
  agentRename,
  agentDelete,
  agentProfileRead,
  agentProfilePatch,
  agentPresence,
  agentSecretRead,
  agentSecretRotate,
  agentBeat,
] as const;
