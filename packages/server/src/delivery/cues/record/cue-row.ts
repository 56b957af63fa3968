import type {
  CueAlerts,
  CueCallback,
  CueDelivery,
  CueOnFailure,
  CueRetry,
  CueVerification,
} from '@parley/protocol/delivery/types';
import type {
  Attachment,
  CatchUp,
  CueStatus,
  CueTransport,
  DeliveryMode,
  LiveFallbackMode,
  Overlap,
  ScheduleType,
} from '@parley/protocol/delivery/vocabulary';
import { column, type RowOf, table } from '../../../platform/database/table.ts';

/** A cue as it is stored. Objects and lists are JSON text, flags are 0 or 1. */
export const cueTable = table('cues', {
  id: column<string>(),
  owner_id: column<string>(),
  name: column<string>(),
  description: column<string | null>(),
  status: column<CueStatus>(),
  schedule_type: column<ScheduleType>(),
  cron: column<string | null>(),
  at: column<number | null>(),
  timezone: column<string>(),
  transport: column<CueTransport>(),
  callback: column<string | null>(),
  /** The agent it is for; null where the payload may name one, or nobody does. */
  agent: column<string | null>(),
  delivery_mode: column<DeliveryMode | null>(),
  live_fallback_mode: column<LiveFallbackMode | null>(),
  payload: column<string>(),
  retry: column<string>(),
  on_failure: column<string>(),
  verification: column<string | null>(),
  delivery: column<string | null>(),
  alerts: column<string | null>(),
  catch_up: column<CatchUp>(),
  on_success_fire: column<string | null>(),
  require_payload_override: column<number>(),
  required_payload_keys: column<string>(),
  overlap: column<Overlap>(),
  jitter_seconds: column<number>(),
  attach: column<Attachment | null>(),
  /** The due time it waits for. Null: paused, over, or a single time that was fired. */
  next_run: column<number | null>(),
  last_run: column<number | null>(),
  run_count: column<number>(),
  fired_count: column<number>(),
  skipped_count: column<number>(),
  executions: column<number>(),
  created_at: column<number>(),
  updated_at: column<number>(),
});

export type CueRow = RowOf<typeof cueTable>;
export type CuePatchRow = Partial<Omit<CueRow, 'id' | 'owner_id' | 'created_at'>>;
export type Payload = Readonly<Record<string, unknown>>;

// The columns hold what we put there.
export const payloadOf = ({ payload }: Pick<CueRow, 'payload'>): Payload => JSON.parse(payload) as Payload;
export const retryOf = ({ retry }: Pick<CueRow, 'retry'>): CueRetry => JSON.parse(retry) as CueRetry;
export const onFailureOf = ({ on_failure: text }: Pick<CueRow, 'on_failure'>): CueOnFailure =>
  JSON.parse(text) as CueOnFailure;
export const requiredKeysOf = ({ required_payload_keys: text }: CueRow): string[] =>
  JSON.parse(text) as string[];

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

export const callbackOf = ({ callback }: Pick<CueRow, 'callback'>) => parsed(callback) as CueCallback | null;
export const verificationOf = ({ verification }: CueRow) => parsed(verification) as CueVerification | null;
export const deliveryOf = ({ delivery }: Pick<CueRow, 'delivery'>) => parsed(delivery) as CueDelivery | null;
export const alertsOf = ({ alerts }: Pick<CueRow, 'alerts'>) => parsed(alerts) as CueAlerts | null;
