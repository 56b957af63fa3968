import { cueId, SUFFIX_LENGTH } from '@parley/protocol/delivery/ids';
import { DEFAULT_BACKOFF_MINUTES, DEFAULT_RETRY_ATTEMPTS } from '@parley/protocol/delivery/limits';
import type { CueCreate, CueOnFailure, CuePatch, CueRetry } from '@parley/protocol/delivery/types';
import { given } from '../../../platform/database/built.ts';
import { LOWER_ALPHANUMERIC, type Random } from '../../../platform/ids.ts';
import { callbackText, payloadText } from './cue-input.ts';
import type { CueRow } from '../record/cue-row.ts';
import { nextAfter, type Schedule } from '../schedule/schedule.ts';

const json = (value: object): string => JSON.stringify(value);

/** Columns as they are where nothing was said. */
const UNSAID = {
  description: null,
  callback: null,
  delivery_mode: null,
  live_fallback_mode: null,
  payload: '{}',
  retry: json({
    max_attempts: DEFAULT_RETRY_ATTEMPTS,
    backoff_minutes: [...DEFAULT_BACKOFF_MINUTES],
  } satisfies CueRetry),
  on_failure: json({ email: true, webhook: null, pause: false } satisfies CueOnFailure),
  verification: null,
  delivery: null,
  alerts: null,
  catch_up: 'run_once_if_missed',
  on_success_fire: null,
  require_payload_override: 0,
  required_payload_keys: '[]',
  overlap: 'allow',
  jitter_seconds: 0,
  attach: null,
} as const satisfies Partial<CueRow>;

/** What is left out stays, and null is as if nothing was said. */
const written = <Value, Stored>(
  value: Value | null | undefined,
  write: (value: Value) => Stored,
  unsaid: Stored,
): Stored | undefined => (value === undefined ? undefined : value === null ? unsaid : write(value));

/** The columns that hold what was said of a cue. */
export const saidColumns = (said: Pick<CuePatch, keyof typeof UNSAID>) =>
  given({
    description: said.description,
    callback: written(said.callback, callbackText, UNSAID.callback),
    delivery_mode: said.delivery_mode,
    live_fallback_mode: said.live_fallback_mode,
    payload: written(said.payload, payloadText, UNSAID.payload),
    retry: written(said.retry, json, UNSAID.retry),
    on_failure: written(said.on_failure, json, UNSAID.on_failure),
    verification: written(said.verification, json, UNSAID.verification),
    delivery: written(said.delivery, json, UNSAID.delivery),
    alerts: written(said.alerts, json, UNSAID.alerts),
    catch_up: said.catch_up === null ? UNSAID.catch_up : said.catch_up,
    on_success_fire: said.on_success_fire,
    require_payload_override: written(said.require_payload_override, Number, UNSAID.require_payload_override),
    required_payload_keys: written(said.required_payload_keys, json, UNSAID.required_payload_keys),
    overlap: said.overlap === null ? UNSAID.overlap : said.overlap,
    jitter_seconds: said.jitter_seconds === null ? UNSAID.jitter_seconds : said.jitter_seconds,
    attach: said.attach,
  });

/** Everything known about a new cue. */
export function newCue(
  body: CueCreate,
  { schedule, now, ...whose }: { owner_id: string; schedule: Schedule; agent: string | null; now: number },
  random: Random,
): CueRow {
  return {
    ...UNSAID,
    ...saidColumns(body),
    ...schedule,
    ...whose,
    id: cueId(random.text(SUFFIX_LENGTH, LOWER_ALPHANUMERIC)),
    name: body.name,
    status: 'active',
    transport: body.transport,
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
