import type { Metrics } from '../../platform/metrics.ts';
import type { SseEnd } from '../../platform/streams/sse.ts';
import type { StreamEnd } from '../../platform/streams/subscription.ts';
import type { ResumeStatus } from './frames.ts';

export type StreamKind = 'room' | 'agent' | 'viewer';

/** What operators see of streams: how many, why they end, how agents come back. */
export interface StreamTelemetry {
  opened(stream: StreamKind): void;
  /** `slow`: the client did not read and was dropped. */
  closed(stream: StreamKind, reason: SseEnd | StreamEnd): void;
  resumed(status: ResumeStatus): void;
  sent(): void;
}

export function streamTelemetry(metrics: Metrics): StreamTelemetry {
  const open: Record<StreamKind, number> = { room: 0, agent: 0, viewer: 0 };
  metrics.gauge('parley_room_event_streams', 'Open event streams of rooms', () => open.room);
  metrics.gauge('parley_agent_streams', 'Open agent streams', () => open.agent);
  metrics.gauge('parley_room_viewer_streams', 'Open streams of human readers', () => open.viewer);
  const closed = metrics.counter('parley_room_streams_closed_total', 'Streams that ended', [
    'stream',
    'reason',
  ]);
  const resumed = metrics.counter('parley_agent_stream_resumes_total', 'Agent streams opened', ['status']);
  const sent = metrics.counter('parley_agent_stream_deliveries_total', 'Wake-ups sent, repetitions included');
  return {
    opened: (stream) => void (open[stream] += 1),
    closed(stream, reason) {
      open[stream] -= 1;
      closed.inc({ stream, reason });
    },
    resumed: (status) => resumed.inc({ status }),
    sent: () => sent.inc(),
  };
}
