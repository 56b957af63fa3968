import type { FieldChange } from '@parley/protocol/continuity/list-answers';
import { isObject } from '@parley/protocol/json';
import type { Page } from '../page.ts';
import { nameOf, titleOf } from '../words.ts';

/** What went, with a minus; what came, with a plus. */
export function showChange(page: Page, change: FieldChange): void {
  page.heading(titleOf(change.path));
  const { added, removed, changed = [] } = change;
  if (!added || !removed) {
    showPair(page, change.before, change.after, 2);
    return;
  }
  for (const item of removed) minus(page, item, 2);
  for (const item of added) plus(page, item, 2);
  for (const name of changed) showEntry(page, name, named(change.before, name), named(change.after, name));
  if (added.length + removed.length + changed.length === 0) page.text({ text: 'in another order' }, 2);
}

/** An entry that kept its name: only what it now says differently. */
function showEntry(page: Page, name: string, before: unknown, after: unknown): void {
  page.item('~', { text: name, style: 'yellow' });
  if (!isObject(before) || !isObject(after)) {
    showPair(page, before, after, 4);
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [left, right] = [before[key], after[key]];
    if (JSON.stringify(left) === JSON.stringify(right)) continue;
    page.text({ text: nameOf(key), style: 'dim' }, 4);
    showPair(page, left, right, 6);
  }
}

function showPair(page: Page, before: unknown, after: unknown, indent: number): void {
  minus(page, before, indent);
  plus(page, after, indent);
}

const minus = (page: Page, value: unknown, indent: number): void => {
  for (const text of linesOf(value)) page.item('-', { text, style: 'red' }, indent);
};
const plus = (page: Page, value: unknown, indent: number): void => {
  for (const text of linesOf(value)) page.item('+', { text, style: 'green' }, indent);
};

/** A list line by line, an object with its main words first; nothing for what is not there. */
function linesOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap(linesOf);
  if (!isObject(value)) return [typeof value === 'string' ? value : JSON.stringify(value)];
  const { kind, value: anchored } = value;
  if (typeof kind === 'string' && typeof anchored === 'string') return [`${kind}:${anchored}`];
  const main = MAIN.map((key) => value[key]).filter((each) => typeof each === 'string');
  const rest = Object.entries(value).filter(([key, each]) => !MAIN.includes(key) && !isEmpty(each));
  const notes = rest.map(([key, each]) => `${nameOf(key)}: ${inline(each)}`);
  if (main.length === 0) return notes;
  return [main.join(': ') + (notes.length === 0 ? '' : ` (${notes.join('; ')})`)];
}

/** What an entry is called, and what it says. */
const MAIN: readonly string[] = ['tag', 'decision', 'label', 'content', 'summary', 'rationale', 'path'];

function inline(value: unknown): string {
  if (Array.isArray(value)) return value.map(inline).join(', ');
  return linesOf(value).join(', ');
}

const isEmpty = (value: unknown): boolean => value == null || (Array.isArray(value) && value.length === 0);

/** The entry of that name, as the server matched it. */
function named(list: unknown, name: string): unknown {
  if (!Array.isArray(list)) return undefined;
  return list.find((item: unknown) => isObject(item) && (item['tag'] === name || item['decision'] === name));
}
