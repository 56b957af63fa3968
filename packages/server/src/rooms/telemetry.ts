import type { Metrics } from '../platform/metrics.ts';
import type { DeliveryType } from './turn-wakes/delivery-store.ts';
import type { CloseReason, PurgeReason } from './room/room.ts';

/** What operators see of rooms: counts and delays, never an id or a word of content. */
export interface RoomTelemetry {
  message(): void;
  closed(reason: CloseReason): void;
  purged(reason: PurgeReason): void;
  delivery(type: DeliveryType): void;
  superseded(count: number): void;
  acknowledged(delayMs: number): void;
  policyRefusal(): void;
}

const ACK_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 1800];

export function roomTelemetry(metrics: Metrics): RoomTelemetry {
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
  return {
    message: () => messages.inc(),
    closed: (reason) => closed.inc({ reason }),
    purged: (reason) => purged.inc({ reason }),
    delivery: (type) => deliveries.inc({ type }),
    superseded: (count) => superseded.inc(count),
    acknowledged: (delayMs) => acks.observe(delayMs / 1000),
    policyRefusal: () => refusals.inc(),
  };
}
