import { describe, expect, test } from 'vitest';
import { FileSet, numbersIn } from './file-set.ts';

const setOf = (...ids: number[]): FileSet => new FileSet(Float64Array.from(ids));
const idsOf = (set: FileSet): number[] => {
  const ids: number[] = [];
  set.forEach((id) => ids.push(id));
  return ids;
};

describe('a set of files', () => {
  test.each([
    ['close together', [7, 3, 5, 3, 34, 35, 66, 67, 99]],
    ['one beside the other', Array.from({ length: 200 }, (_, n) => 1_000_064 - n)],
    ['far apart', [9, 5_000_000_000, 9, 70_000, 1]],
    ['one alone', [4_294_967_296]],
    ['on both sides of nought', [-40, 0, 31, 32]],
  ])('whose numbers are %s has each once, rising', (_, ids) => {
    const rising = [...new Set(ids)].toSorted((a, b) => a - b);
    const set = setOf(...ids);
    expect(idsOf(set)).toEqual(rising);
    expect([set.size, set.first, set.last]).toEqual([rising.length, rising[0], rising.at(-1)]);
  });

  test('of none has none', () => {
    expect([idsOf(FileSet.empty), FileSet.empty.size, FileSet.empty.bytes]).toEqual([[], 0, 0]);
  });

  test('takes a bit for each number in a row, and eight bytes for each that is far from the others', () => {
    expect(setOf(1, 32).bytes).toBe(4);
    expect(setOf(1, 33).bytes).toBe(8);
    expect(setOf(1, 2, 1_000_000).bytes).toBe(24);
  });

  test('is changed into another, and stays itself', () => {
    for (const set of [setOf(1, 2, 3), setOf(1, 500_000, 3)]) {
      const before = idsOf(set);
      const kept = before.filter((id) => id !== 3);
      expect(idsOf(set.changed(new Set([3, 8]), [4, 4, 1]))).toEqual([...kept, 4].toSorted((a, b) => a - b));
      expect(idsOf(set.changed(new Set(before), []))).toEqual([]);
      expect(idsOf(set)).toEqual(before);
    }
  });

  test('is read from a list', () => {
    for (const list of ['7', '7,12,3', '0,10,90071992547409', '1,2,3,4,5,6,7,8,9']) {
      expect([...numbersIn(list)]).toEqual(list.split(',').map(Number));
    }
  });
});
