import { declareRoute } from '../route.ts';
import { beatAnswer } from './answers/agent-answers.ts';
import * as answers from './answers/execution-answers.ts';
import * as schemas from './requests/execution-schemas.ts';
import { noInput } from './fields.ts';
import { liveClaim } from './requests/live-session-schemas.ts';

/** Executions, worker pull, attestation and outcomes. */
export const executionList = declareRoute({
  name: 'execution_list',
  method: 'GET',
  path: '/v1/executions',
  auth: 'key',
  summary: 'Executions of your cues and of messages to your agents, newest first.',
  query: schemas.executionListQuery,
  success: 200,
  answer: answers.executionList,
});

export const executionClaimable = declareRoute({
  name: 'execution_claimable',
  method: 'GET',
  path: '/v1/executions/claimable',
  auth: 'key',
  summary: 'What a worker or a live monitor can claim now, oldest first; with wait=1…25 it holds.',
  query: schemas.claimableQuery,
  success: 200,
  answer: answers.claimable,
});

export const executionClaimNext = declareRoute({
  name: 'execution_claim_next',
  method: 'POST',
  path: '/v1/executions/claim',
  auth: 'key',
  summary: 'Claim the oldest claimable execution, never a live offer.',
  body: schemas.claimNext,
  success: 200,
  answer: answers.claimed,
});

export const executionRead = declareRoute({
  name: 'execution_get',
  method: 'GET',
  path: '/v1/executions/{id}',
  auth: 'key',
  summary: 'One execution with its routing trace and outcome.',
  success: 200,
  answer: answers.execution,
});

export const executionAttempts = declareRoute({
  name: 'execution_attempts',
  method: 'GET',
  path: '/v1/executions/{id}/attempts',
  auth: 'key',
  summary: 'The attempts to deliver it: when, with which result and how long they took.',
  success: 200,
  answer: answers.attempts,
});

export const executionClaim = declareRoute({
  name: 'execution_claim',
  method: 'POST',
  path: '/v1/executions/{id}/claim',
  auth: 'key',
  summary: 'Claim an execution; exactly one of any number of claims wins.',
  body: schemas.claim,
  success: 200,
  answer: answers.claimed,
});

export const executionBeat = declareRoute({
  name: 'execution_heartbeat',
  method: 'POST',
  path: '/v1/executions/{id}/heartbeat',
  auth: 'key',
  summary: 'Extend the lease of a claimed execution.',
  body: noInput,
  headers: {
    'X-Worker-Id': 'The worker whose claim is kept.',
  },
  success: 200,
  answer: answers.leaseExtended,
});

export const executionLiveClaim = declareRoute({
  name: 'execution_live_claim',
  method: 'POST',
  path: '/v1/executions/{id}/live-claim',
  auth: 'key',
  summary: 'Attest that a live session has the execution, before its outcome is reported.',
  body: liveClaim,
  success: 200,
  answer: answers.liveClaimed,
});

export const executionOutcome = declareRoute({
  name: 'execution_outcome',
  method: 'POST',
  path: '/v1/executions/{id}/outcome',
  auth: 'key',
  summary: 'Report what came of it. Write-once.',
  body: schemas.outcomeReport,
  success: 200,
  answer: answers.outcomeRecorded,
});

export const executionEvidence = declareRoute({
  name: 'execution_evidence',
  method: 'PATCH',
  path: '/v1/executions/{id}/evidence',
  auth: 'key',
  summary: 'Add evidence to an outcome; the verification policy runs again.',
  body: schemas.evidencePatch,
  success: 200,
  answer: answers.evidenceUpdated,
});

export const executionEvidencePost = declareRoute({
  ...executionEvidence,
  name: 'execution_evidence_post',
  method: 'POST',
  summary: 'The same as PATCH, for clients that post evidence as they do outcomes.',
});

export const executionVerify = declareRoute({
  name: 'execution_verify',
  method: 'POST',
  path: '/v1/executions/{id}/verify',
  auth: 'key',
  summary: 'Confirm or reject a reported outcome.',
  body: schemas.verifyReport,
  success: 200,
  answer: answers.verified,
});

export const executionVerificationPending = declareRoute({
  name: 'execution_verification_pending',
  method: 'POST',
  path: '/v1/executions/{id}/verification-pending',
  auth: 'key',
  summary: 'Mark a reported outcome as waiting for verification.',
  body: noInput,
  success: 200,
  answer: answers.markedPending,
});

export const executionReplay = declareRoute({
  name: 'execution_replay',
  method: 'POST',
  path: '/v1/executions/{id}/replay',
  auth: 'key',
  summary: 'Run a finished execution again, routed anew.',
  body: noInput,
  success: 200,
  answer: answers.replayed,
});

export const workerBeat = declareRoute({
  name: 'worker_heartbeat',
  method: 'POST',
  path: '/v1/worker/heartbeat',
  auth: 'key',
  summary: 'A worker says that it is there and which tasks it handles.',
  body: schemas.workerBeat,
  success: 200,
  answer: beatAnswer,
});

export const workerList = declareRoute({
  name: 'worker_list',
  method: 'GET',
  path: '/v1/workers',
  auth: 'key',
  summary: 'Your workers and whether they are there.',
  success: 200,
  answer: answers.workers,
});

export const workerForget = declareRoute({
  name: 'worker_delete',
  method: 'DELETE',
  path: '/v1/workers/{worker_id}',
  auth: 'key',
  summary: 'Forget a worker.',
  success: 204,
});

export const EXECUTION_ROUTES = [
  executionList,
  executionClaimable,
  executionClaimNext,
  executionRead,
  executionAttempts,
  executionClaim,
  executionBeat,
  executionLiveClaim,
  executionOutcome,
  executionEvidence,
  executionEvidencePost,
  executionVerify,
  executionVerificationPending,
  executionReplay,
  workerBeat,
  workerList,
  workerForget,
] as const;
