import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';

const STEP_MS = 1_000;

/** What makes the clock of a server go by. */
export interface Timed {
  readonly clock: FakeClock;
  readonly server: Pick<TestServer, 'context' | 'nodes'>;
}

/**
 * Lets the clock run until something is so, at a pace that a real database can follow: what is due at a step is done before
 * the next. At the limit the clock stands still, and what it caused may take its real time. Returns the milliseconds that
 * passed.
 */
export async function pass(timed: Timed, limitMs: number, condition: () => boolean): Promise<number> {
  const { clock } = timed;
  const start = clock.now();
  while (!condition()) {
    if (clock.now() - start >= limitMs) await expect.poll(condition).toBe(true);
    else await step(timed, STEP_MS, condition);
  }
  return clock.now() - start;
}

/** What was written to a socket is read at its other end by no clock of ours: without a pause the clock would run ahead of the reader. */
const STEP_PAUSE_MS = 5;
const STEP_PATIENCE_MS = 500;

/** One step of the clock, and the real time it takes. */
export async function step(
  { clock, server }: Timed,
  ms: number,
  enough: () => boolean = () => false,
): Promise<void> {
  const asleep = (): number => server.nodes.reduce((sum, { context }) => sum + context.wheel.size, 0);
  const waiting = asleep();
  await clock.advance(ms);
  await sleep(STEP_PAUSE_MS);
  // What fired and does not wait again is still at work, or it is over: then somebody has to hear of that.
  const deadline = performance.now() + STEP_PATIENCE_MS;
  while (asleep() < waiting && !enough() && performance.now() < deadline) await sleep(2);
}
