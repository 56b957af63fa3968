import type {
  Channel,
  DeliveryMode,
  DeliveryRoute,
  ExecutionStatus,
  LiveFallbackMode,
  LiveUnclaimedReason,
  MessageState,
} from '@parley/protocol/delivery/vocabulary';
import type { Origin } from '../messages/loop-guard.ts';

/** A message as it is stored. Metadata is JSON text, flags are 0 or 1. */
export interface MessageRow {
  readonly id: string;
  readonly sender_owner: string;
  readonly recipient_owner: string;
  readonly sender: string;
  readonly recipient: string;
  readonly thread_id: string;
  readonly reply_to: string | null;
  readonly reply_to_agent: string | null;
  readonly origin: Origin;
  readonly subject: string | null;
  readonly body: string;
  readonly metadata: string;
  readonly correlation_id: string | null;
  readonly idempotency_key: string | null;
  readonly expects_reply: number;
  readonly priority: number;
  readonly delivery_mode: DeliveryMode;
  readonly live_fallback_mode: LiveFallbackMode;
  readonly live_label: string | null;
  readonly execution_id: string;
  readonly state: MessageState;
  readonly dispatch_error: string | null;
  readonly warning: string | null;
  readonly send_at: number | null;
  readonly created_at: number;
  /** Null: not due yet, so neither routed nor shown to the recipient. */
  readonly queued_at: number | null;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
  readonly acked_at: number | null;
  readonly failed_at: number | null;
  readonly expires_at: number;
  readonly updated_at: number;
}

/** What its execution says about how a message travels. */
export interface Travel {
  readonly channel: Channel | null;
  readonly route: DeliveryRoute | null;
  readonly status: ExecutionStatus;
  readonly held: number;
  readonly claimed_at: number | null;
  readonly attempts: number;
  readonly live_unclaimed_reason: LiveUnclaimedReason | null;
  readonly beat_age_ms: number | null;
}

/** Both, as they are read together. */
export interface MessageView extends MessageRow, Travel {}
