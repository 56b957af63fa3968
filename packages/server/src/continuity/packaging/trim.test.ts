import type { Capsule } from '@parley/protocol/continuity/capsule';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadCapsule } from '../capsule/load-capsule.ts';
import { tokensOf } from './tokens.ts';
import { trim } from './trim.ts';
import { vectorA, vectorB } from '../testing/trim-vectors.ts';

const ORDER: readonly (readonly [from: number, to: number, last: string])[] = [
  [447, 439, 'metadata'],
  [438, 425, 'canonical_sources'],
  [424, 416, 'freshness'],
  [415, 402, 'attention_policy.presence_bias_overrides'],
  [401, 392, 'continuity.relationship_model.sensitivity_notes'],
  [391, 384, 'continuity.relationship_model.preferred_style'],
  [383, 377, 'continuity.retrieval_hints.avoid'],
  [376, 370, 'continuity.retrieval_hints.load_next'],
  [369, 360, 'continuity.trailing_notes'],
  [359, 348, 'continuity.curiosity_queue'],
  [347, 294, 'continuity.rationale_entries'],
  [293, 267, 'continuity.negative_decisions'],
  [266, 256, 'continuity.working_hypotheses'],
  [255, 226, 'stable_preferences'],
  [225, 217, 'continuity.relationship_model.trust_level'],
];

describe('continuity › trim › conformance vector A', () => {
  test('counts 448 tokens', () => expect(tokensOf(vectorA)).toBe(448));

  test('fits whole into its own size', () => {
    expect(trim(vectorA, 448)).toEqual({ capsule: vectorA, trimmedFields: [] });
  });

  test.each(ORDER)('from %i down to %i the last to go is %s', (from, to, last) => {
    const dropped = ORDER.slice(0, ORDER.findIndex(([start]) => start === from) + 1).map(
      ([, , name]) => name,
    );
    for (let budget = from; budget >= to; budget -= 1) {
      expect(trim(vectorA, budget)?.trimmedFields).toEqual(dropped);
      expect(dropped.at(-1)).toBe(last);
    }
  });

  test('below that the rounds begin', () => {
    const fields = trim(vectorA, 216)?.trimmedFields ?? [];
    expect(fields.length).toBeGreaterThan(ORDER.length);
  });
});

describe('continuity › trim › conformance vector B', () => {
  test('counts 1413 tokens', () => expect(tokensOf(vectorB)).toBe(1413));

  test.each([
    [1400, 1400, 8, 5, 240, 5, 8, 8, 5, 8],
    [1200, 1200, 5, 5, 240, 5, 5, 8, 5, 8],
    [1000, 998, 4, 4, 240, 4, 4, 4, 5, 8],
    [800, 796, 3, 3, 240, 3, 3, 3, 3, 7],
    [600, 594, 2, 2, 240, 2, 2, 2, 2, 5],
    [400, 382, 1, 1, 200, 1, 1, 1, 1, 3],
    [300, 290, 0, 1, 148, 1, 1, 1, 1, 1],
    [200, 183, 0, 0, 48, 0, 0, 1, 1, 1],
  ])('budget %i leaves %i tokens', (budget, tokens, ...left) => {
    const trimmed = trim(vectorB, budget);
    if (!trimmed) throw new Error('nothing left');
    // A trimmed capsule has the form of one, less some keys.
    const { continuity } = trimmed.capsule as unknown as { continuity: Partial<Capsule['continuity']> };
    expect(tokensOf(trimmed.capsule)).toBe(tokens);
    expect([
      continuity.retrieval_hints?.must_include?.length ?? 0,
      continuity.long_horizon_commitments?.length ?? 0,
      continuity.stance_summary?.length,
      continuity.drift_signals?.length,
      continuity.open_loops?.length,
      continuity.active_constraints?.length,
      continuity.active_concerns?.length,
      continuity.top_priorities?.length,
    ]).toEqual(left);
  });
});

const words = (most: number) => fc.array(fc.string({ maxLength: 60, unit: 'grapheme' }), { maxLength: most });

describe('continuity › trim › always', () => {
  const capsules = fc
    .record({
      top_priorities: words(8),
      active_concerns: words(5),
      active_constraints: words(8),
      open_loops: words(8),
      stance_summary: fc.string({ maxLength: 120 }),
      drift_signals: words(5),
      trailing_notes: words(3),
    })
    .map((continuity) => {
      const loaded = loadCapsule(
        JSON.stringify({ ...vectorA, continuity: { ...vectorA.continuity, ...continuity } }),
      );
      if (!('capsule' in loaded)) throw new Error(loaded.reason);
      return loaded.capsule;
    });

  test('what is delivered fits, and further rounds change nothing where one is enough', () => {
    fc.assert(
      fc.property(capsules, fc.integer({ min: 40, max: 700 }), (capsule, budget) => {
        const all = trim(capsule, budget);
        if (all) expect(tokensOf(all.capsule)).toBeLessThanOrEqual(budget);
        const one = trim(capsule, budget, 'one');
        if (one) expect(all).toEqual(one);
      }),
      { numRuns: 100 },
    );
  });

  test('the capsule itself stays as it is', () => {
    const before = structuredClone(vectorA);
    trim(vectorA, 200);
    expect(vectorA).toEqual(before);
  });
});
