import type { RosterEntry } from '@parley/protocol/channels/types';

/** Compares the key fingerprints others reported when they joined. A convenience: the handshake is the proof. */
export interface KeyCheck {
  readonly verdict: 'alone' | 'verified' | 'partial' | 'unverified' | 'mismatch';
  readonly equal: readonly string[];
  readonly different: readonly string[];
  readonly unknown: readonly string[];
}

export function checkKeys(roster: readonly RosterEntry[], ownName: string, ownFingerprint: string): KeyCheck {
  const others = roster.filter((entry) => entry.name !== ownName);
  const named = (belongs: (entry: RosterEntry) => boolean) => others.filter(belongs).map((entry) => entry.name);
  const equal = named((entry) => entry.key_fp === ownFingerprint);
  const unknown = named((entry) => entry.key_fp === null);
  const different = named((entry) => entry.key_fp !== null && entry.key_fp !== ownFingerprint);
  return { verdict: verdictOf(others.length, equal.length, different.length), equal, different, unknown };
}

function verdictOf(others: number, equal: number, different: number): KeyCheck['verdict'] {
  if (others === 0) return 'alone';
  if (equal === 0 && different === 0) return 'unverified';
  if (equal === 0) return 'mismatch';
  return different === 0 ? 'verified' : 'partial';
}
