import { declareRoute } from '../route.ts';
import * as answers from './answers.ts';
import * as requests from './requests.ts';

/* The name of a route is also the name of its tool. */

const HANDOFF = '/v1/coordination/handoff';
const SHARED = '/v1/coordination/shared';
const RECONCILIATION = '/v1/coordination/reconciliation';

export const handoffCreate = declareRoute({
  name: 'coordination.handoff_create',
  method: 'POST',
  path: `${HANDOFF}/create`,
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Hand the constraints and drift signals of a capsule to another peer.',
  body: requests.handoffCreate,
  success: 200,
  answer: answers.handoffCreated,
});

export const handoffRead = declareRoute({
  name: 'coordination.handoff_read',
  method: 'GET',
  path: `${HANDOFF}/{handoff_id}`,
  auth: 'token',
  summary: 'A handoff, for its sender and its recipient.',
  success: 200,
  answer: answers.handoffAnswer,
});

export const handoffsQuery = declareRoute({
  name: 'coordination.handoffs_query',
  method: 'GET',
  path: '/v1/coordination/handoffs/query',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'Handoffs from or to the caller, newest first.',
  query: requests.handoffsQuery,
  success: 200,
  answer: answers.handoffList,
});

export const handoffConsume = declareRoute({
  name: 'coordination.handoff_consume',
  method: 'POST',
  path: `${HANDOFF}/{handoff_id}/consume`,
  auth: 'token',
  summary: 'Accept, defer or reject a handoff, once; its message is acknowledged.',
  body: requests.handoffConsume,
  success: 200,
  answer: answers.handoffConsumed,
});

export const sharedCreate = declareRoute({
  name: 'coordination.shared_create',
  method: 'POST',
  path: `${SHARED}/create`,
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'A board of constraints, drift signals and alerts that others may read.',
  body: requests.sharedCreate,
  success: 200,
  answer: answers.sharedCreated,
});

export const sharedQuery = declareRoute({
  name: 'coordination.shared_query',
  method: 'GET',
  path: `${SHARED}/query`,
  auth: 'token',
  scopes: ['read:files'],
  summary: 'Shared states the caller owns or takes part in, last changed first.',
  query: requests.sharedQuery,
  success: 200,
  answer: answers.sharedList,
});

export const sharedRead = declareRoute({
  name: 'coordination.shared_read',
  method: 'GET',
  path: `${SHARED}/{shared_id}`,
  auth: 'token',
  summary: 'A shared state, for its owner and its participants.',
  success: 200,
  answer: answers.sharedAnswer,
});

export const sharedUpdate = declareRoute({
  name: 'coordination.shared_update',
  method: 'POST',
  path: `${SHARED}/{shared_id}/update`,
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Replace what a shared state says; of several writers the first wins.',
  body: requests.sharedUpdate,
  success: 200,
  answer: answers.sharedUpdated,
});

export const reconciliationOpen = declareRoute({
  name: 'coordination.reconciliation_open',
  method: 'POST',
  path: `${RECONCILIATION}/open`,
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Put claims on record that do not go together.',
  body: requests.reconciliationOpen,
  success: 200,
  answer: answers.reconciliationOpened,
});

export const reconciliationRead = declareRoute({
  name: 'coordination.reconciliation_read',
  method: 'GET',
  path: `${RECONCILIATION}/{reconciliation_id}`,
  auth: 'token',
  summary: 'A reconciliation, for its owner and those whose claims it holds.',
  success: 200,
  answer: answers.reconciliationAnswer,
});

export const reconciliationsQuery = declareRoute({
  name: 'coordination.reconciliations_query',
  method: 'GET',
  path: '/v1/coordination/reconciliations/query',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'Reconciliations of the caller, last changed first.',
  query: requests.reconciliationsQuery,
  success: 200,
  answer: answers.reconciliationList,
});

export const reconciliationResolve = declareRoute({
  name: 'coordination.reconciliation_resolve',
  method: 'POST',
  path: `${RECONCILIATION}/{reconciliation_id}/resolve`,
  auth: 'token',
  scopes: ['write:projects'],
  summary: 'Say what came of it, once.',
  body: requests.reconciliationResolve,
  success: 200,
  answer: answers.reconciliationResolved,
});

export const peerList = declareRoute({
  name: 'peers.list',
  method: 'GET',
  path: '/v1/peers',
  auth: 'token',
  scopes: ['read:files'],
  summary: 'The peers of the owner and how far each is trusted.',
  success: 200,
  answer: answers.peers,
});

export const peerRegister = declareRoute({
  name: 'peers.register',
  method: 'POST',
  path: '/v1/peers/register',
  auth: 'token',
  scopes: ['admin:peers'],
  summary: 'Enter a peer into the registry, or change its entry.',
  body: requests.peerRegister,
  success: 200,
  answer: answers.peerRegistered,
});

export const peerTrust = declareRoute({
  name: 'peers.trust',
  method: 'POST',
  path: '/v1/peers/{peer_id}/trust',
  auth: 'token',
  scopes: ['admin:peers'],
  summary: 'Change how far a peer is trusted, with a reason.',
  body: requests.peerTrust,
  success: 200,
  answer: answers.peerTrusted,
});

export const COORDINATION_ROUTES = [
  handoffCreate,
  handoffRead,
  handoffsQuery,
  handoffConsume,
  sharedCreate,
  sharedQuery,
  sharedRead,
  sharedUpdate,
  reconciliationOpen,
  reconciliationRead,
  reconciliationsQuery,
  reconciliationResolve,
  peerList,
  peerRegister,
  peerTrust,
] as const;
