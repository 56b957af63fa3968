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
