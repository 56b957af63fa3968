import type { Clock, Timer } from '../clock.ts';

export interface Burst {
  from: string;
  kind: 'broadcast' | 'dm';
  texts: string[];
}

export interface HoldTimes {
  /** A person silent for this long has finished; 0 turns holding off. */
  silenceMs: number;
  /** Nobody is kept waiting longer than this. */
  capMs: number;
}

/** People write in bursts: what one person writes is held until they pause, and then given out as one. */
export class BurstHold {
  readonly #clock: Clock;
  readonly #times: HoldTimes;
  readonly #give: (burst: Burst) => void;
  #held: Burst | undefined;
  #silence: Timer | undefined;
  #cap: Timer | undefined;

  constructor(clock: Clock, times: HoldTimes, give: (burst: Burst) => void) {
    this.#clock = clock;
    this.#times = times;
    this.#give = give;
  }

  add(from: string, kind: Burst['kind'], text: string): void {
    if (this.#held && (this.#held.from !== from || this.#held.kind !== kind)) this.end();
    if (this.#times.silenceMs <= 0) {
      this.#give({ from, kind, texts: [text] });
      return;
    }
    if (!this.#held) {
      this.#held = { from, kind, texts: [] };
      this.#cap = this.#clock.after(this.#times.capMs, () => this.end());
    }
    this.#held.texts.push(text);
    this.#silence?.cancel();
    this.#silence = this.#clock.after(this.#times.silenceMs, () => this.end());
  }

  /** Gives out what is held, if it is from `from`. */
  endOf(from: string): void {
    if (this.#held?.from === from) this.end();
  }

  end(): void {
    const held = this.#held;
    this.#silence?.cancel();
    this.#cap?.cancel();
    this.#held = undefined;
    if (held) this.#give(held);
  }
}
