import { describe, expect, test } from 'vitest';
import { Page } from './page.ts';
import { type Column, type Row, showTable } from './table.ts';
import { type Stream, terminalOf } from './terminal.ts';

const ESC = '\u001b';
const pageOf = (columns: number, isTTY = false): Page => new Page(terminalOf({ columns, isTTY }, {}));

const coloured = (stream: Stream, env: Record<string, string>): boolean =>
  terminalOf(stream, env).style('red', 'x') !== 'x';
const row = (...cells: string[]): Row => ({ cells: cells.map((text) => ({ text })) });

describe('memory view › terminal', () => {
  test('colours are for terminals, and never with NO_COLOR', () => {
    expect(coloured({ isTTY: true }, { TERM: 'xterm' })).toBe(true);
    expect(coloured({ isTTY: true }, { TERM: 'xterm', NO_COLOR: '1' })).toBe(false);
    expect(coloured({ isTTY: true }, { TERM: 'xterm', NO_COLOR: '' })).toBe(true);
    expect(coloured({ isTTY: true }, { TERM: 'dumb' })).toBe(false);
    expect(coloured({}, { TERM: 'xterm' })).toBe(false);
  });

  test('the width is that of the terminal, else of COLUMNS, else 80, and without a terminal without end', () => {
    expect(terminalOf({ columns: 132 }, { COLUMNS: '40' }).columns).toBe(132);
    expect(terminalOf({}, { COLUMNS: '40' }).columns).toBe(40);
    expect(terminalOf({ isTTY: true }, { COLUMNS: 'wide' }).columns).toBe(80);
    expect(terminalOf({ isTTY: true }, {}).columns).toBe(80);
    expect(terminalOf({}, {}).columns).toBe(Number.POSITIVE_INFINITY);
    expect(terminalOf({ columns: 3 }, {}).columns).toBe(20);
  });
});

describe('memory view › page', () => {
  test('further lines of a text stand under its first', () => {
    const page = pageOf(24);
    page.item('-', { text: 'one two three four five six' });
    expect(page.toString()).toBe('  - one two three four\n    five six');
  });

  test('a time is told to people as how long ago it was, to programs as it is', () => {
    const at = { text: '2 hours ago', raw: '2026-06-01T09:00:00.000Z' };
    const [pipe, terminal] = [pageOf(60), pageOf(60, true)];
    for (const page of [pipe, terminal]) page.fact('Sent', at, 4);
    expect(pipe.toString()).toBe(`  Sent  ${at.raw}`);
    expect(terminal.toString()).toContain(at.text);
  });

  test('blanks within a line stay, as far as it fits', () => {
    const page = pageOf(24);
    page.text({ text: 'if x:\n    y  = 1' }, 2);
    expect(page.toString()).toBe('  if x:\n      y  = 1');
  });

  test('nothing written by others stands at the left edge', () => {
    const page = pageOf(24);
    page.text({ text: 'task/x: label\nTrust' });
    page.text({ text: `${'a'.repeat(22)} Trust` });
    page.item('-', { text: 'item\nTrust' });
    expect(page.toString().split('\n').slice(0, 2)).toEqual(['task/x: label', '  Trust']);
    expect(page.toString()).not.toMatch(/^Trust/m);
  });

  test('a style is around the harmless text, not inside it', () => {
    const page = pageOf(24, true);
    page.text({ text: `${ESC}[0mx`, style: 'red' });
    expect(page.toString()).toBe(`${ESC}[31m\\x1b[0mx${ESC}[39m`);
  });

  test('a name stands beside its fact, and above it where there is little room', () => {
    const wide = pageOf(60);
    wide.fact('Health', { text: 'healthy' }, 12);
    expect(wide.toString()).toBe('  Health        healthy');
    const narrow = pageOf(30);
    narrow.fact('Health', { text: 'healthy' }, 12);
    expect(narrow.toString()).toBe('  Health\n    healthy');
  });
});

describe('memory view › table', () => {
  const columns: Column[] = [
    { title: 'SUBJECT', rank: 0, least: 8 },
    { title: 'STATE', rank: 1 },
    { title: 'UPDATED', rank: 2 },
  ];
  const table = (width: number, rows: Row[]): string => {
    const page = new Page(terminalOf({ columns: width, isTTY: true }, { NO_COLOR: '1' }));
    showTable(page, columns, rows);
    return page.toString();
  };

  test('is as wide as what it shows', () => {
    expect(table(80, [row('user/a', 'active', '2026'), row('user/漢字', 'cold', '')])).toBe(
      ['SUBJECT    STATE   UPDATED', 'user/a     active  2026', 'user/漢字  cold'].join('\n'),
    );
  });

  test('leaves out the columns that matter least, and wraps the first', () => {
    expect(table(20, [row('user/abcdefghijkl', 'active', '2026')])).toBe(
      ['SUBJECT       STATE', 'user/abcdef   active', ' ghijkl'].join('\n'),
    );
  });

  test('leaves out a column that is empty', () => {
    expect(table(80, [row('user/a', '', '2026')])).toBe('SUBJECT  UPDATED\nuser/a   2026');
  });

  test('a cell cannot pass for another row', () => {
    const shown = table(40, [row('user/x\nuser/y', `${ESC}[1mactive`, '')]);
    expect(shown.split('\n')).toHaveLength(2);
    expect(shown).not.toContain(ESC);
  });

  test('is rows with tabs for a program that reads it, with every cell and whole times', () => {
    const page = pageOf(20);
    const cells = [
      { text: 'user/\ta\nb' },
      { text: '' },
      { text: '2 days ago', raw: '2026-04-01T09:00:00Z' },
    ];
    showTable(page, columns, [{ cells }]);
    page.aside('1 capsule');
    expect(page.toString()).toBe('user/ a b\t\t2026-04-01T09:00:00Z');
    expect(page.asides).toEqual(['1 capsule']);
  });

  test('a note under the row is not broken', () => {
    expect(table(20, [{ ...row('user/a', 'archived', ''), note: 'memory/archive/user-a.json' }])).toBe(
      ['SUBJECT  STATE', 'user/a   archived', '  memory/archive/user-a.json'].join('\n'),
    );
  });
});
