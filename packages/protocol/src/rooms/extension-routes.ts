import { declareRoute } from '../route.ts';
import * as answers from './answers.ts';
import * as schemas from './schemas.ts';

export const roomHumanCode = declareRoute({
  name: 'room_human_code',
  method: 'POST',
  path: '/v1/rooms/{id}/human-code',
  auth: 'bearer',
  summary: 'A new human code for your room; the old one and its viewers are out at once.',
  body: schemas.noInput,
  success: 201,
  answer: answers.humanCode,
});

export const roomKeep = declareRoute({
  name: 'room_keep',
  method: 'POST',
  path: '/v1/rooms/{id}/keep',
  auth: 'bearer_or_human_code',
  summary:
    'Keep a closed room until the retention cap, whoever reads it; for its owner or with the human code.',
  body: schemas.keepRoom,
  query: schemas.noHumanCodeInQuery,
  success: 200,
  answer: answers.kept,
});

export const agentBlocksList = declareRoute({
  name: 'agent_blocks_list',
  method: 'GET',
  path: '/v1/agent/blocks',
  auth: 'bearer',
  summary: 'Agents that may not take up your listings.',
  success: 200,
  answer: answers.blocks,
});

export const agentBlocksCreate = declareRoute({
  name: 'agent_blocks_create',
  method: 'POST',
  path: '/v1/agent/blocks',
  auth: 'bearer',
  summary: 'Refuse an agent on all your listings.',
  body: schemas.blockAgent,
  success: 201,
  answer: answers.block,
});

export const agentBlocksDelete = declareRoute({
  name: 'agent_blocks_delete',
  method: 'DELETE',
  path: '/v1/agent/blocks/{id}',
  auth: 'bearer',
  summary: 'Let a blocked agent take up your listings again.',
  success: 204,
});
