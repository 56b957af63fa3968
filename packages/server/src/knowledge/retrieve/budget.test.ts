import { beforeAll, expect, test } from 'vitest';
import { daysAgo } from '../../continuity/testing/memory.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { bundleOf } from '../testing/bundle.ts';
import { type Library, startLibrary } from '../testing/library.ts';

const notes = (count: number, letter: string): string[] =>
  Array.from({ length: count }, (_, at) => `${letter}${at}${letter.repeat(96)}`);

describeEachServer('retrieve › budget', (start) => {
  let library: Library;
  beforeAll(async () => {
    const home = await startLibrary(start);
    library = await home.library();
    await library.rebuild();
    await library.memory.store('thread', 'rich', {
      updated_at: daysAgo(1),
      verified_at: daysAgo(1),
      metadata: { project: 'apollo' },
      continuity: {
        top_priorities: notes(8, 'p'),
        active_concerns: notes(5, 'c'),
        active_constraints: notes(8, 'k'),
        open_loops: notes(8, 'o'),
        drift_signals: notes(5, 'd'),
        working_hypotheses: notes(5, 'w'),
        long_horizon_commitments: notes(5, 'l'),
        trailing_notes: notes(3, 't'),
        stance_summary: 's'.repeat(240),
        relationship_model: { trust_level: 'high' },
        retrieval_hints: { must_include: notes(8, 'm') },
      },
    });
  });
  const at = async (max_tokens_estimate: number) =>
    (await bundleOf(library, { subject_kind: 'thread', subject_id: 'rich', max_tokens_estimate }))
      .continuity_state;

  test('a capsule fits every budget, and a larger one costs no field more', async () => {
    let before = Number.POSITIVE_INFINITY;
    for (const budget of [256, 300, 500, 800, 1200, 2000, 12_000]) {
      const state = await at(budget);
      expect([budget, state.present]).toEqual([budget, true]);
      expect(state.budget.continuity_tokens_used).toBeLessThanOrEqual(budget);
      const trimmed = state.capsules[0]?.trust_signals?.completeness.trimmed_fields?.length;
      if (trimmed === undefined) continue;
      expect(trimmed).toBeLessThanOrEqual(before);
      before = trimmed;
    }
    expect(before).toBe(0);
  });

  test('where the trust block is compact it is told, and ages are unknown', async () => {
    const states = [];
    for (let budget = 260; budget <= 500; budget += 40) states.push(await at(budget));
    const compact = states.find(({ capsules }) => capsules[0]?.trust_signals?.compact);
    expect(compact?.recovery_warnings).toContain('trust_signals_compact');
    expect(compact?.trust_signals?.recency).toEqual({
      worst_phase: 'fresh',
      oldest_updated_age_seconds: null,
      oldest_verified_age_seconds: null,
    });
  });

  test('capsules share the budget evenly', async () => {
    const ids = ['rich', 'b', 'c', 'd'];
    const times = { updated_at: daysAgo(1), verified_at: daysAgo(1) };
    for (const id of ids.slice(1)) await library.memory.store('thread', id, times);
    const bundle = await bundleOf(library, {
      continuity_selectors: ids.map((id) => ({ subject_kind: 'thread', subject_id: id })),
      continuity_max_capsules: 4,
      max_tokens_estimate: 1603,
    });
    const { capsules, budget } = bundle.continuity_state;
    expect(capsules.map(({ salience }) => salience?.rank ?? null)).toHaveLength(4);
    expect(budget.continuity_tokens_used).toBeLessThanOrEqual(1603);
    const rich = capsules.find(({ subject_id: id }) => id === 'rich');
    expect(rich?.trust_signals?.completeness.trimmed ?? true).toBe(true);
  });

  test('what does not fit at all is left out with a warning that names it', async () => {
    const inputs = Array.from({ length: 12 }, (_, n) => `${n}${'i'.repeat(150)}`);
    await library.memory.store('thread', 'heavy', {
      updated_at: daysAgo(1),
      verified_at: daysAgo(1),
      source: { producer: 'agent', update_reason: 'manual', inputs },
    });
    const heavy = { subject_kind: 'thread', subject_id: 'heavy' };
    const alone = (await bundleOf(library, { ...heavy, max_tokens_estimate: 256 })).continuity_state;
    expect([alone.present, alone.warnings, alone.omitted_selectors]).toEqual([
      false,
      ['continuity_truncated_to_zero'],
      ['thread:heavy'],
    ]);
    const named = await bundleOf(library, { continuity_selectors: [heavy], max_tokens_estimate: 256 });
    expect(named.continuity_state.warnings).toEqual(['continuity_capsule_truncated_to_zero:thread:heavy']);
  });
});
