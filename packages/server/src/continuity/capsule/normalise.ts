import type { Capsule } from '@parley/protocol/continuity/capsule';
import { TEXT_LISTS } from '@parley/protocol/continuity/capsule-fields';

export interface Normalised {
  readonly capsule: Capsule;
  /** One code for each step that changed something, in the order of the steps. */
  readonly applied: string[];
}

/** Trims, drops what is empty and folds what is said twice. Clean data comes back as it is. */
export function normalise(capsule: Capsule): Normalised {
  const applied: string[] = [];
  const { continuity } = capsule;
  const lists = TEXT_LISTS.map((name) => cleanTexts(continuity[name], `continuity.${name}`, applied));
  const sources = cleanTexts(capsule.canonical_sources, 'canonical_sources', applied);
  const preferences = cleanEntries(
    capsule.stable_preferences,
    { list: 'stable_preferences', trimmed: ['tag', 'content'] },
    applied,
  );
  const rationale = cleanEntries(
    continuity.rationale_entries,
    { list: 'rationale_entries', strip: 'rationale_entries.tag', trimmed: ['tag'] },
    applied,
  );
  const decisions = cleanEntries(
    continuity.negative_decisions,
    { list: 'negative_decisions', trimmed: ['decision', 'rationale'] },
    applied,
  );
  if (applied.length === 0) return { capsule, applied };
  const cleaned = {
    ...continuity,
    ...Object.fromEntries(TEXT_LISTS.map((name, index) => [name, lists[index]])),
    rationale_entries: rationale,
    negative_decisions: decisions,
  };
  return {
    capsule: { ...capsule, continuity: cleaned, canonical_sources: sources, stable_preferences: preferences },
    applied,
  };
}

function cleanTexts(items: string[], path: string, applied: string[]): string[] {
  let current = items;
  if (current.some((item) => item !== item.trim())) {
    current = current.map((item) => item.trim());
    applied.push(`strip:${path}`);
  }
  if (current.includes('')) {
    current = current.filter((item) => item !== '');
    applied.push(`drop_empty:${path}`);
  }
  if (hasRepeats(current)) {
    current = [...new Set(current)];
    applied.push(`dedup:${path}`);
  }
  return current;
}

/** For lists of a dozen at most, comparing is cheaper than hashing. */
function hasRepeats(items: readonly unknown[]): boolean {
  for (let later = 1; later < items.length; later += 1) {
    for (let earlier = 0; earlier < later; earlier += 1) if (items[earlier] === items[later]) return true;
  }
  return false;
}

interface EntryRule<Entry> {
  readonly list: string;
  /** What trimming is told as, where that is not the whole list. */
  readonly strip?: string;
  /** The first of them is what entries are told apart by. */
  readonly trimmed: readonly [keyof Entry & string, ...(keyof Entry & string)[]];
}

/** Of entries with the same key the last one stays, where it stands. */
function cleanEntries<Entry extends object>(
  entries: Entry[],
  { list, strip = list, trimmed }: EntryRule<Entry>,
  applied: string[],
): Entry[] {
  let current = entries;
  const [key] = trimmed;
  const isBlankish = (entry: Entry): boolean =>
    trimmed.some((name) => {
      const text = String(entry[name]);
      return text !== text.trim();
    });
  if (current.some(isBlankish)) {
    current = current.map((entry) => ({
      ...entry,
      ...Object.fromEntries(trimmed.map((name) => [name, String(entry[name]).trim()])),
    }));
    applied.push(`strip:${strip}`);
  }
  if (hasRepeats(current.map((entry) => entry[key]))) {
    const last = new Map(current.map((entry, index) => [entry[key], index]));
    current = current.filter((entry, index) => last.get(entry[key]) === index);
    applied.push(`dedup:${list}`);
  }
  return current;
}
