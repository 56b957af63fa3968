import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SlowStatements } from './slow-statements.ts';

/** Notes a statement that took so long, by a clock that stands still. */
const noting = () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(50_000);
  onTestFinished(() => now.mockRestore());
  const statements = new SlowStatements();
  return { statements, note: (text: string, ms: number) => statements.note(() => text, 50_000 - ms) };
};

describe('slow statements', () => {
  test('are counted by their text, from five milliseconds on', () => {
    const { statements, note } = noting();
    note('SELECT 1', 4.9);
    expect(statements.slowest(10)).toEqual([]);
    note('SELECT  1\n  FROM a ', 5);
    note('SELECT 1 FROM a', 8);
    note('SELECT 1 FROM a', 6);
    const lastAt = performance.timeOrigin + 50_000;
    expect(statements.slowest(10)).toEqual([
      { text: 'SELECT 1 FROM a', count: 3, totalMs: 19, longestMs: 8, lastAt },
    ]);
  });

  test('are told the slowest first, as many as are asked for, and the beginning of a long one', () => {
    const { statements, note } = noting();
    for (const [text, ms] of [
      ['a', 6],
      ['b', 20],
      ['c', 7],
    ] as const)
      note(text.repeat(700), ms);
    expect(statements.slowest(2).map(({ text }) => text)).toEqual(['b'.repeat(600), 'c'.repeat(600)]);
  });

  test('are a hundred: the quickest goes when there is one more', () => {
    const { statements, note } = noting();
    for (let n = 0; n < 100; n += 1) note(`SELECT ${n}`, n === 40 ? 5 : 10 + n);
    expect(statements.slowest(200)).toHaveLength(100);
    note('SELECT 100', 9);
    const kept = statements.slowest(200).map(({ text }) => text);
    expect(kept).toHaveLength(100);
    expect(kept).toContain('SELECT 100');
    expect(kept).not.toContain('SELECT 40');
  });
});
