import { EVICTION_REASONS } from '@parley/protocol/channels/errors';
import type { Parts } from '../platform/parts.ts';
import type { Rejected } from './service.ts';
import type { ChannelStore } from './store.ts';

const WAKE_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const REJECTIONS: readonly Rejected[] = ['channels', 'messages', 'joins', 'concurrent_channels'];

/** The channels part of `/health` and `/metrics`, read from kept counters. */
export function channelTelemetry(
  { metrics, health, clock }: Pick<Parts, 'metrics' | 'health' | 'clock'>,
  store: ChannelStore,
) {
  health.contribute(() => healthKeys(store));
  const startedAt = clock.monotonic();
  const gauge = (name: string, help: string, value: () => number): void =>
    metrics.gauge(`agentalk_${name}`, help, value);
  const total = (name: string, help: string, value: () => number): void =>
    metrics.keptCounter(`agentalk_${name}`, help, () => [{ value: value() }]);

  metrics.beforeScrape(async () => store.refresh());
  gauge('uptime_seconds', 'Seconds since the server started', () => (clock.monotonic() - startedAt) / 1000);
  gauge('channels', 'Channels awake now', () => store.counters().channels);
  gauge('channels_hibernating', 'Channels asleep now', () => store.counters().asleep);
  gauge('participants', 'Participants present now', () => store.counters().participants);
  gauge('tracked_ips', 'Addresses that hold live channels', () => store.counters().trackedAddresses);
  gauge('polls_parked', 'Polls and streams waiting now', () => store.counters().listeners);
  gauge('retained_bytes', 'Bytes of sealed text held now', () => store.counters().retainedBytes);
  total('channels_created_total', 'Channels created', () => store.counters().created);
  total('messages_sent_total', 'Messages accepted', () => store.counters().sent);
  total('hibernations_total', 'Channels that fell asleep', () => store.counters().hibernations);
  total('resumes_total', 'Sleeping channels woken by a join', () => store.counters().resumes);
  metrics.keptCounter('agentalk_evictions_total', 'Channels ended, by reason', () =>
    EVICTION_REASONS.map((reason) => ({
      labels: { reason: reason.replace('evicted_', '') },
      value: store.counters().evictions[reason],
    })),
  );
  const rejections = metrics.counter('agentalk_ratelimit_rejections_total', 'Requests refused by a limit', [
    'kind',
  ]);
  for (const kind of REJECTIONS) rejections.inc({ kind }, 0);
  const wakes = metrics.histogram(
    'agentalk_poll_wake_seconds',
    'Time from an accepted send to the answer of a parked poll',
    WAKE_BUCKETS,
  );
  return {
    woke: (seconds: number) => wakes.observe(seconds),
    rejected: (kind: Rejected) => rejections.inc({ kind }),
  };
}

function healthKeys(store: ChannelStore): object {
  const now = store.counters();
  return {
    channels: now.channels,
    channels_hibernating: now.asleep,
    total_participants: now.participants,
    total_messages: now.events,
    evictions: now.evictions,
    total_channels_created: now.created,
    total_messages_sent: now.sent,
    total_hibernations: now.hibernations,
    total_resumes: now.resumes,
  };
}
