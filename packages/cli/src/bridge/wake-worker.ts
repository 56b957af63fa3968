import type { Timer } from '@parley/sdk/channels/clock';
import { CliError } from '../cli-error.ts';
import { wakeDelay } from './back-off.ts';
import { type Bridge, isoNow } from './bridge.ts';
import { reasonOf } from './failures.ts';
import type { WakeJob } from './wake-job.ts';
import { wake } from './waking.ts';

const AT_ONCE = 4;

export interface WorkerOptions {
  /** When this machine was started; runtimes that were called before are gone. */
  readonly bootedAt?: number;
  /** Hears of a failure after which nothing can go on, such as a key that is refused. */
  readonly fatal?: (error: CliError) => void;
}

/**
 * Hands the wakes of the queue to the runtime: in the order they came, one at a time for each room, a few overall. One look
 * at the queue begins what is due and ends; it never waits, so there is never a second one at the same time.
 */
export class WakeWorker {
  readonly #bridge: Bridge;
  readonly #options: WorkerOptions;
  readonly #atWork = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  #timer: Timer | undefined;
  #stopping = false;

  constructor(bridge: Bridge, options: WorkerOptions = {}) {
    this.#bridge = bridge;
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#atWork.size === 0;
  }

  /** Something may be due. */
  nudge(): void {
    if (this.#stopping) return;
    const { queue, clock, config } = this.#bridge;
    this.#timer?.cancel();
    let next = clock.now() + config.wakeRetryMs;
    for (const job of queue.list()) {
      if (this.#atWork.has(job.room_id) || this.#atWork.size >= AT_ONCE) continue;
      const due = this.#dueAt(job);
      if (due <= clock.now()) this.#begin(job);
      else next = Math.min(next, due);
    }
    this.#timer = clock.after(Math.max(1, next - clock.now()), () => this.nudge());
  }

  /** Begins nothing more, and waits a moment for what is under way; then it is cut off, and its jobs stay. */
  async stop(graceMs: number): Promise<void> {
    const { clock } = this.#bridge;
    this.#stopping = true;
    this.#timer?.cancel();
    const cut = clock.after(graceMs, () => this.#stop.abort());
    await Promise.all(this.#atWork.values());
    cut.cancel();
    this.#stop.abort();
  }

  #dueAt({ next_attempt_at: next, called_at: called }: WakeJob): number {
    const { config } = this.#bridge;
    const retry = next === undefined ? 0 : Date.parse(next) || 0;
    const calledAt = called === undefined ? 0 : Date.parse(called) || 0;
    // Called by a bridge that is gone. The runtime may still be at it, and must not run twice for one turn.
    const free = calledAt > (this.#options.bootedAt ?? 0) ? calledAt + config.hook.timeoutSeconds * 1000 : 0;
    return Math.max(retry, free);
  }

  #begin(job: WakeJob): void {
    const work = this.#attempt(job).finally(() => {
      this.#atWork.delete(job.room_id);
      this.nudge();
    });
    this.#atWork.set(job.room_id, work);
  }

  async #attempt(job: WakeJob): Promise<void> {
    const { log } = this.#bridge;
    const { delivery_id, room_id } = job;
    const attempt = job.attempt_count + 1;
    try {
      const outcome = await wake(this.#bridge, job, this.#stop.signal);
      log.info(`wake.${outcome}`, { delivery_id, room_id, attempt });
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#failed(job, attempt, error);
    }
  }

  #failed(job: WakeJob, attempt: number, error: unknown): void {
    const { queue, clock, log } = this.#bridge;
    const { delivery_id, room_id } = job;
    const delay_ms = this.#waitAfter(attempt);
    const reason = reasonOf(error);
    const { called_at: _, ...rest } = job;
    queue.update({
      ...rest,
      attempt_count: attempt,
      last_error: reason,
      updated_at: isoNow(this.#bridge),
      next_attempt_at: new Date(clock.now() + delay_ms).toISOString(),
    });
    log.warn('wake.failed', { delivery_id, room_id, attempt, reason, delay_ms });
    if (error instanceof CliError) this.#options.fatal?.(error);
  }

  #waitAfter(attempt: number): number {
    const { config, random } = this.#bridge;
    const wait = wakeDelay(config.wakeRetryMs, attempt);
    return Math.round(wait * (1 + random() * 0.2));
  }
}
