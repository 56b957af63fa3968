import type {
  Capsule,
  NegativeDecision,
  RationaleEntry,
  StablePreference,
} from '@parley/protocol/continuity/capsule';
import type { Remains } from '../artifacts/recent-capsules.ts';
import type { EntryTimes } from '../rules/time-check.ts';

/** How the entries of one list are told apart, and when two of them say the same. */
interface EntryRule<Entry> {
  key(entry: Entry): string;
  same(a: Entry, b: Entry): boolean;
}

const DECISION: EntryRule<NegativeDecision> = {
  key: (entry) => entry.decision,
  same: (a, b) => a.rationale === b.rationale,
};

const RATIONALE: EntryRule<RationaleEntry> = {
  key: (entry) => entry.tag,
  same: (a, b) =>
    a.kind === b.kind &&
    a.status === b.status &&
    a.summary === b.summary &&
    a.reasoning === b.reasoning &&
    a.supersedes === b.supersedes &&
    sameTexts(a.alternatives_considered, b.alternatives_considered) &&
    sameTexts(a.depends_on, b.depends_on),
};

const PREFERENCE: EntryRule<StablePreference> = {
  key: (entry) => entry.tag,
  same: (a, b) => a.content === b.content,
};

/**
 * Dates of structured entries are ours: when an entry came, and when its content last changed. Written into the entries
 * of `capsule`, which is the caller's alone.
 */
export function stamp(capsule: Capsule, stored: Remains | undefined, time: string): Capsule {
  const { continuity } = capsule;
  // Ours end in Z, whichever of the two spellings of UTC the author uses.
  const writtenAt = time.endsWith('Z') ? time : time.replace(/\+00:00$/, 'Z');
  const before = stored?.continuity;
  stampList(continuity.negative_decisions, before?.negative_decisions, DECISION, writtenAt);
  stampList(continuity.rationale_entries, before?.rationale_entries, RATIONALE, writtenAt);
  stampList(capsule.stable_preferences, stored?.stable_preferences, PREFERENCE, writtenAt);
  return capsule;
}

function stampList<Entry extends EntryTimes>(
  entries: readonly Entry[],
  stored: readonly Entry[] = [],
  rule: EntryRule<Entry>,
  writtenAt: string,
): void {
  for (const entry of entries) {
    const key = rule.key(entry);
    const before = stored.find((candidate) => rule.key(candidate) === key);
    // A list that was kept holds the stored entries themselves.
    if (before === entry && entry.created_at !== undefined && entry.updated_at !== undefined) continue;
    const created = before ? (before.created_at ?? before.updated_at ?? writtenAt) : writtenAt;
    const unchanged = before !== undefined && rule.same(entry, before);
    const confirmed = entry.last_confirmed_at ?? before?.last_confirmed_at;
    const updated = unchanged ? (before.updated_at ?? created) : writtenAt;
    entry.created_at = created;
    entry.updated_at = updated;
    if (confirmed !== undefined) entry.last_confirmed_at = confirmed;
  }
}

const sameTexts = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, index) => text === b[index]);
