import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { continuityCapsule } from './capsule.ts';
import { decimal, flag, RULE, textOf, whole } from './fields.ts';
import { withoutClearedFields } from './preserve-nulls.ts';

describe('continuity › fields', () => {
  test.each([
    [0.5, 0.5],
    ['0.5', 0.5],
    [' 1 ', 1],
    ['1e-1', 0.1],
    [true, 1],
  ])('%j is a number', (sent, value) => expect(decimal(0, 1).parse(sent)).toBe(value));

  test.each(['', 'x', '0x1', null, [], {}, 'NaN', 'Infinity'])('%j is no number', (sent) => {
    expect(decimal(0, 1).safeParse(sent).success).toBe(false);
  });

  test.each([
    [5, 5],
    ['5', 5],
    ['5.0', 5],
    [true, 1],
  ])('%j is a whole number', (sent, value) => expect(whole(0, 9).parse(sent)).toBe(value));

  test.each([5.5, '5.5', 'five', null, '', 10])('%j is not one of ours', (sent) => {
    expect(whole(0, 9).safeParse(sent).success).toBe(false);
  });

  test.each([1e300, -1e300, `1${'0'.repeat(30)}`])('%j is one breach, however far beyond', (sent) => {
    expect(whole(0, 9).safeParse(sent).error?.issues).toHaveLength(1);
  });

  test.each([
    [[true, 1, 'true', 'YES', 'on', '1', 't', 'Y'], true],
    [[false, 0, 'False', 'no', 'OFF', '0', 'f', 'n'], false],
  ])('%j are all %s', (sent, value) => {
    for (const each of sent) expect(flag().parse(each)).toBe(value);
  });

  test.each([2, '', 'maybe', null, []])('%j is no flag', (sent) =>
    expect(flag().safeParse(sent).success).toBe(false),
  );

  test('lengths are code points, and half a character is no text', () => {
    expect(textOf(2).safeParse('😀😀').success).toBe(true);
    expect(textOf(2).safeParse('😀😀😀').success).toBe(false);
    expect(textOf(2).safeParse('\ud83d').success).toBe(false);
  });

  test('the published schema names every bound and who refuses it', () => {
    const published = JSON.stringify(z.toJSONSchema(continuityCapsule, { io: 'input' }));
    expect(published).toContain(`"maxLength":160,"${RULE}":400`);
    expect(published).toContain('"maxItems":8');
    expect(published).toContain('"minimum":300,"maximum":31536000');
  });
});

describe('continuity › nulls that clear', () => {
  const capsule = {
    metadata: null,
    freshness: null,
    continuity: { open_loops: null, trailing_notes: null, retrieval_hints: null },
    thread_descriptor: { label: 'L', keywords: null },
  };

  test('are hidden from the schema in preserve mode, where they clear', () => {
    expect(withoutClearedFields({ merge_mode: 'preserve', capsule })).toEqual({
      merge_mode: 'preserve',
      capsule: {
        freshness: null,
        continuity: { open_loops: null, retrieval_hints: null },
        thread_descriptor: { label: 'L' },
      },
    });
  });

  test('stay where they are otherwise', () => {
    for (const request of [
      { capsule },
      { merge_mode: 'replace', capsule },
      null,
      [],
      { merge_mode: 'preserve' },
    ]) {
      expect(withoutClearedFields(request)).toBe(request);
    }
  });
});
