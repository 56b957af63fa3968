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
  const preferences = cleanEntries(capsule.stable_preferences, {
    strip: 'strip:stable_preferences',
    dedup: 'dedup:stable_preferences',
    trimmed: ['tag', 'content'],
    key: 'tag',
    applied,
  });
  const rationale = cleanEntries(continuity.rationale_entries, {
    strip: 'strip:rationale_entries.tag',
    dedup: 'dedup:rationale_entries',
    trimmed: ['tag'],
    key: 'tag',
    applied,
  });
  const decisions = cleanEntries(continuity.negative_decisions, {
    strip: 'strip:negative_decisions',
    dedup: 'dedup:negative_decisions',
    trimmed: ['decision', 'rationale'],
    key: 'decision',
    applied,
  });
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
  readonly strip: string;
  readonly dedup: string;
  readonly trimmed: readonly (keyof Entry & string)[];
  readonly key: keyof Entry & string;
  readonly applied: string[];
}

/** Of entries with the same key the last one stays, where it stands. */
function cleanEntries<Entry extends object>(entries: Entry[], rule: EntryRule<Entry>): Entry[] {
  let current = entries;
  const isBlankish = (entry: Entry): boolean =>
    rule.trimmed.some((key) => {
      const text = String(entry[key]);
      return text !== text.trim();
    });
  if (current.some(isBlankish)) {
    current = current.map((entry) => {
      const trimmed = Object.fromEntries(rule.trimmed.map((key) => [key, String(entry[key]).trim()]));
      return { ...entry, ...trimmed };
    });
    rule.applied.push(rule.strip);
  }
  if (hasRepeats(current.map((entry) => entry[rule.key]))) {
    const last = new Map(current.map((entry, index) => [entry[rule.key], index]));
    current = current.filter((entry, index) => last.get(entry[rule.key]) === index);
    rule.applied.push(rule.dedup);
  }
  return current;
}
