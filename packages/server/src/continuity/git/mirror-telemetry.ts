import type { Health } from '../../platform/health.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { MirrorFault } from './errors.ts';

interface MirrorState {
  /** Owners whose memory has changed since it was mirrored. */
  pending(): number;
  failing(): number;
}

export type MirrorTelemetry = ReturnType<typeof mirrorTelemetry>;

/** What operators see of the mirror: how far behind it is, never whose memory. */
export function mirrorTelemetry(metrics: Metrics, health: Health) {
  const commits = metrics.counter(
    'parley_memory_mirror_commits_total',
    'Commits written to mirrors of memory',
  );
  const failures = metrics.counter('parley_memory_mirror_failures_total', 'Failed runs of the mirror', [
    'kind',
  ]);
  return {
    exported: (count: number): void => commits.inc(count),
    failed: (kind: MirrorFault): void => failures.inc({ kind }),
    watch(state: MirrorState): void {
      metrics.gauge('parley_memory_mirror_pending', 'Owners whose mirror is behind', () => state.pending());
      metrics.gauge('parley_memory_mirror_failing', 'Owners whose mirror failed last time', () =>
        state.failing(),
      );
      health.contribute(() => ({ memory_mirror: wordFor(state) }));
    },
  };
}

function wordFor(state: MirrorState): 'current' | 'behind' | 'failing' {
  if (state.failing() > 0) return 'failing';
  return state.pending() > 0 ? 'behind' : 'current';
}
