import type { Capsule } from '@parley/protocol/continuity/capsule';
import {
  CAPSULE_FIELDS,
  ENTRY_TIMES,
  type Field,
  STATE_FIELDS,
} from '@parley/protocol/continuity/capsule-fields';
import type { Remains } from '../artifacts/recent-capsules.ts';
import type { EntryTimes } from '../rules/time-check.ts';
import { sameJson } from './same-json.ts';

/** How the entries of one list are told apart, and what they say. */
interface EntryRule {
  readonly key: string;
  readonly content: readonly string[];
}

function ruleOf({ key: [key = ''] = [], fields = {} }: Field): EntryRule {
  return {
    key,
    content: Object.keys(fields).filter((name) => name !== key && !Object.hasOwn(ENTRY_TIMES, name)),
  };
}

const DECISION = ruleOf(STATE_FIELDS.negative_decisions);
const RATIONALE = ruleOf(STATE_FIELDS.rationale_entries);
const PREFERENCE = ruleOf(CAPSULE_FIELDS.stable_preferences);

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

type Entry = EntryTimes & { readonly [name: string]: unknown };

function stampList(
  entries: readonly Entry[],
  stored: readonly Entry[] = [],
  { key, content }: EntryRule,
  writtenAt: string,
): void {
  for (const entry of entries) {
    const before = stored.find((candidate) => candidate[key] === entry[key]);
    // A list that was kept holds the stored entries themselves.
    if (before === entry && entry.created_at !== undefined && entry.updated_at !== undefined) continue;
    const created = before ? (before.created_at ?? before.updated_at ?? writtenAt) : writtenAt;
    const unchanged = before !== undefined && content.every((name) => sameJson(entry[name], before[name]));
    const confirmed = entry.last_confirmed_at ?? before?.last_confirmed_at;
    const updated = unchanged ? (before.updated_at ?? created) : writtenAt;
    entry.created_at = created;
    entry.updated_at = updated;
    if (confirmed !== undefined) entry.last_confirmed_at = confirmed;
  }
}
