import type { RosterEntry } from '@parley/protocol/channels/types';
import { BoundedMap } from './bounded.ts';

/** `mismatch`: nobody here has our key and somebody has another one, so we are in the wrong place. */
export type KeyVerdict = 'verified' | 'partial' | 'unverified' | 'mismatch';

export interface KeyCheck {
  verdict: KeyVerdict;
  equal: string[];
  different: string[];
  /** Those who told no fingerprint. */
  silent: string[];
}

/** Compares fingerprints at join. The server reports them, so this is a convenience; the handshake is the proof. */
export function checkKeys(roster: readonly RosterEntry[], ownName: string, ownFingerprint: string): KeyCheck {
  const others = roster.filter((entry) => entry.name !== ownName);
  const names = (wanted: 'equal' | 'different' | 'silent'): string[] =>
    others.filter((entry) => compare(entry, ownFingerprint) === wanted).map((entry) => entry.name);
  const groups = { equal: names('equal'), different: names('different'), silent: names('silent') };
  return { verdict: verdict(groups), ...groups };
}

function verdict({ equal, different }: Omit<KeyCheck, 'verdict'>): KeyVerdict {
  if (equal.length > 0) return different.length > 0 ? 'partial' : 'verified';
  return different.length > 0 ? 'mismatch' : 'unverified';
}

/** The same check for those who come later, told once per name and fingerprint. */
export class KeyWatch {
  readonly #fingerprint: string;
  readonly #known: Set<string>;
  readonly #told = new BoundedMap<string | null>(1_000);

  /** `known` were checked when we joined. */
  constructor(fingerprint: string, known: readonly string[] = []) {
    this.#fingerprint = fingerprint;
    this.#known = new Set(known);
  }

  /** These were here before us. */
  knows(names: Iterable<string>): void {
    for (const name of names) this.#known.add(name);
  }

  left(name: string): void {
    this.#known.delete(name);
  }

  news(
    roster: readonly RosterEntry[],
    ownName: string,
  ): { name: string; problem: 'mismatch' | 'unverified' }[] {
    const news: { name: string; problem: 'mismatch' | 'unverified' }[] = [];
    for (const entry of roster) {
      if (entry.name === ownName || this.#known.has(entry.name)) continue;
      if (this.#told.get(entry.name) === entry.key_fp) continue;
      this.#told.set(entry.name, entry.key_fp);
      const result = compare(entry, this.#fingerprint);
      if (result !== 'equal')
        news.push({ name: entry.name, problem: result === 'silent' ? 'unverified' : 'mismatch' });
    }
    return news;
  }
}

function compare(entry: RosterEntry, ownFingerprint: string): 'equal' | 'different' | 'silent' {
  if (entry.key_fp === null) return 'silent';
  const theirs = entry.key_fp.toLowerCase();
  const own = ownFingerprint.toLowerCase();
  // Clients may tell between 8 and 64 digits of the same hash.
  return theirs.startsWith(own) || own.startsWith(theirs) ? 'equal' : 'different';
}
