import type {
  Capsule,
  NegativeDecision,
  RationaleEntry,
  StablePreference,
} from '@parley/protocol/continuity/capsule';
import { sameJson } from './same-json.ts';
import type { EntryTimes } from './time-check.ts';

/** Dates of structured entries are ours: when an entry came, and when its content last changed. */
export function stamp(capsule: Capsule, stored: Capsule | undefined, writtenAt: string): Capsule {
  const { continuity } = capsule;
  return {
    ...capsule,
    continuity: {
      ...continuity,
      negative_decisions: stampList<NegativeDecision>(
        continuity.negative_decisions,
        stored?.continuity.negative_decisions ?? [],
        'decision',
        writtenAt,
      ),
      rationale_entries: stampList<RationaleEntry>(
        continuity.rationale_entries,
        stored?.continuity.rationale_entries ?? [],
        'tag',
        writtenAt,
      ),
    },
    stable_preferences: stampList<StablePreference>(
      capsule.stable_preferences,
      stored?.stable_preferences ?? [],
      'tag',
      writtenAt,
    ),
  };
}

function stampList<Entry extends EntryTimes>(
  entries: readonly Entry[],
  stored: readonly Entry[],
  key: keyof Entry,
  writtenAt: string,
): Entry[] {
  return entries.map((entry) => {
    const before = stored.find((candidate) => candidate[key] === entry[key]);
    return { ...entry, ...timesOf(entry, before, writtenAt) };
  });
}

function timesOf<Entry extends EntryTimes>(
  entry: Entry,
  before: Entry | undefined,
  writtenAt: string,
): EntryTimes {
  const confirmed = entry.last_confirmed_at ?? before?.last_confirmed_at;
  const last = confirmed === undefined ? {} : { last_confirmed_at: confirmed };
  if (!before) return { created_at: writtenAt, updated_at: writtenAt, ...last };
  const created = before.created_at ?? before.updated_at ?? writtenAt;
  const changed = !saysTheSame(entry, before);
  return { created_at: created, updated_at: changed ? writtenAt : (before.updated_at ?? created), ...last };
}

/** Everything but the dates. */
function saysTheSame(a: object, b: object): boolean {
  const left = Object.entries(a).filter(isContent);
  const right = new Map(Object.entries(b).filter(isContent));
  return (
    left.length === right.size &&
    left.every(
      ([key, value]) => value === right.get(key) || (right.has(key) && sameJson(value, right.get(key))),
    )
  );
}

const DATES = new Set(['created_at', 'updated_at', 'last_confirmed_at']);
const isContent = ([key, value]: [string, unknown]): boolean => value !== undefined && !DATES.has(key);
