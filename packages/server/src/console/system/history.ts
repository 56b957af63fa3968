import { type IntervalHistogram, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Platform } from '../../platform.ts';
import type { Timer } from '../../platform/clock.ts';
import { storeBytes } from './store-bytes.ts';
import { MINUTE } from '../../platform/units.ts';

export const SAMPLED_EVERY_MS = MINUTE;
const KEPT = 60;
/** How often the loop is asked whether it is late. Rarely enough to cost an idle server nothing. */
const LOOP_MS = 200;
const NS = 1e6;

export type Sample = Awaited<ReturnType<SystemHistory['sample']>>;

/** The histogram counts from one look to the next, in nanoseconds. */
const late = (ns: number): number => Math.max(0, Math.round(ns / NS - LOOP_MS));

/** The last hour of this process, one sample a minute, in memory alone. */
export class SystemHistory {
  readonly samples: Sample[] = [];
  readonly #platform: Platform;
  #delay: IntervalHistogram | undefined;
  #before = performance.eventLoopUtilization();
  #timer: Timer | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  start(): void {
    this.#delay = monitorEventLoopDelay({ resolution: LOOP_MS });
    this.#delay.enable();
    this.#again();
  }

  close(): void {
    this.#timer?.cancel();
    this.#delay?.disable();
  }

  /** Since the last sample: how late the loop was, and which share of the time it worked. */
  loop(): { p99Ms: number; maxMs: number; busy: number } {
    const { utilization } = performance.eventLoopUtilization(this.#before);
    const p99 = this.#delay?.percentile(99) ?? 0;
    return { p99Ms: late(p99), maxMs: late(this.#delay?.max ?? 0), busy: utilization };
  }

  async sample() {
    const { clock, jobs, disk } = this.#platform;
    const depths = await jobs.depths();
    return {
      at: clock.now(),
      rss: process.memoryUsage.rss(),
      delayMs: this.loop().maxMs,
      waiting: depths.reduce((sum, { due }) => sum + due, 0),
      disk: disk.free ?? null,
      database: await storeBytes(this.#platform),
    };
  }

  #again(): void {
    const { clock, log } = this.#platform;
    this.#timer = clock.after(SAMPLED_EVERY_MS, () => {
      this.#again();
      this.sample()
        .then((sample) => {
          this.samples.push(sample);
          if (this.samples.length > KEPT) this.samples.shift();
          this.#delay?.reset();
          this.#before = performance.eventLoopUtilization();
        })
        .catch(log.failed('system_not_sampled', 'warn'));
    });
  }
}
