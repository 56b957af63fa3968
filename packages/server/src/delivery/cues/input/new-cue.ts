import { cueId, SUFFIX_LENGTH } from '@parley/protocol/delivery/ids';
import { DEFAULT_BACKOFF_MINUTES, DEFAULT_RETRY_ATTEMPTS } from '@parley/protocol/delivery/limits';
import type { CueCreate, CueOnFailure, CueRetry } from '@parley/protocol/delivery/types';
import { LOWER_ALPHANUMERIC, type Random } from '../../../platform/ids.ts';
import { callbackText, payloadText, scheduleColumns } from './cue-input.ts';
import type { CueRow } from '../record/cue-row.ts';
import { nextAfter, type Schedule } from '../schedule/schedule.ts';

export const DEFAULT_RETRY: CueRetry = {
  max_attempts: DEFAULT_RETRY_ATTEMPTS,
  backoff_minutes: [...DEFAULT_BACKOFF_MINUTES],
};

export const DEFAULT_ON_FAILURE: CueOnFailure = { email: true, webhook: null, pause: false };

export const jsonOrNull = (value: object | null | undefined): string | null =>
  value == null ? null : JSON.stringify(value);

/** Everything known about a new cue. */
export function newCue(
  body: CueCreate,
  {
    ownerId,
    schedule,
    agent,
    now,
  }: { ownerId: string; schedule: Schedule; agent: string | null; now: number },
  random: Random,
): CueRow {
  return {
    id: cueId(random.text(SUFFIX_LENGTH, LOWER_ALPHANUMERIC)),
    owner_id: ownerId,
    name: body.name,
    description: body.description ?? null,
    status: 'active',
    ...scheduleColumns(schedule),
    transport: body.transport,
    callback: callbackText(body.callback ?? null),
    agent,
    delivery_mode: body.delivery_mode ?? null,
    live_fallback_mode: body.live_fallback_mode ?? null,
    payload: payloadText(body.payload ?? {}),
    retry: JSON.stringify(body.retry ?? DEFAULT_RETRY),
    on_failure: JSON.stringify(body.on_failure ?? DEFAULT_ON_FAILURE),
    verification: jsonOrNull(body.verification),
    delivery: jsonOrNull(body.delivery),
    alerts: jsonOrNull(body.alerts),
    catch_up: body.catch_up ?? 'run_once_if_missed',
    on_success_fire: body.on_success_fire ?? null,
    require_payload_override: body.require_payload_override ? 1 : 0,
    required_payload_keys: JSON.stringify(body.required_payload_keys ?? []),
    overlap: body.overlap ?? 'allow',
    jitter_seconds: body.jitter_seconds ?? 0,
    attach: body.attach ?? null,
    next_run: nextAfter(schedule, now) ?? null,
    last_run: null,
    run_count: 0,
    fired_count: 0,
    skipped_count: 0,
    executions: 0,
    created_at: now,
    updated_at: now,
  };
}
