import { randomUUID } from 'node:crypto';
import type { Clock, Timer } from '@parley/sdk/channels/clock';
import { wakeDelay } from '../bridge/back-off.ts';
import { isoNow } from '../bridge/bridge.ts';
import { CliError } from '../cli-error.ts';
import { reasonOf } from '../bridge/failures.ts';
import type { Log } from '../bridge/log.ts';
import type { AgentFiles } from './agent-files.ts';
import type { Outcome, Run } from './adapters/run.ts';
import type { AgentConfig } from './daemon-config.ts';
import { nextStart } from './gate.ts';
import { stillRuns } from './left-behind.ts';
import type { Wake } from './payload.ts';
import type { Receipts } from './receipts.ts';
import { namesOf, notStarted, type WakeItem } from './wake-item.ts';

const LOOK_EVERY_MS = 5_000;
/** Of what a daemon that is gone began nobody tells us the end. */
const LEFT_BEHIND_MS = 500;
/** A wake that ends the daemon, or the machine, each time must not do so for ever. */
const MOST_INTERRUPTIONS = 5;

export interface ItemWorkerOptions {
  readonly agent: AgentConfig;
  readonly files: AgentFiles;
  readonly receipts: Receipts;
  readonly clock: Clock;
  readonly log: Log;
  readonly isPaused: () => boolean;
  /** Whether there is anybody to tell; one that starts a program of its own always is. */
  readonly isReady: () => boolean;
  /** What the agent is handed; undefined when there is nothing to do about the wake any more. */
  readonly prepare: (item: WakeItem) => Promise<Wake | undefined>;
  readonly runAdapter: (run: Run) => Promise<Outcome>;
  /** Hears of a failure after which nothing can go on, such as a key that is refused. */
  readonly fatal: (error: CliError) => void;
}

/** Starts the agent for the wakes that wait: the oldest first, within the budget, and never two at a time for one thing. */
export class ItemWorker {
  readonly #options: ItemWorkerOptions;
  readonly #atWork = new Map<string, { item: WakeItem; work: Promise<void> }>();
  readonly #stop = new AbortController();
  #stopping = false;
  #timer: Timer | undefined;

  constructor(options: ItemWorkerOptions) {
    this.#options = options;
  }

  /** One look at the queue begins what is due and ends; it never waits, so there is never a second one at the same time. */
  nudge(): void {
    if (this.#stopping) return;
    const { files, receipts, clock, agent, isPaused, isReady } = this.#options;
    this.#timer?.cancel();
    void receipts.flush();
    let next = clock.now() + LOOK_EVERY_MS;
    const busy = new Map([...this.#atWork.values()].map(({ item }) => [item.id, item]));
    const items = files.items().filter(({ id }) => !this.#atWork.has(id));
    const waiting: WakeItem[] = [];
    for (const item of items) {
      const found = item.starting_at === undefined ? item : this.#foundStarted(item);
      if (found === 'runs') {
        busy.set(item.id, item);
        next = clock.now() + LEFT_BEHIND_MS;
      } else if (found) waiting.push(found);
    }
    for (const item of isPaused() || !isReady() ? [] : waiting) {
      if (busy.size >= agent.concurrency || sameRoom(busy.values(), item)) continue;
      const retry = Date.parse(item.next_attempt_at ?? '') || 0;
      const due = Math.max(retry, nextStart(files.starts, agent.startsPerHour, clock.now()));
      if (due <= clock.now()) {
        busy.set(item.id, item);
        this.#begin(item);
      } else next = Math.min(next, due);
    }
    this.#timer = clock.after(Math.max(1, next - clock.now()), () => this.nudge());
  }

  /** What failed before is due at once: there is somebody new to tell. */
  retryAll(): void {
    const { files } = this.#options;
    for (const { next_attempt_at: at, ...item } of files.items()) {
      if (at !== undefined && !this.#atWork.has(item.id)) files.put(item);
    }
    this.nudge();
  }

  /** Begins nothing more, and waits a moment for what is under way; a program that is not done then goes on without us. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#timer?.cancel();
    const cut = this.#options.clock.after(graceMs, () => this.#stop.abort());
    await Promise.all([...this.#atWork.values()].map(({ work }) => work));
    cut.cancel();
  }

  /** Begun by a daemon that is gone. While it may run it is waited for; then it waits for its turn like any other. */
  #foundStarted(item: WakeItem): WakeItem | 'runs' | undefined {
    const { agent, files, clock, log } = this.#options;
    if (stillRuns(item, agent, { now: clock.now(), input: files.input(item.id) })) return 'runs';
    const interruptions = (item.interruptions ?? 0) + 1;
    const said = { ...notStarted(item), interruptions, last_error: 'the bridge ended during the run' };
    log.warn('wake.interrupted', { delivery_id: item.id, attempt: interruptions });
    if (interruptions > MOST_INTERRUPTIONS) {
      files.end({ ...item, ...said }, 'interrupted', isoNow(this.#options));
      return undefined;
    }
    files.put(said);
    return said;
  }

  #begin(item: WakeItem): void {
    const work = this.#attempt(item).finally(() => {
      this.#atWork.delete(item.id);
      this.nudge();
    });
    this.#atWork.set(item.id, { item, work });
  }

  async #attempt(item: WakeItem): Promise<void> {
    const { agent, files, clock, prepare, runAdapter } = this.#options;
    let begun = item;
    try {
      const wake = await prepare(item);
      // Dropped while we asked: its room is over.
      if (!files.waiting(item.id)) return;
      if (!wake) {
        this.#ended(item, 'obsolete');
        return;
      }
      const runId = randomUUID();
      // Counted and written down before anything starts: a crash in between costs a start of the budget, never a second agent.
      files.started(isoNow(this.#options));
      begun = { ...item, starting_at: isoNow(this.#options), run_id: runId };
      files.put(begun);
      const outcome = await runAdapter({
        agent,
        files,
        wake,
        runId,
        clock,
        signal: this.#stop.signal,
        invoked: (process) => {
          begun = this.#reached(
            { ...begun, invoked_at: isoNow(this.#options), ...(process && { process }) },
            'invoked',
          );
        },
        resumed: () => {
          begun = this.#reached({ ...begun, resumed_at: isoNow(this.#options) }, 'resumed');
        },
      });
      if (outcome === 'again') this.#again(begun, 'the program asked to be started again');
      else if (outcome !== 'left') this.#ended(begun, outcome);
    } catch (error) {
      // Cut off before anything was started: it waits as it did.
      if (this.#stop.signal.aborted && begun === item) return;
      this.#again(begun, reasonOf(error));
      if (error instanceof CliError) this.#options.fatal(error);
    }
  }

  #reached(item: WakeItem, stage: 'invoked' | 'resumed'): WakeItem {
    const { files, receipts, log } = this.#options;
    files.put(item);
    receipts.add(namesOf(item), stage);
    log.info(`wake.${stage}`, { delivery_id: item.id });
    return item;
  }

  #ended(item: WakeItem, outcome: string): void {
    const { files, log } = this.#options;
    log.info(`wake.${outcome}`, { delivery_id: item.id });
    files.end(item, outcome, isoNow(this.#options));
  }

  #again(item: WakeItem, reason: string): void {
    const { files, clock, log } = this.#options;
    const attempts = item.attempts + 1;
    const delay_ms = wakeDelay(LOOK_EVERY_MS, attempts);
    const next_attempt_at = new Date(clock.now() + delay_ms).toISOString();
    files.put({ ...notStarted(item), attempts, next_attempt_at, last_error: reason });
    log.warn('wake.failed', { delivery_id: item.id, attempt: attempts, reason, delay_ms });
  }
}

/** Two turns of one room at a time would be one conversation in two minds. */
function sameRoom(busy: Iterable<WakeItem>, { room_id: room }: WakeItem): boolean {
  return room !== null && [...busy].some((other) => other.room_id === room);
}
