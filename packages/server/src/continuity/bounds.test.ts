import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { type Memory, startMemory } from './testing/memory.ts';
import { baseCapsule, T } from './testing/base-capsule.ts';
import { type Bound, CAPSULE_BOUNDS, capsuleWith, valueOf } from './testing/schema-bounds.ts';

const nameOf = ({ path, kind }: Bound): string => `${path.join('.').replaceAll('.[]', '[]')} ${kind}`;

/** Ids, paths and names have an alphabet of their own. */
const LATIN_ONLY = /^(subject_id|.*(related_documents\[\]\.(path|kind)|identity_anchors\[\]\.kind)) /;

test('the published schema states the documented bounds', () => {
  const stated = Object.fromEntries(
    CAPSULE_BOUNDS.map((bound) => [nameOf(bound), [bound.most, bound.status]]),
  );
  expect(stated).toMatchObject({
    'subject_id length': [200, 422],
    'source.producer length': [100, 422],
    'source.inputs items': [12, 422],
    'source.inputs[] length': [200, 400],
    'continuity.top_priorities items': [8, 422],
    'continuity.top_priorities[] length': [160, 400],
    'continuity.active_concerns items': [5, 422],
    'continuity.stance_summary length': [240, 422],
    'continuity.session_trajectory[] length': [80, 400],
    'continuity.trailing_notes items': [3, 422],
    'continuity.curiosity_queue[] length': [120, 400],
    'continuity.negative_decisions items': [4, 422],
    'continuity.negative_decisions[].decision length': [160, 400],
    'continuity.negative_decisions[].rationale length': [240, 400],
    'continuity.rationale_entries items': [6, 422],
    'continuity.rationale_entries[].tag length': [80, 422],
    'continuity.rationale_entries[].summary length': [320, 422],
    'continuity.rationale_entries[].reasoning length': [560, 422],
    'continuity.rationale_entries[].alternatives_considered[] length': [160, 400],
    'continuity.rationale_entries[].depends_on[] length': [120, 400],
    'continuity.rationale_entries[].supersedes length': [80, 422],
    'continuity.related_documents items': [8, 400],
    'continuity.related_documents[].path length': [240, 400],
    'continuity.relationship_model.preferred_style[] length': [80, 400],
    'continuity.retrieval_hints.must_include items': [8, 422],
    'confidence.continuity number': [1, 422],
    'freshness.stale_after_seconds number': [31_536_000, 422],
    'metadata keys': [12, 400],
    'verification_state.evidence_refs[] length': [200, 400],
    'verification_state.conflict_summary length': [240, 422],
    'capsule_health.reasons[] length': [120, 400],
    'stable_preferences items': [12, 422],
    'stable_preferences[].content length': [240, 422],
    'thread_descriptor.label length': [120, 422],
    'thread_descriptor.keywords[] length': [40, 400],
    'thread_descriptor.identity_anchors[].value length': [200, 422],
  });
  expect(CAPSULE_BOUNDS.length).toBeGreaterThan(60);
});

describeEachServer('continuity › bounds', (start) => {
  let memory: Memory;
  beforeAll(async () => {
    memory = await (await startMemory(start)).owner();
    await memory.store('user', 'compared');
  });
  let count = 0;

  /** What an author may not say of itself is looked at where a candidate is compared. */
  const send = async (bound: Bound, value: unknown): Promise<number> => {
    if (bound.path[0] !== 'verification_state' && bound.path[0] !== 'capsule_health') {
      const capsule = capsuleWith(bound, value, `b${++count}`);
      return (await memory.upsert(capsule)).status;
    }
    const answer = await memory.call('compare', {
      subject_kind: 'user',
      subject_id: 'compared',
      candidate_capsule: capsuleWith(bound, value, 'compared'),
      signals: [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }],
    });
    return answer.status;
  };

  describe.each(CAPSULE_BOUNDS.map((bound) => [nameOf(bound), bound] as const))('%s', (name, bound) => {
    test('the most passes, one more does not', async () => {
      expect(await send(bound, valueOf(bound, bound.most))).toBe(200);
      expect(await send(bound, valueOf(bound, bound.most + 1))).toBe(bound.status);
    });

    if (bound.kind === 'length' && !LATIN_ONLY.test(`${name} `)) {
      test('counted in characters, not in units', async () => {
        expect(await send(bound, valueOf(bound, bound.most, '😀'))).toBe(200);
        expect(await send(bound, valueOf(bound, bound.most + 1, '😀'))).toBe(bound.status);
      });
    }

    if (bound.least > 0) {
      test('the least passes, one less does not', async () => {
        expect(await send(bound, valueOf(bound, bound.least))).toBe(200);
        const below = bound.path[0] === 'thread_descriptor' && name.includes('keywords') ? 200 : bound.status;
        // An empty keyword is dropped without a word.
        expect(await send(bound, valueOf(bound, bound.least - 1))).toBe(below);
      });
    }
  });

  test('a capsule with every list full is kept whole', async () => {
    const capsule = baseCapsule('user', 'full');
    for (const bound of CAPSULE_BOUNDS) {
      if (bound.kind !== 'items' || bound.path[0] === 'thread_descriptor' || bound.path.includes('[]'))
        continue;
      if (bound.path[0] === 'verification_state' || bound.path[0] === 'capsule_health') continue;
      const [first = '', ...rest] = bound.path;
      const part = capsuleWith(bound, valueOf(bound, bound.most), 'full');
      if (first !== 'continuity') Object.assign(capsule, { [first]: part[first as keyof typeof part] });
      else Object.assign(capsule.continuity, { [rest[0] ?? '']: part.continuity[rest[0] as 'open_loops'] });
    }
    expect((await memory.upsert(capsule)).status).toBe(200);
    const read = await memory.capsule('user', 'full');
    expect(read.continuity.top_priorities).toHaveLength(8);
    expect(read.stable_preferences).toHaveLength(12);
  });
});
