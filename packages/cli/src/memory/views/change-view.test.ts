import { expect, test } from 'vitest';
import { showChange } from './change-view.ts';
import { Page } from '../page.ts';
import { terminalOf } from '../terminal.ts';

function shown(change: Parameters<typeof showChange>[1]): string {
  const page = new Page(terminalOf({ columns: 80, isTTY: false }, {}));
  showChange(page, change);
  return page.toString();
}

const rationale = (summary: string) => ({ tag: 'ttl', kind: 'decision', summary, depends_on: [] });
const against = (reason: string) => ({ decision: 'no cron', rationale: reason });

test('of an entry that kept its name, only what it now says differently', () => {
  const other = { tag: 'zone', kind: 'decision', summary: 'in UTC', depends_on: [] };
  expect(
    shown({
      path: 'continuity.rationale_entries',
      before: [other, rationale('six hours')],
      after: [other, rationale('one day')],
      added: [],
      removed: [],
      changed: ['ttl'],
    }),
  ).toBe(`\
Rationale entries
  ~ ttl
    summary
      - six hours
      + one day`);
});

test('a decision against something is named by what was decided', () => {
  expect(
    shown({
      path: 'continuity.negative_decisions',
      before: [against('too coarse')],
      after: [against('not on every machine')],
      added: [],
      removed: [],
      changed: ['no cron'],
    }),
  ).toBe(`\
Negative decisions
  ~ no cron
    rationale
      - too coarse
      + not on every machine`);
});

test('a list whose entries only moved says so', () => {
  const [first, second] = ['measure', 'decide'];
  expect(
    shown({
      path: 'continuity.open_loops',
      before: [first, second],
      after: [second, first],
      added: [],
      removed: [],
      changed: [],
    }),
  ).toBe('Open loops\n  in another order');
});

const pair = (before: unknown, after: unknown): string => shown({ path: 'metadata.count', before, after });

test('what went and what came: lists line by line, objects with their main words first, without what is empty', () => {
  expect(pair(3, ['one', 'two'])).toBe('Metadata count\n  - 3\n  + one\n  + two');
  expect(pair(null, 'text')).toBe('Metadata count\n  + text');
  expect(pair(false, undefined)).toBe('Metadata count\n  - false');
  expect(pair({ kind: 'repo', value: 'tides' }, { kind: 'repo', note: 5 })).toBe(
    'Metadata count\n  - repo:tides\n  + kind: repo\n  + note: 5',
  );
  const whole = {
    kind: 'decision',
    tag: 'ttl',
    summary: 'six hours',
    depends_on: ['a', 'b'],
    supersedes: null,
  };
  expect(pair({ tag: 'ttl', content: 'short', aliases: [] }, whole)).toBe(
    'Metadata count\n  - ttl: short\n  + ttl: six hours (kind: decision; depends on: a, b)',
  );
  expect(pair({ source: { producer: 'ann', inputs: [] } }, {})).toBe(
    'Metadata count\n  - source: producer: ann',
  );
});

test('entries that went or came stand with a sign each, and one without fields as a pair', () => {
  const lists = { before: ['gone', 'kept'], after: ['kept', 'new'] };
  expect(
    shown({ path: 'continuity.open_loops', ...lists, removed: ['gone'], added: ['new'], changed: [] }),
  ).toBe('Open loops\n  - gone\n  + new');
  // Told without what was removed, it is shown as a whole.
  expect(shown({ path: 'continuity.open_loops', ...lists, added: ['new'] })).toBe(
    'Open loops\n  - gone\n  - kept\n  + kept\n  + new',
  );
  expect(
    shown({
      path: 'stable_preferences',
      before: 'not a list',
      after: [{ tag: 'tone', content: 'dry' }],
      added: [],
      removed: [],
      changed: ['tone'],
    }),
  ).toBe('Stable preferences\n  ~ tone\n    + tone: dry');
});
