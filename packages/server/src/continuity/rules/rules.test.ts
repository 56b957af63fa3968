import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalCapsule, canonicalJson, floatText } from '../capsule/canonical.ts';
import { charsOf, compareChars, cutChars } from '../../platform/chars.ts';
import { changedFields } from '../read/compare.ts';
import { ageingOf, phaseAt } from '../read/freshness.ts';
import { parseInstant } from '../capsule/instant.ts';
import { nextLifecycle } from '../capsule/lifecycle.ts';
import { isLoaded, loadCapsule } from '../capsule/load-capsule.ts';
import { normalise } from '../capsule/normalise.ts';
import { archiveNameOf, locate } from '../artifacts/paths.ts';
import { slugOf } from '../capsule/subject.ts';
import { baseCapsule, stored } from '../testing/base-capsule.ts';
import { richCapsule } from '../testing/rich-capsule.ts';
import { vectorA } from '../testing/trim-vectors.ts';

describe('continuity › instants', () => {
  test.each([
    ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z'],
    ['2026-03-01 12:00+00:00', '2026-03-01T12:00:00Z'],
    ['2026-03-01T12:00:00.1234569Z', '2026-03-01T12:00:00.123456Z'],
    ['2024-02-29T00:00:00.000000Z', '2024-02-29T00:00:00Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('%s', (text, canonical) => expect(parseInstant(text)).toMatchObject({ canonical }));

  test.each(['2026-03-01', '2026-03-01T12:00', '2026-03-01T12:00:00-00:00', '2026-03-01T12:00:00+0000'])(
    '%s is not UTC',
    (text) => expect(parseInstant(text)).toBe('not_utc'),
  );

  test.each([
    '',
    'soon',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T12:60:00Z',
    '2026-03-01T12:00:60Z',
    '2026-03-01T12:00:00+24:00',
    '2026-03-01T12:00:00+02:60',
    '2026-03-01Z',
    '2026-03-01T12:00:00,5Z',
    '2026-03-01T12Z',
    '2026-03-01T12:00:00.Z',
    '2026-03-01t12:00:00Z',
    '2026-03-01T12:00:00z',
    ' 2026-03-01T12:00:00Z',
    '0000-01-01T00:00:00Z',
  ])('"%s" is no time', (text) => expect(parseInstant(text)).toBe('malformed'));
});

describe('continuity › subjects', () => {
  test.each([
    ['  Stef K ', 'stef-k'],
    ['a--b', 'a--b'],
    ['--a!!--', 'a'],
    ['Ünï', 'n'],
    ['a.b_c-d', 'a.b_c-d'],
    ['!!!', ''],
    [`${'a'.repeat(119)}!b`, 'a'.repeat(119)],
  ])('%s → %s', (id, slug) => expect(slugOf(id)).toBe(slug));

  test('paths say what they are', () => {
    expect(locate('memory/continuity/user-a.json')).toEqual({ state: 'active', kind: 'user', slug: 'a' });
    expect(locate('memory/continuity/fallback/task-a-b.json')).toEqual({
      state: 'fallback',
      kind: 'task',
      slug: 'a-b',
    });
    for (const other of [
      'memory/continuity/refresh_state.json',
      'memory/x.json',
      'memory/continuity/robot-a.json',
    ]) {
      expect(locate(other)).toBeUndefined();
    }
    expect(archiveNameOf('memory/continuity/archive/user-rel-2024-20260401T120000Z.json')).toEqual({
      kind: 'user',
      slug: 'rel-2024',
      stamp: '20260401T120000Z',
    });
  });
});

describe('continuity › canonical form', () => {
  test('sorted keys, floats as floats, nothing escaped that need not be', () => {
    const capsule = stored(
      baseCapsule('user', 'é/ü', '2026-03-01T12:00:00Z', {
        confidence: { continuity: 1, relationship_model: 0 },
        metadata: { '\u{1F600}': 1, '\uFB00': 2, b: '"', a: '\n' },
      }),
    );
    const text = canonicalCapsule(capsule);
    expect(text).toContain('"confidence":{"continuity":1.0,"relationship_model":0.0}');
    expect(text).toContain('"metadata":{"a":"\\n","b":"\\"","\uFB00":2,"\u{1F600}":1}');
    expect(text).toContain('"subject_id":"é/ü"');
    expect(text.startsWith('{"canonical_sources":[],"confidence":')).toBe(true);
  });

  test('every object of a capsule has its keys in order, and every key is there', () => {
    const everything = {
      ...stored(richCapsule('user', 'rich')),
      ...vectorA,
      verification_kind: 'system_check' as const,
      verification_state: {
        status: 'conflicted' as const,
        last_revalidated_at: '2026-03-01T12:00:00Z',
        strongest_signal: 'system_check' as const,
        evidence_refs: ['r'],
        conflict_summary: 'c',
      },
      capsule_health: {
        status: 'degraded' as const,
        reasons: ['r'],
        last_checked_at: '2026-03-01T12:00:00Z',
      },
      metadata: { 10: 'ten', 9: 'nine', a: null },
      freshness: { freshness_class: 'durable' as const, expires_at: 'x', stale_after_seconds: 300 },
    };
    const threads = stored(richCapsule('thread', 'rich'));
    for (const capsule of [everything, threads, vectorA]) {
      const plain = { ...capsule, confidence: { continuity: 0.5, relationship_model: 0.25 } };
      expect(canonicalCapsule(plain)).toBe(canonicalJson(plain));
    }
  });

  test.each([
    [0.1, '0.1'],
    [1e-4, '0.0001'],
    [1e-5, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [1e-12, '1e-12'],
    [1, '1.0'],
  ])('%d is written %s', (value, text) => expect(floatText(value)).toBe(text));

  test('what is stored reads back the same', () => {
    for (const sent of [vectorA, stored(richCapsule('user', 'rich'))]) {
      const first = loadCapsule(canonicalCapsule(sent));
      if (!isLoaded(first)) throw new Error(first.reason);
      const { capsule } = first;
      const loaded = loadCapsule(canonicalCapsule(capsule));
      expect(isLoaded(loaded) && canonicalCapsule(loaded.capsule)).toBe(canonicalCapsule(capsule));
    }
  });
});

describe('continuity › characters', () => {
  test('count, cut and compare by code point', () => {
    expect([charsOf('a😀b'), cutChars('a😀b', 2), cutChars('ab', 5)]).toEqual([3, 'a😀', 'ab']);
    expect(['😀', '\uFB00', 'z'].toSorted(compareChars)).toEqual(['z', '\uFB00', '😀']);
  });
});

describe('continuity › freshness', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  const at = (verified_at: string, freshness: object = { stale_after_seconds: 3600 }) =>
    phaseAt(ageingOf({ verified_at, freshness }), now);

  test.each([
    ['2026-03-01T11:00:00Z', 'fresh'],
    ['2026-03-01T10:59:59.999999Z', 'stale_soft'],
    ['2026-03-01T10:30:00Z', 'stale_soft'],
    ['2026-03-01T10:29:59.999999Z', 'stale_hard'],
    ['2026-03-01T10:00:00Z', 'stale_hard'],
    ['2026-03-01T09:59:59.999999Z', 'expired_by_age'],
    ['2027-01-01T00:00:00Z', 'fresh'],
  ])('verified %s, good for an hour: %s', (verified, phase) => expect(at(verified)).toBe(phase));

  test.each([
    ['2026-03-01T12:00:00Z', 'fresh'],
    ['2026-03-01T11:59:59.999999Z', 'expired'],
    ['2026-03-01T12:00:00.000001Z', 'fresh'],
    ['', 'fresh'],
  ])('over at %j: %s', (expires_at, phase) => {
    expect(at('2026-03-01T12:00:00Z', { freshness_class: 'persistent', expires_at })).toBe(phase);
  });
});

const texts = fc.array(fc.constantFrom('a', ' a', 'b ', '', '  ', 'c'), { maxLength: 3 });
const capsules = fc
  .record({
    top_priorities: texts,
    active_concerns: texts,
    active_constraints: texts,
    open_loops: texts,
    drift_signals: texts,
    trailing_notes: texts,
    stance_summary: fc.string({ maxLength: 20 }),
    negative_decisions: fc.array(
      fc.record({ decision: fc.constantFrom('d', ' d', 'e'), rationale: fc.constantFrom('r', 'r ') }),
      { maxLength: 4 },
    ),
  })
  .map((continuity) => stored(baseCapsule('user', 'any', '2026-03-01T12:00:00Z', { continuity })));

describe('continuity › always', () => {
  test('normalising twice is normalising once', () => {
    fc.assert(
      fc.property(capsules, (capsule) => {
        const once = normalise(capsule).capsule;
        const twice = normalise(once);
        expect(twice.applied).toEqual([]);
        expect(twice.capsule).toEqual(once);
      }),
    );
  });

  test('a capsule compared with itself is identical', () => {
    fc.assert(
      fc.property(capsules, (capsule) => {
        expect(changedFields(capsule, structuredClone(capsule))).toEqual([]);
      }),
    );
  });
});

describe('continuity › lifecycle table', () => {
  test.each([
    ['active', 'suspend', 'suspended'],
    ['active', 'conclude', 'concluded'],
    ['active', 'supersede', 'superseded'],
    ['suspended', 'resume', 'active'],
    ['suspended', 'conclude', 'concluded'],
    ['suspended', 'supersede', 'superseded'],
  ] as const)('%s, %s: %s', (from, transition, to) => expect(nextLifecycle(from, transition)).toBe(to));

  test.each([
    ['active', 'resume'],
    ['suspended', 'suspend'],
    ['concluded', 'suspend'],
    ['concluded', 'resume'],
    ['concluded', 'conclude'],
    ['concluded', 'supersede'],
    ['superseded', 'suspend'],
    ['superseded', 'resume'],
    ['superseded', 'conclude'],
    ['superseded', 'supersede'],
  ] as const)('%s, %s: refused', (from, transition) =>
    expect(() => nextLifecycle(from, transition)).toThrow(),
  );
});
