import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { T } from '../testing/base-capsule.ts';
import { daysAgo, type Memory, type MemoryServer, NOW, refusal, startMemory } from '../testing/memory.ts';

describeEachServer('continuity › read and trust', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });

  test('a subject without a capsule is a 404, or missing where a snapshot would do', async () => {
    expect(refusal(await memory.read('user', 'no'))).toEqual([404, 'Continuity capsule not found']);
    const { status, body } = await memory.read('user', 'no', { allow_fallback: true });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      path: 'memory/continuity/user-no.json',
      capsule: null,
      archived: false,
      source_state: 'missing',
      recovery_warnings: ['continuity_active_missing', 'continuity_fallback_missing'],
      trust_signals: null,
    });
  });

  test('a subject without a capsule has an empty summary at startup', async () => {
    const { status, body } = await memory.read('user', 'no', { view: 'startup', allow_fallback: true });
    expect(status).toBe(200);
    expect(body.startup_summary).toEqual({
      recovery: {
        source_state: 'missing',
        recovery_warnings: ['continuity_active_missing', 'continuity_fallback_missing'],
        capsule_health_status: null,
        capsule_health_reasons: [],
      },
      orientation: null,
      context: null,
      updated_at: null,
      trust_signals: null,
      stable_preferences: null,
    });
    expect((await memory.read('user', 'no', { view: 'startup' })).status).toBe(404);
  });

  test('a plain read has these keys, in this order', async () => {
    await memory.store('user', 'b');
    const { body } = await memory.read('user', 'b');
    expect(Object.keys(body)).toEqual([
      'ok',
      'path',
      'capsule',
      'archived',
      'source_state',
      'recovery_warnings',
      'trust_signals',
    ]);
    expect(Object.keys(body.capsule)).toEqual([
      'schema_version',
      'subject_kind',
      'subject_id',
      'updated_at',
      'verified_at',
      'source',
      'continuity',
      'confidence',
      'canonical_sources',
      'metadata',
      'stable_preferences',
    ]);
    expect(Object.keys(body.capsule.continuity)).toEqual([
      'top_priorities',
      'active_concerns',
      'active_constraints',
      'open_loops',
      'stance_summary',
      'drift_signals',
      'working_hypotheses',
      'long_horizon_commitments',
      'session_trajectory',
      'negative_decisions',
      'trailing_notes',
      'curiosity_queue',
      'rationale_entries',
    ]);
    const { stance_summary: _stance, ...lists } = body.capsule.continuity;
    expect(Object.values(lists).every(Array.isArray)).toBe(true);
    expect([body.capsule.canonical_sources, body.capsule.stable_preferences]).toEqual([[], []]);
    expect(body.capsule.continuity.rationale_entries).toEqual([]);
    expect(body.capsule.metadata).toEqual({});
    expect(body.trust_signals).toEqual({
      recency: {
        updated_age_seconds: 31 * 86_400,
        verified_age_seconds: 31 * 86_400,
        phase: 'stale_soft',
        freshness_class: null,
        stale_threshold_seconds: 2_592_000,
      },
      completeness: {
        orientation_adequate: true,
        empty_orientation_fields: ['drift_signals'],
        trimmed: false,
        trimmed_fields: [],
      },
      integrity: {
        source_state: 'active',
        health_status: 'healthy',
        health_reasons: [],
        verification_status: 'unverified',
      },
      scope_match: { exact: true },
    });
  });

  test('a startup read sums up what to do, and what was decided', async () => {
    await memory.store('user', 'c', {
      stable_preferences: [{ tag: 't', content: 'c' }],
      continuity: {
        negative_decisions: [{ decision: 'd', rationale: 'r' }],
        rationale_entries: [
          { tag: 'a', kind: 'decision', status: 'active', summary: 's', reasoning: 'r' },
          { tag: 'b', kind: 'tension', status: 'retired', summary: 's', reasoning: 'r' },
        ],
      },
    });
    const plain = await memory.read('user', 'c');
    const { body } = await memory.read('user', 'c', { view: 'startup' });
    expect(Object.keys(body).slice(7)).toEqual(['startup_summary', 'graph_summary', 'schedule_context']);
    expect(body.capsule).toEqual(plain.body.capsule);
    const dates = { created_at: T(1), updated_at: T(1) };
    const entry = { tag: 'a', kind: 'decision', status: 'active', summary: 's', reasoning: 'r' };
    expect(JSON.stringify(body.startup_summary)).toBe(
      JSON.stringify({
        recovery: {
          source_state: 'active',
          recovery_warnings: [],
          capsule_health_status: null,
          capsule_health_reasons: [],
        },
        orientation: {
          top_priorities: ['finish parser'],
          active_constraints: ['no new dependencies'],
          open_loops: ['answer review'],
          negative_decisions: [{ decision: 'd', rationale: 'r', ...dates }],
          rationale_entries: [{ ...entry, alternatives_considered: [], depends_on: [], ...dates }],
        },
        context: {
          session_trajectory: [],
          stance_summary: plain.body.capsule.continuity.stance_summary,
          active_concerns: ['flaky build'],
        },
        updated_at: T(1),
        trust_signals: plain.body.trust_signals,
        stable_preferences: [{ tag: 't', content: 'c', ...dates }],
      }),
    );
  });

  test('a thread without a descriptor is told in the summary only', async () => {
    await memory.store('task', 'bare');
    const { body } = await memory.read('task', 'bare', { view: 'startup' });
    expect(body.recovery_warnings).toEqual([]);
    expect(body.startup_summary.recovery.recovery_warnings).toEqual([
      'continuity_thread_descriptor_missing:thread:bare',
    ]);
  });

  test.each([
    [20, undefined, 'fresh', 2_592_000],
    [35, undefined, 'stale_soft', 2_592_000],
    [50, undefined, 'stale_hard', 2_592_000],
    [61, undefined, 'expired_by_age', 2_592_000],
    [400, 'persistent', 'fresh', null],
    [200, 'durable', 'stale_soft', 15_552_000],
    [5, 'ephemeral', 'stale_hard', 259_200],
    [30, undefined, 'fresh', 2_592_000],
    [45, undefined, 'stale_soft', 2_592_000],
    [60, undefined, 'stale_hard', 2_592_000],
  ] as const)('verified %i days ago, %s', async (days, freshness_class, phase, threshold) => {
    await memory.store(
      'user',
      `age${days}`,
      { verified_at: daysAgo(days), ...(freshness_class && { freshness: { freshness_class } }) },
      T(1),
    );
    const { recency } = (await memory.read('user', `age${days}`)).body.trust_signals;
    expect(recency).toMatchObject({
      phase,
      freshness_class: freshness_class ?? null,
      stale_threshold_seconds: threshold,
    });
  });

  test('times are spelled one way, however they were sent and wherever they are shown', async () => {
    memory = await home.owner();
    await memory.store('user', 'a', { verified_at: '2026-03-01 10:00+00:00' }, '2026-03-01 12:00:00.5+00:00');
    const times = { updated_at: '2026-03-01T12:00:00.500000Z', verified_at: '2026-03-01T10:00:00Z' };
    const { updated_at } = times;
    const { body } = await memory.list({ include_fallback: true });
    const plan = await memory.call<{ candidates: unknown[] }>('refresh/plan', {});
    const found = await memory.call<{ results: unknown[] }>('search', { query: 'parser' });
    const subject = { subject_kind: 'user', subject_id: 'a' };
    const history = await memory.call<{ revisions: unknown[] }>('history', subject);
    expect(await memory.capsule('user', 'a')).toMatchObject(times);
    expect(body.capsules).toMatchObject([times, times]);
    expect(found.body.results).toMatchObject([times]);
    expect(plan.body.candidates).toMatchObject([{ updated_at }]);
    expect(history.body.revisions).toMatchObject([{ updated_at }]);
  });

  test('a capsule past its expiry is expired', async () => {
    await memory.store('user', 'ex', { verified_at: daysAgo(1), freshness: { expires_at: daysAgo(0.5) } });
    expect((await memory.read('user', 'ex')).body.trust_signals.recency.phase).toBe('expired');
  });

  test('an explicit threshold wins over that of the class', async () => {
    const verified_at = `${new Date(NOW - 80 * 60_000).toISOString().slice(0, 19)}Z`;
    await memory.store('user', 'th', {
      verified_at,
      freshness: { freshness_class: 'durable', stale_after_seconds: 3600 },
    });
    expect((await memory.read('user', 'th')).body.trust_signals.recency).toMatchObject({
      phase: 'stale_soft',
      stale_threshold_seconds: 3600,
    });
  });

  test('a capsule with nothing to orient by says so', async () => {
    const continuity = {
      top_priorities: [],
      active_concerns: [],
      active_constraints: [],
      open_loops: [],
      drift_signals: [],
      stance_summary: '12345',
    };
    await memory.store('user', 'hollow', { continuity });
    expect((await memory.read('user', 'hollow')).body.trust_signals.completeness).toEqual({
      orientation_adequate: false,
      empty_orientation_fields: [
        'top_priorities',
        'active_constraints',
        'open_loops',
        'active_concerns',
        'stance_summary',
        'drift_signals',
      ],
      trimmed: false,
      trimmed_fields: [],
    });
  });

  test('from the snapshot: not exactly what was asked for, and as healthy as it was', async () => {
    memory = await home.owner();
    const subject = { subject_kind: 'user', subject_id: 'a' };
    await memory.store('user', 'a');
    const signals = [{ kind: 'peer_confirmation', source_ref: 'r', observed_at: T(1), summary: 's' }];
    await memory.call('revalidate', { ...subject, outcome: 'degrade', reason: 'out of date', signals });
    const active = await memory.read('user', 'a', { view: 'startup' });
    await memory.call('delete', { ...subject, delete_active: true, reason: 'is over' });
    const { body } = await memory.read('user', 'a', { view: 'startup', allow_fallback: true });
    expect(body.capsule).toEqual(active.body.capsule);
    expect(body.trust_signals).toEqual({
      ...active.body.trust_signals,
      integrity: {
        source_state: 'fallback',
        health_status: 'degraded',
        health_reasons: ['out of date'],
        verification_status: 'peer_confirmed',
      },
      scope_match: { exact: false },
    });
    expect(active.body.trust_signals).toMatchObject({ scope_match: { exact: true } });
    const health = { capsule_health_status: 'degraded', capsule_health_reasons: ['out of date'] };
    expect(active.body.startup_summary.recovery).toEqual({
      source_state: 'active',
      recovery_warnings: [],
      ...health,
    });
    expect(body.startup_summary).toMatchObject({
      recovery: {
        source_state: 'fallback',
        recovery_warnings: ['continuity_active_missing', 'continuity_fallback_used'],
        ...health,
      },
      trust_signals: body.trust_signals,
    });
  });
});
