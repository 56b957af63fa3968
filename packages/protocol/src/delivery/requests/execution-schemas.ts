import { z } from 'zod';
import {
  agentRef,
  fitsAsJson,
  jsonObject,
  line,
  orElse,
  page,
  queryFlag,
  queryWhole,
  text,
} from '../fields.ts';
import {
  CLAIMABLE_LIMIT,
  MAX_ARTIFACTS,
  MAX_ERROR,
  MAX_EVIDENCE_BYTES,
  MAX_EXECUTED_VIA,
  MAX_EXTERNAL_ID,
  MAX_HANDLERS,
  MAX_RESULT,
  MAX_RESULT_REF,
  MAX_RESULT_TYPE,
  MAX_RESULT_URL,
  MAX_SUMMARY,
  MAX_TASK_NAME,
  MAX_VERIFY_REASON,
  MAX_WAIT_SECONDS,
  MAX_WORKER_ID,
  PAGES,
} from '../limits.ts';
import { DELIVERY_ROUTE_NAMES, EXECUTION_SOURCES, OUTCOME_STATES, TRIGGERS } from '../vocabulary.ts';

/** `status` and `status__in` are checked by the handler, which has errors of its own for them. */
export const executionListQuery = z.object({
  ...page(PAGES.executions),
  cue_id: z.string().optional(),
  agent: agentRef.optional(),
  message_id: z.string().optional(),
  source: z.enum(EXECUTION_SOURCES).optional(),
  status: z.string().optional(),
  status__in: z.string().optional(),
  worker_id: z.string().optional(),
  outcome_state: z.enum(OUTCOME_STATES).optional(),
  triggered_by: z.enum(TRIGGERS).optional(),
  result_type: z.string().optional(),
  has_evidence: queryFlag.optional(),
  delivery_route: z.enum(DELIVERY_ROUTE_NAMES).optional(),
});

export const claimableQuery = z.object({
  task: z.string().max(MAX_TASK_NAME).optional(),
  agent: agentRef.optional(),
  mode: z.enum(['live', 'bg']).optional(),
  limit: queryWhole(1, CLAIMABLE_LIMIT).default(CLAIMABLE_LIMIT),
  wait: queryWhole(1, MAX_WAIT_SECONDS).optional(),
});

const workerId = line(MAX_WORKER_ID);

export const claim = z.object({ worker_id: workerId });
export const claimNext = z.object({
  worker_id: workerId,
  task: z.string().max(MAX_TASK_NAME).nullable().optional(),
  agent: agentRef.nullable().optional(),
});

export const workerBeat = z.object({
  worker_id: workerId,
  handlers: z.array(line(MAX_TASK_NAME)).max(MAX_HANDLERS).nullable().optional(),
});

const resultUrl = z.url('must be a URL').max(MAX_RESULT_URL);
const fitsAsEvidence = (value: object): boolean => fitsAsJson(value, MAX_EVIDENCE_BYTES);
const TOO_LARGE = `must be at most ${MAX_EVIDENCE_BYTES} bytes of JSON`;

const evidence = {
  external_id: text(MAX_EXTERNAL_ID).nullable().optional(),
  result_url: resultUrl.nullable().optional(),
  result_ref: text(MAX_RESULT_REF).nullable().optional(),
  result_type: text(MAX_RESULT_TYPE).nullable().optional(),
  summary: text(MAX_SUMMARY).nullable().optional(),
  artifacts: z.array(z.unknown()).max(MAX_ARTIFACTS).refine(fitsAsEvidence, TOO_LARGE).nullable().optional(),
};

export const outcomeReport = z.object({
  success: z.boolean(),
  result: text(MAX_RESULT).nullable().optional(),
  error: text(MAX_ERROR).nullable().optional(),
  metadata: jsonObject.nullable().optional(),
  executed_via: text(MAX_EXECUTED_VIA).nullable().optional(),
  delivery_route: z.enum(DELIVERY_ROUTE_NAMES).nullable().optional(),
  ...evidence,
  assertions: jsonObject.refine(fitsAsEvidence, TOO_LARGE).nullable().optional(),
});

/** Merged into what is there; null keeps. */
export const evidencePatch = z.object({ ...evidence, metadata: jsonObject.nullable().optional() });

export const verifyReport = z.object({
  valid: orElse(z.boolean(), true),
  reason: text(MAX_VERIFY_REASON).nullable().optional(),
});
