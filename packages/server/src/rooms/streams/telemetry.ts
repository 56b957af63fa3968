import type { Metrics } from '../../platform/metrics.ts';
import type { SseEnd } from '../../platform/streams/sse.ts';
import type { StreamEnd } from '../../platform/streams/subscription.ts';
import type { ResumeStatus } from './frames.ts';

type StreamKind = 'room' | 'agent' | 'viewer';

export type StreamTelemetry = ReturnType<typeof streamTelemetry>;

/** What operators see of streams: how many, why they end, how agents come back. */
export function streamTelemetry(metrics: Metrics) {
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
    opened: (stream: StreamKind) => void (open[stream] += 1),
    /** `slow`: the client did not read and was dropped. */
    closed(stream: StreamKind, reason: SseEnd | StreamEnd) {
      open[stream] -= 1;
      closed.inc({ stream, reason });
    },
    resumed: (status: ResumeStatus) => resumed.inc({ status }),
    sent: () => sent.inc(),
  };
}
