import { DATED_LISTS } from '@parley/protocol/continuity/capsule-fields';
import { isObject } from '@parley/protocol/json';
import { EPOCH, parseInstant } from './instant.ts';

type Loose = Record<string, unknown>;

/**
 * A stored document of an older make, in today's form, or why it cannot be one. In memory only: the document itself
 * changes with the next write. What a whole field is missing from is not repaired.
 */
export function upgradeStored(stored: Readonly<Loose>): Loose | string {
  const version = stored.schema_version ?? '';
  if (version !== '' && version !== '1.0' && version !== '1.1') return 'unsupported schema_version';
  for (const key of ['updated_at', 'verified_at']) {
    if (!Object.hasOwn(stored, key)) return `${key}: Field required`;
  }
  const updated = timeOf(stored.updated_at);
  const verified = timeOf(stored.verified_at);
  const upgraded: Loose = {
    ...stored,
    schema_version: '1.1',
    updated_at: repaired(updated, verified),
    verified_at: repaired(verified, updated),
  };
  const entriesAt = updated.kind === 'good' ? updated.text : undefined;
  if (Array.isArray(stored.stable_preferences)) {
    upgraded.stable_preferences = stored.stable_preferences.map((entry) => datedEntry(entry, entriesAt));
  }
  if (isObject(stored.continuity)) {
    const continuity: Loose = { ...stored.continuity };
    for (const list of DATED_LISTS) {
      const entries = continuity[list];
      if (Array.isArray(entries)) continuity[list] = entries.map((entry) => datedEntry(entry, entriesAt));
    }
    upgraded.continuity = continuity;
  }
  return upgraded;
}

type Time = { readonly kind: 'good'; readonly text: string } | { readonly kind: 'blank' | 'bad' };

function timeOf(value: unknown): Time {
  if (value === null || (typeof value === 'string' && value.trim() === '')) return { kind: 'blank' };
  const parsed = typeof value === 'string' ? parseInstant(value) : 'malformed';
  return typeof parsed === 'string' ? { kind: 'bad' } : { kind: 'good', text: parsed.canonical };
}

/** A blank time borrows the other; one that cannot be read is nobody's. */
function repaired(time: Time, other: Time): string {
  if (time.kind === 'good') return time.text;
  return time.kind === 'blank' && other.kind === 'good' ? other.text : EPOCH;
}

function datedEntry(entry: unknown, fallback: string | undefined): unknown {
  if (!isObject(entry)) return entry;
  if (entry.created_at != null && entry.updated_at != null && !Object.hasOwn(entry, 'set_at')) return entry;
  const { set_at: setAt, ...rest } = entry;
  const known = typeof setAt === 'string' ? setAt : fallback;
  if (known === undefined) return rest;
  return { ...rest, created_at: rest.created_at ?? known, updated_at: rest.updated_at ?? known };
}
