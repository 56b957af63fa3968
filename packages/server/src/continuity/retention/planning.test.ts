import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { T } from '../testing/base-capsule.ts';
import { type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

const DAY = 86_400_000;

const ownWord = (id: string) => [id, ['verification_self_attested'], 'medium'];
const codesOf = async (of: Memory, more: object = {}) =>
  (await of.call<{ candidates: Record<string, unknown>[] }>('refresh/plan', more)).body.candidates.map(
    (row) => [row.subject_id, row.reason_codes, row.recommended_priority],
  );

describeEachServer('continuity › planning', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const signals = [{ kind: 'user_confirmation', source_ref: 'r', observed_at: T(1), summary: 's' }];

  test('names a capsule nobody verified', async () => {
    memory = await home.owner();
    await memory.store('user', 'a', { verified_at: '2026-03-30T00:00:00Z' });
    const { status, body } = await memory.call('refresh/plan', {});
    expect([status, body.count, body.candidates]).toEqual([
      200,
      1,
      [
        {
          subject_kind: 'user',
          subject_id: 'a',
          path: 'memory/continuity/user-a.json',
          health_status: 'healthy',
          verification_status: 'unverified',
          last_revalidated_at: null,
          updated_at: T(1),
          reason_codes: ['verification_unverified'],
          recommended_priority: 'medium',
        },
      ],
    ]);
  });

  test('reasons and priorities', async () => {
    const own = await startMemory(start);
    memory = await own.owner();
    const revalidate = (id: string, outcome: string, more: object = {}) =>
      memory.call('revalidate', { subject_kind: 'user', subject_id: id, outcome, signals, ...more });
    for (const id of ['fine', 'sick', 'gone', 'old']) await memory.store('user', id);
    await revalidate('fine', 'confirm');
    await revalidate('sick', 'conflict', { reason: 'why' });
    await memory.call('delete', {
      subject_kind: 'user',
      subject_id: 'gone',
      reason: 'why',
      delete_active: true,
    });
    await memory.read('user', 'fine');
    await memory.read('user', 'old');
    const plan = async (more: object = {}) =>
      (
        await memory.call<{ candidates: Record<string, unknown>[] }>('refresh/plan', more)
      ).body.candidates.map((row) => [row.subject_id, row.reason_codes, row.recommended_priority]);
    const usual = [
      ['gone', ['verification_unverified', 'stale_verified_at', 'fallback_only'], 'high'],
      ['sick', ['health_conflicted'], 'high'],
      ['old', ['verification_unverified', 'stale_verified_at', 'recently_used'], 'medium'],
    ];
    // Another node knows within five seconds what was read.
    await own.clock.advance(5_000);
    await expect.poll(() => plan()).toEqual(usual);
    expect(await plan({ include_healthy: true })).toEqual([...usual, ['fine', ['recently_used'], 'low']]);
    expect(await plan({ limit: 1 })).toEqual(usual.slice(0, 1));
  });

  test('what was confirmed is recently used for seven days, and stale after thirty', async () => {
    const later = await startMemory(start);
    memory = await later.owner();
    await memory.store('user', 'a');
    await memory.call('revalidate', { subject_kind: 'user', subject_id: 'a', outcome: 'confirm', signals });
    await memory.read('user', 'a');
    const both = async () => [
      await codesOf(memory),
      (await codesOf(memory, { include_healthy: true })).map(([, ...row]) => row),
    ];
    await later.clock.leap(7 * DAY);
    expect(await both()).toEqual([[], [[['recently_used'], 'low']]]);
    await later.clock.leap(1000);
    expect(await both()).toEqual([[], [[[], 'low']]]);
    await later.clock.leap(23 * DAY - 1000);
    expect(await both()).toEqual([[], [[[], 'low']]]);
    await later.clock.leap(1000);
    const stale = [['stale_verified_at'], 'medium'];
    expect(await both()).toEqual([[['a', ...stale]], [stale]]);
  });

  test('degraded health and an own word are told, of the kind asked for', async () => {
    memory = await home.owner();
    const own = [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }];
    const seen: [kind: 'user' | 'task', id: string, more: object][] = [
      ['user', 'own', { outcome: 'confirm', signals: own }],
      ['user', 'own-sick', { outcome: 'degrade', reason: 'why', signals: own }],
      ['user', 'sick', { outcome: 'degrade', reason: 'why', signals }],
      ['task', 'z', { outcome: 'confirm', signals: own }],
    ];
    for (const [subject_kind, subject_id, more] of seen) {
      await memory.store(subject_kind, subject_id);
      expect((await memory.call('revalidate', { subject_kind, subject_id, ...more })).status).toBe(200);
    }
    const sick = [
      ['own-sick', ['health_degraded', 'verification_self_attested'], 'high'],
      ['sick', ['health_degraded'], 'high'],
    ];
    expect(await codesOf(memory)).toEqual([...sick, ownWord('z'), ownWord('own')]);
    expect(await codesOf(memory, { subject_kind: 'user' })).toEqual([...sick, ownWord('own')]);
    expect(await codesOf(memory, { subject_kind: 'task' })).toEqual([ownWord('z')]);
    expect(await codesOf(memory, { subject_kind: 'peer' })).toEqual([]);
  });

  test('is empty where nothing is archived', async () => {
    memory = await home.owner();
    const { status, body } = await memory.call('retention/plan', {});
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        count: 0,
        generated_at: '2026-04-01T12:00:00Z',
        path: 'memory/continuity/retention_state.json',
        durable: true,
        latest_commit: expect.any(String),
        warnings: [],
        candidates: [],
        total_candidates: 0,
        has_more: false,
      },
    ]);
  });

  test('plans are no capsules', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    await memory.call('refresh/plan', {});
    await memory.call('retention/plan', {});
    const everything = { include_fallback: true, include_archived: true, include_cold: true };
    expect((await memory.list(everything)).body.count).toBe(2);
  });

  test('old archives go into cold storage and come back as they were', async () => {
    memory = await home.owner();
    for (const id of ['a', 'b']) {
      await memory.store('user', id, { continuity: { open_loops: ['needle in cold storage'] } });
      await memory.call('archive', { subject_kind: 'user', subject_id: id, reason: 'done' });
    }
    const path = 'memory/continuity/archive/user-a-20260401T120000Z.json';
    const other = 'memory/continuity/archive/user-b-20260401T120000Z.json';
    expect((await memory.call('retention/plan', {})).body.count).toBe(0);
    const early = await memory.ops('continuity_retention_apply', { source_archive_paths: [path] });
    expect(early.body.job_result).toMatchObject({ ok: true, results: [{ status: 'skipped_not_stale' }] });
    await home.clock.leap(91 * DAY);
    const plan = await memory.call<{ candidates: object[]; total_candidates: number; has_more: boolean }>(
      'retention/plan',
      { limit: 1 },
    );
    expect([plan.body.total_candidates, plan.body.has_more]).toEqual([2, true]);
    expect(plan.body.candidates[0]).toEqual({
      subject_kind: 'user',
      subject_id: 'a',
      source_archive_path: path,
      artifact_state: 'archived',
      retention_class: 'archive_stale',
      policy_action: 'cold_store',
      archived_at: '2026-04-01T12:00:00Z',
      age_days: 91,
      cold_storage_path: 'memory/continuity/cold/user-a-20260401T120000Z.json.gz',
      cold_stub_path: 'memory/continuity/cold/index/user-a-20260401T120000Z.md',
      reason_codes: ['archive_stale'],
    });
    const stored = await memory.ops('continuity_cold_store', { source_archive_path: path });
    expect([stored.status, stored.body.job_result]).toMatchObject([
      200,
      { ok: true, artifact_state: 'cold', source_archive_path: path, warnings: [], recovery_warnings: [] },
    ]);
    const applied = await memory.ops('continuity_retention_apply', {
      source_archive_paths: [
        path,
        other,
        other,
        'memory/continuity/archive/user-c-20260401T120000Z.json',
        'x',
      ],
    });
    expect(applied.body.job_result).toMatchObject({
      ok: false,
      requested: 5,
      unique_requested: 4,
      processed: 4,
      cold_stored: 1,
      failed: 1,
      durable: true,
      warnings: [`duplicate_source_archive_path:${other}`],
    });
    const results = applied.body.job_result.results as { status: string }[];
    expect(results[0]).toEqual({
      source_archive_path: path,
      ok: true,
      status: 'skipped_already_cold',
      detail: null,
      cold_storage_path: 'memory/continuity/cold/user-a-20260401T120000Z.json.gz',
      cold_stub_path: 'memory/continuity/cold/index/user-a-20260401T120000Z.md',
    });
    expect(results[2]).toMatchObject({ cold_storage_path: null, cold_stub_path: null });
    expect(results.map((result) => result.status)).toEqual([
      'skipped_already_cold',
      'cold_stored',
      'skipped_missing',
      'failed_invalid_archive',
    ]);
    const { capsules } = (await memory.list({ include_archived: true, include_cold: true })).body;
    expect(capsules[0]).toEqual({
      subject_kind: 'user',
      subject_id: 'a',
      path: 'memory/continuity/cold/index/user-a-20260401T120000Z.md',
      updated_at: null,
      verified_at: null,
      verification_kind: null,
      freshness_class: null,
      phase: 'expired_by_age',
      verification_status: 'unverified',
      health_status: 'healthy',
      health_reasons: [],
      artifact_state: 'cold',
      retention_class: 'cold',
      stable_preference_count: null,
      rationale_entry_count: null,
      thread_descriptor: null,
      source_archive_path: path,
      cold_stub_path: 'memory/continuity/cold/index/user-a-20260401T120000Z.md',
      cold_storage_path: 'memory/continuity/cold/user-a-20260401T120000Z.json.gz',
      archived_at: '2026-04-01T12:00:00Z',
      cold_stored_at: '2026-07-01T12:00:00Z',
    });
    const again = await memory.ops('continuity_cold_store', { source_archive_path: path });
    expect(again.body.job_result.recovery_warnings).toEqual(['continuity_cold_store_crash_recovery']);
    const found = await memory.call<{ results: { matches: object[] }[] }>('search', {
      query: 'Needle',
      include_archived: true,
    });
    expect(found.body.results.map((row) => row.matches)).toEqual([
      [{ field: 'continuity.open_loops', snippet: '- needle in cold storage' }],
      [{ field: 'continuity.open_loops', snippet: '- needle in cold storage' }],
    ]);
    const elsewhere = await memory.call('search', {
      query: 'Needle',
      include_archived: true,
      fields: ['continuity.top_priorities'],
    });
    expect(elsewhere.body.count).toBe(0);
    const stub = 'memory/continuity/cold/index/user-a-20260401T120000Z.md';
    const back = await memory.ops('continuity_cold_rehydrate', { cold_stub_path: stub });
    expect(back.body.job_result).toMatchObject({ artifact_state: 'archived', restored_archive_path: path });
    expect(refusal(await memory.ops('continuity_cold_rehydrate', { cold_stub_path: stub }))).toEqual([
      404,
      'Continuity cold stub not found',
    ]);
    const diff = await memory.call('diff', { subject_kind: 'user', subject_id: 'a', from: path, to: 1 });
    expect(diff.body.identical).toBe(true);
  });

  test.each(['a..b', '...', ' padded '])('the id %j goes into cold storage and comes back', async (id) => {
    memory = await home.owner();
    await memory.store('user', id);
    const { archived_path: path } = (
      await memory.call<{ archived_path: string }>('archive', {
        subject_kind: 'user',
        subject_id: id,
        reason: 'done',
      })
    ).body;
    expect((await memory.ops('continuity_cold_store', { source_archive_path: path })).status).toBe(200);
    const { capsules } = (await memory.list({ include_cold: true })).body;
    expect(capsules.map((row) => [row.subject_id, row.source_archive_path])).toEqual([[id, path]]);
    const stub = String(capsules[0]?.cold_stub_path);
    const back = await memory.ops('continuity_cold_rehydrate', { cold_stub_path: stub });
    expect(back.body.job_result).toMatchObject({ ok: true, restored_archive_path: path });
  });

  test('a path that leads out of its folder is none of it', async () => {
    memory = await home.owner();
    const path = 'memory/continuity/archive/../user-a-20260401T120000Z.json';
    expect(refusal(await memory.ops('continuity_cold_store', { source_archive_path: path }))).toEqual([
      400,
      'source_archive_path must be under memory/continuity/archive/',
    ]);
  });

  test('jobs refuse what they cannot do', async () => {
    memory = await home.owner();
    expect(
      refusal(await memory.ops('continuity_cold_store', { source_archive_path: 'memory/x.json' })),
    ).toEqual([400, 'source_archive_path must be under memory/continuity/archive/']);
    const unknown = 'memory/continuity/archive/user-a-20260401T120000Z.json';
    expect(refusal(await memory.ops('continuity_cold_store', { source_archive_path: unknown }))).toEqual([
      404,
      'Continuity archive envelope not found',
    ]);
    expect(refusal(await memory.ops('continuity_cold_rehydrate', { cold_stub_path: 'memory/x.md' }))).toEqual(
      [400, 'cold_stub_path must be under memory/continuity/cold/index/'],
    );
    expect((await memory.ops('continuity_cold_store', {})).status).toBe(422);
    expect((await memory.ops('continuity_cold_rehydrate', {})).status).toBe(422);
    expect((await memory.ops('continuity_retention_apply', { source_archive_paths: [] })).status).toBe(422);
    expect((await memory.ops('make_coffee', {})).status).toBe(422);
    const { body } = await home.people.call<{ api_key: string }>('POST', '/v1/keys', {
      key: memory.key,
      body: { scopes: ['read:files', 'write:projects'] },
    });
    const lesser = await home.people.call('POST', '/v1/ops/run', {
      key: body.api_key,
      body: { job_id: 'continuity_cold_store', arguments: { source_archive_path: unknown } },
    });
    expect(refusal(lesser)).toEqual([403, 'Missing scope: admin:peers']);
  });

  test('archives are old after as many days as the setting says', async () => {
    const strict = await startMemory(start, { continuityRetentionArchiveDays: 2 });
    memory = await strict.owner();
    await memory.store('user', 'a');
    await memory.call('archive', { subject_kind: 'user', subject_id: 'a', reason: 'over' });
    const count = async () => (await memory.call('retention/plan', {})).body.count;
    await strict.clock.leap(2 * 86_400_000 - 1000);
    expect(await count()).toBe(0);
    await strict.clock.leap(2000);
    expect(await count()).toBe(1);
  });
});
