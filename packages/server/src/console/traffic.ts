import type { Traffic } from '@parley/protocol/console/view-routes';
import { upsertCounts } from '../continuity/overview/subjects.ts';
import type { Counted } from '../platform/database/built.ts';
import { turnCounts } from '../rooms/overview/room-looks.ts';
import { iso } from '../wire/delivery/times.ts';
import type { ConsoleContext } from './create-module.ts';
import { MINUTE } from '../platform/units.ts';

const WINDOWS = {
  '1h': { step: MINUTE, steps: 60 },
  '24h': { step: 15 * MINUTE, steps: 96 },
  '7d': { step: 120 * MINUTE, steps: 84 },
} as const;

/** How much happened in each stretch of a window. The stretches lie on round times, so that bars do not dance. */
export async function trafficOf(
  { clock, console, rooms, continuity }: ConsoleContext,
  ownerId: string | undefined,
  window: keyof typeof WINDOWS,
): Promise<Traffic> {
  const { step, steps } = WINDOWS[window];
  const since = (Math.floor(clock.now() / step) - steps + 1) * step;
  const ask = { ownerId, since, step };
  const filled = (counts: readonly Counted[]): number[] => {
    const bars = Array.from({ length: steps }, () => 0);
    for (const { bucket, n } of counts) if (bucket < steps) bars[bucket] = n;
    return bars;
  };
  const [{ messages, failures, fires }, turns, upserts] = await Promise.all([
    console.lately.counts(ask),
    turnCounts(rooms.service, ask),
    upsertCounts(continuity.service.memory, ask),
  ]);
  return {
    since: iso(since),
    step_seconds: step / 1000,
    messages: filled(messages),
    turns: filled(turns),
    fires: filled(fires),
    upserts: filled(upserts),
    failures: filled(failures),
  };
}
