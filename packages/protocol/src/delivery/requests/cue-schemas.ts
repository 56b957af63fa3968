import { z } from 'zod';
import {
  agentRef,
  deliveryMode,
  instant,
  jsonObject,
  line,
  liveFallbackMode,
  orElse,
  page,
  queryInteger,
  queryWhole,
  text,
} from '../fields.ts';
import * as limits from '../limits.ts';
import {
  ATTACHMENTS,
  CALLBACK_METHODS,
  type CatchUp,
  CATCH_UP_SPELLINGS,
  CUE_STATUSES,
  CUE_TRANSPORTS,
  MERGE_STRATEGIES,
  OVERLAPS,
  VERIFICATION_MODES,
} from '../vocabulary.ts';

/** What is wrong with a cron line, a time or a word of the type has an error of its own, and a zone another. */
export const schedule = z.object({
  type: z.string(),
  cron: z.string().max(limits.MAX_CRON).nullish(),
  at: z.string().max(64).nullish(),
  timezone: orElse(z.string().max(limits.MAX_TIMEZONE), 'UTC'),
});

/** A name as HTTP has it; the value one line, so that nobody smuggles a second header in. */
const headers = z
  .record(
    z
      .string()
      .min(1)
      .max(limits.MAX_HEADER_NAME)
      .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is no header name'),
    z
      .string()
      .max(limits.MAX_HEADER_VALUE)
      .regex(/^[\t\x20-\x7e]*$/, 'must be one line of ASCII'),
  )
  .refine(
    (given) => Object.keys(given).length <= limits.MAX_CALLBACK_HEADERS,
    `must be at most ${limits.MAX_CALLBACK_HEADERS} headers`,
  );

export const callback = z.object({
  url: z.string().min(1).max(limits.MAX_WEBHOOK_URL),
  method: orElse(z.string().toUpperCase().pipe(z.enum(CALLBACK_METHODS)), 'POST' as const),
  headers: orElse(headers, {}),
  transport: z.undefined({ error: 'belongs beside callback, not into it' }).optional(),
});

export const retry = z.object({
  max_attempts: orElse(z.int().min(1).max(limits.MAX_RETRY_ATTEMPTS), limits.DEFAULT_RETRY_ATTEMPTS),
  backoff_minutes: orElse(
    z.array(z.number().min(0).max(limits.MAX_BACKOFF_MINUTES)).min(1).max(limits.MAX_RETRY_ATTEMPTS),
    [...limits.DEFAULT_BACKOFF_MINUTES],
  ),
});

export const onFailure = z.object({
  email: orElse(z.boolean(), true),
  webhook: orElse(z.string().min(1).max(limits.MAX_WEBHOOK_URL), null),
  pause: orElse(z.boolean(), false),
});

const keys = z.array(z.string().min(1).max(limits.MAX_ASSERTION_KEY)).max(limits.MAX_REQUIRED_KEYS);

export const verification = z.object({
  mode: orElse(z.enum(VERIFICATION_MODES), 'none' as const),
  required_assertions: orElse(keys, []),
});

const seconds = z.int().min(1).max(limits.MAX_CUE_TIMEOUT_SECONDS);

export const delivery = z.object({
  timeout_seconds: orElse(seconds, limits.DEFAULT_CUE_TIMEOUT_SECONDS),
  outcome_deadline_seconds: orElse(seconds, limits.DEFAULT_OUTCOME_DEADLINE_SECONDS),
});

export const alerts = z.object({
  consecutive_failures: orElse(
    z.int().min(1).max(limits.MAX_CONSECUTIVE_FAILURES),
    limits.DEFAULT_CONSECUTIVE_FAILURES,
  ),
  missed_window_multiplier: orElse(
    z.number().min(1).max(limits.MAX_MISSED_WINDOWS),
    limits.DEFAULT_MISSED_WINDOWS,
  ),
});

const catchUp = z
  .enum(CATCH_UP_SPELLINGS)
  .transform((word): CatchUp => (word === 'replay_all' ? 'replay_all_missed' : word));

const name = line(limits.MAX_CUE_NAME);

/** Beside the schedule; each may be left out. */
const settings = {
  description: text(limits.MAX_CUE_DESCRIPTION).nullish(),
  callback: callback.nullish(),
  agent: agentRef.nullish(),
  to: agentRef.nullish(),
  delivery_mode: deliveryMode.nullish(),
  live_fallback_mode: liveFallbackMode.nullish(),
  payload: jsonObject.nullish(),
  retry: retry.nullish(),
  on_failure: onFailure.nullish(),
  verification: verification.nullish(),
  delivery: delivery.nullish(),
  alerts: alerts.nullish(),
  catch_up: catchUp.nullish(),
  on_success_fire: z.string().max(64).nullish(),
  require_payload_override: z.boolean().nullish(),
  required_payload_keys: keys.nullish(),
  overlap: z.enum(OVERLAPS).nullish(),
  jitter_seconds: z.int().min(0).max(limits.MAX_JITTER_SECONDS).nullish(),
  attach: z.enum(ATTACHMENTS).nullish(),
};

interface Named {
  readonly agent?: string | null | undefined;
  readonly to?: string | null | undefined;
}

/** `to` is `agent` under another name. */
function oneAgent({ agent, to }: Named, context: z.RefinementCtx): void {
  if (agent != null && to != null && agent !== to) {
    context.addIssue({ code: 'custom', path: ['to'], message: 'must equal agent when both are sent' });
  }
}

/** Older clients put the schedule and the way beside the rest; that is understood where `schedule` is missing. */
const flat = {
  cron: z.string().max(limits.MAX_CRON).nullish(),
  at: z.string().max(64).nullish(),
  timezone: z.string().max(limits.MAX_TIMEZONE).nullish(),
  callback_url: z.string().max(limits.MAX_WEBHOOK_URL).nullish(),
  worker: z.boolean().nullish(),
};

export const cueCreate = z
  .object({
    name,
    schedule: schedule.nullish(),
    transport: z.enum(CUE_TRANSPORTS).nullish(),
    ...settings,
    ...flat,
  })
  .superRefine((body, context) => {
    oneAgent(body, context);
    if (body.schedule == null && body.cron == null && body.at == null) {
      context.addIssue({ code: 'custom', path: ['schedule'], message: 'is required' });
    }
  })
  .transform(({ cron, at, timezone, callback_url: url, worker, agent, to, ...body }) => {
    const named = { ...body, agent: agent ?? to ?? null, transport: body.transport ?? ('webhook' as const) };
    if (body.schedule != null) return { ...named, schedule: body.schedule };
    const type = cron == null ? 'once' : 'recurring';
    return {
      ...named,
      schedule: { type, cron, at, timezone: timezone ?? 'UTC' },
      transport: worker === true ? ('worker' as const) : named.transport,
      callback: body.callback ?? (url ? { url, method: 'POST' as const, headers: {} } : null),
    };
  });

/** What is left out stays; null clears what may be missing and resets the rest. */
export const cuePatch = z
  .strictObject({
    name: name.optional(),
    schedule: schedule.optional(),
    status: z.enum(['active', 'paused'], 'must be active or paused').optional(),
    transport: z.undefined({ error: 'cannot be changed' }).optional(),
    ...settings,
  })
  .superRefine(oneAgent);

export const cueListQuery = z.object({
  ...page(limits.PAGES.cues),
  status: z.enum(CUE_STATUSES).optional(),
});

export const cueReadQuery = z.object({
  execution_limit: queryWhole(1, limits.PAGES.cueExecutions.max).default(limits.PAGES.cueExecutions.default),
  execution_offset: queryInteger.default(0),
});

export const cueFire = z.object({
  payload_override: jsonObject.nullish(),
  merge_strategy: orElse(z.enum(MERGE_STRATEGIES), 'merge' as const),
  send_at: instant.nullish(),
  exit_criteria: keys.nullish(),
  idempotency_key: text(limits.MAX_FIRE_KEY).min(1).nullish(),
  delivery_mode: deliveryMode.nullish(),
  live_fallback_mode: liveFallbackMode.nullish(),
});

export const cueBulkDelete = z.object({
  ids: z.array(z.string().max(64)).min(1).max(limits.MAX_BULK_DELETE),
});

export const cueNextQuery = z.object({
  count: queryWhole(1, limits.MAX_NEXT_RUNS).default(limits.DEFAULT_NEXT_RUNS),
});

export const cueBackfill = z.object({
  from: instant,
  to: instant,
  dry_run: z
    .boolean()
    .nullish()
    .transform((given) => given ?? false),
});
