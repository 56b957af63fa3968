import type { Capsule, NegativeDecision, RationaleEntry } from '@parley/protocol/continuity/capsule';
import {
  NEGATIVE_DECISIONS,
  RATIONALE_ENTRIES,
  STABLE_PREFERENCES,
} from '@parley/protocol/continuity/limits';
import type { Report } from '../../wire/memory/errors.ts';
import { checkText, checkTexts } from './texts-check.ts';
import type { TimeCheck } from './time-check.ts';

export function checkNegativeDecisions(
  entries: readonly NegativeDecision[],
  times: TimeCheck,
  report: Report,
): void {
  const list = 'continuity.negative_decisions';
  const seen = new Set<string>();
  for (const entry of entries) {
    checkText(entry.decision, `${list}.decision`, NEGATIVE_DECISIONS.decision, report);
    checkText(entry.rationale, `${list}.rationale`, NEGATIVE_DECISIONS.rationale, report);
    times.entry(entry, list);
    if (seen.has(entry.decision)) report(list, `Duplicate negative_decisions decision: ${entry.decision}`);
    seen.add(entry.decision);
  }
}

const ALTERNATIVES = { ...RATIONALE_ENTRIES.alternatives, least: 1 };
const DEPENDS_ON = { ...RATIONALE_ENTRIES.dependsOn, least: 1 };

export function checkRationale(entries: readonly RationaleEntry[], times: TimeCheck, report: Report): void {
  const list = 'continuity.rationale_entries';
  for (const entry of entries) {
    checkText(entry.tag, `${list}[].tag`, RATIONALE_ENTRIES.tag, report);
    checkText(entry.summary, `${list}[].summary`, RATIONALE_ENTRIES.summary, report);
    checkText(entry.reasoning, `${list}[].reasoning`, RATIONALE_ENTRIES.reasoning, report);
    checkTexts(entry.alternatives_considered, `${list}[].alternatives_considered`, ALTERNATIVES, report);
    checkTexts(entry.depends_on, `${list}[].depends_on`, DEPENDS_ON, report);
    times.entry(entry, list);
  }
}

/** Tags are unique, and whatever is superseded says so itself. */
export function checkSupersession(entries: readonly RationaleEntry[], report: Report): void {
  const list = 'continuity.rationale_entries';
  const statuses = new Map<string, string>();
  for (const { tag, status } of entries) {
    if (statuses.has(tag)) report(list, `Duplicate rationale_entries tag: ${tag}`);
    else statuses.set(tag, status);
  }
  for (const { tag, supersedes } of entries) {
    if (supersedes === undefined) continue;
    if (supersedes === tag) {
      report(list, `rationale_entries[].supersedes must not reference its own tag '${tag}'`);
    } else if (statuses.get(supersedes) !== 'superseded') {
      report(
        list,
        `rationale_entries[].supersedes references tag '${supersedes}' which does not exist with status 'superseded'`,
      );
    }
  }
}

/** The schema lets no empty text in, so one that is empty here was blank before it was trimmed. */
export function checkPreferences(capsule: Capsule, times: TimeCheck, report: Report): void {
  const { stable_preferences: entries, subject_kind: kind } = capsule;
  if (entries.length === 0) return;
  if (kind === 'thread' || kind === 'task') {
    report('stable_preferences', 'stable_preferences is only allowed for user and peer capsules');
  }
  const seen = new Set<string>();
  for (const entry of entries) {
    times.entry(entry, 'stable_preferences');
    checkText(entry.tag, 'stable_preferences[].tag', STABLE_PREFERENCES.tag, report);
    checkText(entry.content, 'stable_preferences[].content', STABLE_PREFERENCES.content, report);
    if (seen.has(entry.tag)) report('stable_preferences', `Duplicate stable_preferences tag: ${entry.tag}`);
    seen.add(entry.tag);
  }
}
