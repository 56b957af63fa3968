import { WriteBehind } from '../../platform/database/write-behind.ts';
import type { Platform } from '../../platform.ts';
import { touchSeen } from './agent-store.ts';

const SUBJECT = 'delivery.seen';
const EVERY_MS = 5_000;

export interface LastSeenOptions extends Pick<Platform, 'database' | 'clock' | 'bus'> {
  readonly isAlone: boolean;
  readonly onError: (error: unknown) => void;
}

/** When agents last did something, in Unix milliseconds by suffix. Other nodes hear of it before it is in the store. */
export class LastSeen {
  readonly #options: LastSeenOptions;
  readonly #marks: WriteBehind<number>;
  readonly #leave: () => void;
  /** What was heard since a while, and in the while before: by then it is in the store. */
  #heard = new Map<string, number>();
  #before = new Map<string, number>();
  #since = 0;

  constructor(options: LastSeenOptions) {
    this.#options = options;
    this.#marks = new WriteBehind({ ...options, everyMs: EVERY_MS, store: touchSeen });
    this.#leave = options.isAlone ? () => {} : options.bus.subscribe(SUBJECT, (hint) => this.#hear(hint));
  }

  note(suffix: string, at: number): void {
    this.#marks.note(suffix, at);
    this.#options.bus.publish(SUBJECT, `${at} ${suffix}`);
  }

  /** What is stored, or what is noted at any node and not written yet. */
  latest(suffix: string, stored: number | null): number | null {
    const known = [stored, this.#marks.latest(suffix), this.#heard.get(suffix), this.#before.get(suffix)];
    const times = known.filter((at) => at !== undefined && at !== null);
    return times.length === 0 ? null : Math.max(...times);
  }

  async close(): Promise<void> {
    this.#leave();
    await this.#marks.close();
  }

  #hear(hint: string): void {
    const [, at, suffix] = /^(\d+) (.+)$/.exec(hint) ?? [];
    if (at === undefined || suffix === undefined) return;
    const now = this.#options.clock.monotonic();
    if (now - this.#since > 2 * EVERY_MS) {
      this.#before = this.#heard;
      this.#heard = new Map();
      this.#since = now;
    }
    this.#heard.set(suffix, Number(at));
  }
}
