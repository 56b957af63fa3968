import type { RosterEntry } from '@parley/protocol/channels/types';
import { checkKeys } from '@parley/sdk/channels/key-check';

export interface Peer {
  readonly name: string;
  /** Unknown until they say hello or welcome. A reader is a person who does not speak. */
  kind: 'human' | 'reader' | 'agent' | 'unknown';
  /** `proved` by the handshake, `same` and `other` as their reported fingerprint says. */
  key: 'proved' | 'same' | 'other' | 'unknown';
  /** Waited for messages when the server last told. */
  listening: boolean;
  /** When the server last heard from them; 0 when it did not say. */
  seenAt: number;
}

/** The others in the channel: who they are, whether they hold the key, whether they still listen. */
export class Peers {
  readonly #peers = new Map<string, Peer>();
  #changed: () => void = () => undefined;

  watch(changed: () => void): void {
    this.#changed = changed;
  }

  get all(): Peer[] {
    return [...this.#peers.values()];
  }

  get(name: string): Peer | undefined {
    return this.#peers.get(name);
  }

  /** Takes over who is present and what they reported; what was learnt about them by handshake stays. */
  update(roster: readonly RosterEntry[], ownName: string, ownFingerprint: string): void {
    const present = new Set(roster.map((entry) => entry.name));
    for (const name of this.#peers.keys()) if (!present.has(name)) this.#peers.delete(name);
    const { equal, different } = checkKeys(roster, ownName, ownFingerprint);
    for (const { name, last_seen_s: unseen } of roster) {
      if (name === ownName) continue;
      const peer = this.#ensure(name);
      peer.listening = unseen === 0;
      peer.seenAt = Date.now() - unseen * 1_000;
      if (peer.key === 'proved') continue;
      if (equal.includes(name)) peer.key = 'same';
      if (different.includes(name)) peer.key = 'other';
    }
    this.#changed();
  }

  add(name: string): void {
    this.#ensure(name);
    this.#changed();
  }

  remove(name: string): void {
    this.#peers.delete(name);
    this.#changed();
  }

  learn(name: string, fact: Partial<Omit<Peer, 'name'>>): void {
    Object.assign(this.#ensure(name), fact);
    this.#changed();
  }

  clear(): void {
    this.#peers.clear();
    this.#changed();
  }

  #ensure(name: string): Peer {
    const known = this.#peers.get(name);
    if (known !== undefined) return known;
    const peer: Peer = { name, kind: 'unknown', key: 'unknown', listening: false, seenAt: 0 };
    this.#peers.set(name, peer);
    return peer;
  }
}
