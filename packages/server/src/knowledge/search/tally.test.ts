import { describe, expect, test } from 'vitest';
import { FileSet } from '../index/file-set.ts';
import { Tally } from './tally.ts';

const setOf = (...ids: number[]): FileSet => new FileSet(Float64Array.from(ids));

describe('a tally', () => {
  test.each([
    ['close together', 1_000, 1_010],
    ['far apart', 1_000, 9_000_000_000],
  ])('of files whose numbers are %s has what each is worth', (_, first, last) => {
    const sets = [setOf(first, last), FileSet.empty, setOf(first + 1, last), setOf(first + 2)];
    const tally = new Tally(sets);
    for (const [at, set] of sets.entries()) tally.addAll(set, at + 1);
    tally.add(first + 2, -5);
    const worth = { [first]: 1, [first + 1]: 3, [first + 2]: 0, [first + 3]: 0, [last]: 4 };
    for (const [id, points] of Object.entries(worth))
      expect([id, tally.get(Number(id))]).toEqual([id, points]);
    const seen = new Map<number, number>();
    tally.forEach((id, sum) => seen.set(id, sum));
    expect(seen).toEqual(
      new Map([
        [first, 1],
        [first + 1, 3],
        [last, 4],
      ]),
    );
    expect(tally.between(1, 3).toSorted((a, b) => a - b)).toEqual([first, first + 1]);
    expect(tally.between(4, 9)).toEqual([last]);
    expect(tally.between(2, 2)).toEqual([]);
  });

  test('counts how many have each sum, also when they come in turns', () => {
    const tally = new Tally([setOf(1, 2, 3, 4, 5, 6)]);
    for (const [id, points] of [
      [1, 2],
      [2, 2],
      [3, 7],
      [4, 2],
      [6, 7],
    ] as const)
      tally.add(id, points);
    expect(tally.sizes()).toEqual(
      new Map([
        [2, 3],
        [7, 2],
      ]),
    );
    expect(new Tally([setOf(1)]).sizes()).toEqual(new Map());
  });

  test('of nothing has nothing', () => {
    const tally = new Tally([FileSet.empty]);
    expect([tally.get(1), tally.between(0, 9), tally.sizes().size]).toEqual([0, [], 0]);
  });
});
