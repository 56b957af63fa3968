import type {
  DeliveryMode,
  LiveFallbackMode,
  MessageState,
  ProvenStage,
} from '@parley/protocol/delivery/vocabulary';
import { column, headed, type RowOf, table } from '../../platform/database/table.ts';
import { executionTable } from './execution-row.ts';

/** Who is behind a message: an agent on its own, a person, or a schedule somebody made. */
export type Origin = 'agent' | 'human' | 'cue';

/** A message as it is stored. Metadata is JSON text, flags are 0 or 1. */
export const messageTable = table('messages', {
  id: column<string>(),
  sender_owner: column<string>(),
  recipient_owner: column<string>(),
  sender: column<string>(),
  recipient: column<string>(),
  thread_id: column<string>(),
  reply_to: column<string | null>(),
  reply_to_agent: column<string | null>(),
  origin: column<Origin>(),
  subject: column<string | null>(),
  body: column<string>(),
  metadata: column<string>(),
  correlation_id: column<string | null>(),
  idempotency_key: column<string | null>(),
  expects_reply: column<number>(),
  priority: column<number>(),
  delivery_mode: column<DeliveryMode>(),
  live_fallback_mode: column<LiveFallbackMode>(),
  live_label: column<string | null>(),
  execution_id: column<string>(),
  state: column<MessageState>(),
  /** How far it ever came. Only grows, whatever the state does. */
  proven_stage: column<ProvenStage>(),
  dispatch_error: column<string | null>(),
  warning: column<string | null>(),
  send_at: column<number | null>(),
  created_at: column<number>(),
  /** Null: not due yet, so neither routed nor shown to the recipient. */
  queued_at: column<number | null>(),
  delivered_at: column<number | null>(),
  invoked_at: column<number | null>(),
  invoked_by: column<string | null>(),
  read_at: column<number | null>(),
  acked_at: column<number | null>(),
  failed_at: column<number | null>(),
  expires_at: column<number>(),
  updated_at: column<number>(),
});

export type MessageRow = RowOf<typeof messageTable>;

/** What its execution says about how a message travels. */
export const TRAVEL = [
  'channel',
  'route',
  'status',
  'held',
  'claimed_at',
  'source',
  'live_unclaimed_reason',
  'beat_age_ms',
  // Who is asked to take it: the recipient or its parent, and which session.
  'agent',
  'session_id',
  'outcome_success',
] as const;

const travel = executionTable.pick(...TRAVEL);

export type Travel = RowOf<typeof travel>;

/** Both, as they are read together: `m` the message, `e` its execution. */
export type MessageView = MessageRow & Travel;

export const selectViews = headed(`
  SELECT ${messageTable.list('m')}, ${travel.list('e')} FROM messages m JOIN executions e ON e.id = m.execution_id`);
