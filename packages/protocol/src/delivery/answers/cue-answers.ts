import { z } from 'zod';
import { execution } from './execution-answers.ts';
import { pageAnswer, time } from '../fields.ts';
import {
  ATTACHMENTS,
  CALLBACK_METHODS,
  CATCH_UPS,
  CHANNELS,
  CUE_STATUSES,
  CUE_TRANSPORTS,
  DELIVERY_MODES,
  DELIVERY_ROUTE_NAMES,
  LIVE_FALLBACK_MODES,
  OVERLAPS,
  SCHEDULE_TYPES,
  TRIGGERS,
  VERIFICATION_MODES,
} from '../vocabulary.ts';

const json = z.record(z.string(), z.unknown());

const schedule = z.object({
  type: z.enum(SCHEDULE_TYPES),
  cron: z.string().optional(),
  at: time.optional(),
  timezone: z.string(),
});

export const cue = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  status: z.enum(CUE_STATUSES),
  schedule,
  transport: z.enum(CUE_TRANSPORTS),
  callback: z
    .object({
      url: z.string(),
      method: z.enum(CALLBACK_METHODS),
      headers: z.record(z.string(), z.string()),
    })
    .nullable(),
  agent: z.string().nullable(),
  agent_id: z.string().nullable(),
  delivery_mode: z.enum(DELIVERY_MODES).nullable(),
  live_fallback_mode: z.enum(LIVE_FALLBACK_MODES).nullable(),
  payload: json,
  retry: z.object({ max_attempts: z.int(), backoff_minutes: z.array(z.number()) }),
  on_failure: z.object({ email: z.boolean(), webhook: z.string().nullable(), pause: z.boolean() }),
  verification: z
    .object({ mode: z.enum(VERIFICATION_MODES), required_assertions: z.array(z.string()) })
    .nullable(),
  delivery: z.object({ timeout_seconds: z.int(), outcome_deadline_seconds: z.int() }).nullable(),
  alerts: z.object({ consecutive_failures: z.int(), missed_window_multiplier: z.number() }).nullable(),
  catch_up: z.enum(CATCH_UPS),
  on_success_fire: z.string().nullable(),
  require_payload_override: z.boolean(),
  required_payload_keys: z.array(z.string()),
  overlap: z.enum(OVERLAPS).optional(),
  jitter_seconds: z.int().optional(),
  attach: z.enum(ATTACHMENTS).optional(),
  /** Times that passed while the run before was not over, with `overlap: skip`. */
  skipped_count: z.int().optional(),
  next_run: time.nullable(),
  last_run: time.nullable(),
  run_count: z.int(),
  fired_count: z.int(),
  warning: z.string().nullable(),
  created_at: time,
  updated_at: time,
});

export const cueList = z.object({ cues: z.array(cue), ...pageAnswer });

export const cueWithExecutions = cue.extend({
  executions: z.array(execution),
  execution_total: z.int(),
  execution_limit: z.int(),
  execution_offset: z.int(),
});

export const cueFired = z.object({
  id: z.string(),
  execution_id: z.string(),
  cue_id: z.string(),
  scheduled_for: time,
  status: z.string(),
  triggered_by: z.enum(TRIGGERS),
  effective_delivery_mode: z.enum(CHANNELS).nullable(),
  delivery_route: z.enum(DELIVERY_ROUTE_NAMES).nullable(),
});

export const cuesDeleted = z.object({ deleted: z.array(z.string()), skipped: z.array(z.string()) });

/** The same moment in UTC and as the clock on the wall shows it there. */
const run = z.object({ at: time, local: z.string() });

export const cueNext = z.object({ cue_id: z.string(), timezone: z.string(), runs: z.array(run) });

export const cueBackfilled = z.object({
  cue_id: z.string(),
  timezone: z.string(),
  dry_run: z.boolean(),
  runs: z.array(run.extend({ execution_id: z.string().nullable(), existed: z.boolean() })),
});
