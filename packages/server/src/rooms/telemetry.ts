import type { Metrics } from '../platform/metrics.ts';
import type { DeliveryType } from './turn-wakes/delivery-store.ts';
import type { CloseReason, PurgeReason } from './room/room.ts';

/** `dropped`: its endpoint was deleted while it waited. */
type HookOutcome = 'delivered' | 'retried' | 'dead' | 'dropped';

const ACK_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 1800];

export type RoomTelemetry = ReturnType<typeof roomTelemetry>;

/** What operators see of rooms: counts and delays, never an id or a word of content. */
export function roomTelemetry(metrics: Metrics) {
  const messages = metrics.counter('parley_room_messages_total', 'Messages accepted in rooms');
  const closed = metrics.counter('parley_rooms_closed_total', 'Rooms closed', ['reason']);
  const purged = metrics.counter('parley_rooms_purged_total', 'Rooms purged', ['reason']);
  const deliveries = metrics.counter('parley_room_deliveries_total', 'Wake-ups queued for agents', ['type']);
  const superseded = metrics.counter(
    'parley_room_deliveries_superseded_total',
    'Wake-ups withdrawn because their turn was over',
  );
  const acks = metrics.histogram(
    'parley_room_delivery_ack_seconds',
    'Time from queueing a wake-up to its acknowledgement',
    ACK_SECONDS,
  );
  const refusals = metrics.counter('parley_room_policy_refusals_total', 'Messages refused by content policy');
  const hooks = metrics.counter('parley_room_webhook_attempts_total', 'Webhook attempts by outcome', [
    'outcome',
  ]);
  return {
    message: () => messages.inc(),
    closed: (reason: CloseReason) => closed.inc({ reason }),
    purged: (reason: PurgeReason) => purged.inc({ reason }),
    delivery: (type: DeliveryType) => deliveries.inc({ type }),
    superseded: (count: number) => superseded.inc(count),
    acknowledged: (delayMs: number) => acks.observe(delayMs / 1000),
    policyRefusal: () => refusals.inc(),
    hook: (outcome: HookOutcome) => hooks.inc({ outcome }),
  };
}
