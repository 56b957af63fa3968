import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** Processor time of the thread, in microseconds. */
  readonly tdur?: number;
}

const BEGAN = 'frames-begin';
const ENDED = 'frames-end';

/**
 * What the page's main thread did for each frame (script, style, layout, paint), in milliseconds of processor time, the longest
 * first. How long it waited for a processor is not in it: that says what else the machine did.
 */
export async function workOfFrames(page: Page, does: () => Promise<unknown>): Promise<number[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has no browser');
  const categories = [
    'toplevel',
    'devtools.timeline',
    'disabled-by-default-devtools.timeline',
    'blink.user_timing',
  ];
  await browser.startTracing(page, { categories });
  let trace: Buffer;
  try {
    await page.evaluate((mark) => performance.mark(mark), BEGAN);
    await does();
    await page.evaluate((mark) => performance.mark(mark), ENDED);
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const began = traceEvents.find(({ name }) => name === BEGAN);
  const ended = traceEvents.find(({ name }) => name === ENDED);
  if (!began || !ended) throw new Error('the trace does not say when it was scrolled');
  const here = traceEvents
    .filter(({ pid, tid, ts }) => pid === began.pid && tid === began.tid && ts > began.ts && ts < ended.ts)
    .toSorted((a, b) => a.ts - b.ts);
  const frames: number[] = [];
  let work = 0;
  for (const { name, ph, tdur } of here) {
    if (name === 'FireAnimationFrame') {
      frames.push(work);
      work = 0;
    } else if (name === 'RunTask' && ph === 'X') work += (tdur ?? 0) / 1_000;
  }
  frames.push(work);
  return frames.toSorted((a, b) => b - a);
}
