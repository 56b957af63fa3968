import { byId } from '../dom.ts';

export type Tone = 'good' | 'warn' | 'soft';

/** The state in a word, always in the same corner, and spoken when it changes. Counts down by itself. */
export class StatusPill {
  readonly #pill = byId('status');
  readonly #text = byId('status-text');
  readonly #spoken = byId('status-spoken');
  readonly #look: () => readonly [string, Tone];

  constructor(look: () => readonly [string, Tone]) {
    this.#look = look;
    setInterval(() => this.draw(), 1_000);
  }

  draw(): void {
    const [words, tone] = this.#look();
    if (this.#text.textContent !== words) this.#text.textContent = words;
    this.#pill.dataset.tone = tone;
  }

  /** Without the countdown, and not at every attempt: a screen reader would read all of it. */
  speak(words: string): void {
    if (this.#spoken.textContent !== words) this.#spoken.textContent = words;
  }
}

/** The words of a line that failed and will be tried again. */
export function reconnectingInWords(until: number): string {
  return `reconnecting in ${Math.max(1, Math.ceil((until - Date.now()) / 1_000))} s`;
}
