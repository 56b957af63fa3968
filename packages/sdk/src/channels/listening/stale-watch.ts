import type { RosterEntry } from '@parley/protocol/channels/types';

export interface PresenceChange {
  name: string;
  /** Seconds unseen, when the peer went stale; absent when it is back. */
  unseen?: number;
}

/** Tells once when a peer has not been seen for too long, and once when it is back. */
export class StaleWatch {
  readonly #limitSeconds: number;
  readonly #stale = new Set<string>();

  constructor(limitSeconds: number) {
    this.#limitSeconds = limitSeconds;
  }

  changes(roster: readonly RosterEntry[], ownName: string): PresenceChange[] {
    const changes: PresenceChange[] = [];
    for (const { name, last_seen_s: unseen } of roster) {
      if (name === ownName) continue;
      const stale = unseen > this.#limitSeconds;
      if (stale === this.#stale.has(name)) continue;
      if (stale) this.#stale.add(name);
      else this.#stale.delete(name);
      changes.push(stale ? { name, unseen: Math.floor(unseen) } : { name });
    }
    return changes;
  }

  left(name: string): void {
    this.#stale.delete(name);
  }
}
