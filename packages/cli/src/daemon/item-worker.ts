import type { Clock, Timer } from '@parley/sdk/channels/clock';
import { reasonOf } from '../bridge/failures.ts';
import type { Log } from '../bridge/log.ts';
import { type Outcome, runAdapter } from './adapters.ts';
import type { AgentFiles } from './agent-files.ts';
import type { AgentConfig } from './daemon-config.ts';
import { nextStart } from './gate.ts';
import type { WakeItem } from './wake-item.ts';

const LOOK_EVERY_MS = 5_000;
const LONGEST_WAIT_MS = 120_000;

export interface ItemWorkerOptions {
  readonly agent: AgentConfig;
  readonly files: AgentFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly agentId: () => string;
  readonly isPaused: () => boolean;
  /** Whether there is still something to do about it. */
  readonly isDue: (item: WakeItem) => Promise<boolean>;
  /** Tells the server that the agent was started. */
  readonly report: (item: WakeItem) => Promise<void>;
}

/** Starts the agent for the wakes that wait: the oldest first, within the budget, and never twice for one. */
export class ItemWorker {
  readonly #options: ItemWorkerOptions;
  readonly #atWork = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();
  #stopping = false;
  #timer: Timer | undefined;

  constructor(options: ItemWorkerOptions) {
    this.#options = options;
  }

  nudge(): void {
    if (this.#stopping) return;
    const { files, clock, agent, isPaused } = this.#options;
    this.#timer?.cancel();
    let next = clock.now() + LOOK_EVERY_MS;
    for (const item of isPaused() ? [] : files.items()) {
      if (this.#atWork.has(item.id) || this.#atWork.size >= agent.concurrency) continue;
      if (this.#settledBefore(item)) continue;
      const retry = Date.parse(item.next_attempt_at ?? '') || 0;
      const due = Math.max(retry, nextStart(files.starts, agent.startsPerHour, clock.now()));
      if (due <= clock.now()) this.#begin(item);
      else next = Math.min(next, due);
    }
    this.#timer = clock.after(Math.max(1, next - clock.now()), () => this.nudge());
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#timer?.cancel();
    const cut = this.#options.clock.after(graceMs, () => this.#stop.abort());
    await Promise.all(this.#atWork.values());
    cut.cancel();
  }

  /** Started by a daemon that is gone: it is waited for while it may run, and not started again. */
  #settledBefore(item: WakeItem): boolean {
    if (item.invoked_at === undefined) return false;
    const { files, clock, agent } = this.#options;
    const over = Date.parse(item.invoked_at) + agent.timeoutSeconds * 1000 <= clock.now();
    if (over || item.pid === undefined || !isRunning(item.pid)) files.end(item, 'interrupted', this.#now());
    return true;
  }

  #begin(item: WakeItem): void {
    const work = this.#attempt(item).finally(() => {
      this.#atWork.delete(item.id);
      this.nudge();
    });
    this.#atWork.set(item.id, work);
  }

  async #attempt(item: WakeItem): Promise<void> {
    const { agent, files, clock, log, agentId, isDue, report } = this.#options;
    let begun = item;
    let reported: Promise<boolean> = Promise.resolve(true);
    const tell = (): Promise<boolean> =>
      report(begun).then(
        () => true,
        (error: unknown) => this.#note(begun, error),
      );
    const invoked = (pid?: number): void => {
      begun = { ...item, invoked_at: this.#now(), ...(pid !== undefined && { pid }) };
      files.put(begun);
      files.started(this.#now());
      log.info('wake.invoked', { delivery_id: item.id });
      reported = tell();
    };
    try {
      if (!(await isDue(item))) {
        files.end(item, 'obsolete', this.#now());
        return;
      }
      const signal = this.#stop.signal;
      const outcome = await runAdapter({ agent, agentId: agentId(), item, clock, signal, invoked });
      if (!(await reported)) await tell();
      this.#ended(begun, outcome);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#again(item, reasonOf(error));
    }
  }

  #ended(item: WakeItem, outcome: Outcome): void {
    const { files, log } = this.#options;
    log.info(`wake.${outcome}`, { delivery_id: item.id });
    if (outcome === 'again') this.#again(item, 'the program asked to be started again');
    else files.end(item, outcome, this.#now());
  }

  #again({ invoked_at: _at, pid: _pid, ...item }: WakeItem, reason: string): void {
    const { files, clock, log } = this.#options;
    const attempts = item.attempts + 1;
    const delay_ms = Math.min(LOOK_EVERY_MS * 2 ** Math.min(attempts - 1, 5), LONGEST_WAIT_MS);
    const next_attempt_at = new Date(clock.now() + delay_ms).toISOString();
    files.put({ ...item, attempts, next_attempt_at, last_error: reason });
    log.warn('wake.failed', { delivery_id: item.id, attempt: attempts, reason, delay_ms });
  }

  #note(item: WakeItem, error: unknown): boolean {
    this.#options.log.warn('receipt.failed', { delivery_id: item.id, reason: reasonOf(error) });
    return false;
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
