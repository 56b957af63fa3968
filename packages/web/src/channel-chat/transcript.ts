import { type Entry, readEntry } from './entry.ts';
import { fieldsOf, listOf, textOf } from '../shared/fields.ts';

const KEPT_ENTRIES = 200;

/** The person's own copy of the conversation, on this device only. Holds words and the name, never a secret. */
export class Transcript {
  readonly #slot: string;
  readonly #storage: Storage | null;

  constructor(channel: string, storage: Storage | null) {
    this.#slot = `agentalk:${channel}`;
    this.#storage = storage;
  }

  get available(): boolean {
    return this.#storage !== null;
  }

  load(): { name: string; entries: Entry[] } {
    try {
      const stored = fieldsOf(JSON.parse(this.#storage?.getItem(this.#slot) ?? 'null'));
      return {
        name: textOf(stored.name),
        entries: listOf(stored.entries).flatMap((entry) => readEntry(entry) ?? []),
      };
    } catch {
      return { name: '', entries: [] };
    }
  }

  save(name: string, entries: readonly Entry[]): void {
    // Long messages can exceed what a browser lets one site keep: then the newer half is worth more than nothing.
    for (let kept = entries.slice(-KEPT_ENTRIES); ; kept = kept.slice(-Math.floor(kept.length / 2))) {
      try {
        this.#storage?.setItem(this.#slot, JSON.stringify({ name, entries: kept }));
        return;
      } catch {
        if (kept.length < 2) return;
      }
    }
  }

  clear(): void {
    try {
      this.#storage?.removeItem(this.#slot);
    } catch {
      // Storage that cannot be written holds nothing to clear.
    }
  }
}

/** Browsers may forbid storage altogether, and then throw on the mere mention of it. */
export function storageOrNull(kind: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return globalThis[kind];
  } catch {
    return null;
  }
}
