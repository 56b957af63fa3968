import { MAX_TYPING_MS } from '@parley/protocol/rooms/limits';
import { countOf, fieldsOf, textOf } from '../shared/fields.ts';

/** Who is typing right now. Each ends by itself, should the word that it stopped get lost. */
export class Typing {
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get agents(): string[] {
    return [...this.#timers.keys()];
  }

  /** Returns whether the frame was about typing at all. */
  take(frame: unknown): boolean {
    const fields = fieldsOf(frame);
    if (fields['type'] !== 'agent.typing') return false;
    const agent = textOf(fields['actor_id']);
    clearTimeout(this.#timers.get(agent));
    if (fields['state'] === 'start') {
      const ttl = Math.min(countOf(fields['ttl_ms']), MAX_TYPING_MS);
      this.#timers.set(
        agent,
        setTimeout(() => this.#stop(agent), ttl),
      );
      this.#changed();
    } else {
      this.#stop(agent);
    }
    return true;
  }

  clear(): void {
    for (const agent of this.agents) this.#stop(agent);
  }

  #stop(agent: string): void {
    clearTimeout(this.#timers.get(agent));
    if (this.#timers.delete(agent)) this.#changed();
  }
}
