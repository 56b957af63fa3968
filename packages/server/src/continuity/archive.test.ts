import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { baseCapsule, T } from './testing/base-capsule.ts';
import { breach, type Memory, type MemoryServer, refusal, startMemory } from './testing/memory.ts';

const DAY = 86_400_000;

describeEachServer('continuity › archive and delete', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const archive = (id: string, reason = 'finished') =>
    memory.call<{ archived_path: string; detail: string }>('archive', {
      subject_kind: 'user',
      subject_id: id,
      reason,
    });
  const remove = (id: string, flags: object) =>
    memory.call('delete', { subject_kind: 'user', subject_id: id, reason: 'not needed', ...flags });

  test('row 96: a short reason, nobody there', async () => {
    memory = await home.owner();
    expect(breach(await archive('a', 'no'))).toEqual([422, 'string_too_short']);
    expect(refusal(await archive('a'))).toEqual([404, 'Continuity capsule not found']);
  });

  test('row 97: archived, and listed as such', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const { status, body } = await archive('a');
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        archived_path: 'memory/continuity/archive/user-a-20260401T120000Z.json',
        removed_active_path: 'memory/continuity/user-a.json',
        durable: true,
        latest_commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        warnings: [],
      },
    ]);
    const { capsules } = (await memory.list({ include_archived: true })).body;
    expect(capsules).toHaveLength(1);
    expect(capsules[0]).toMatchObject({
      artifact_state: 'archived',
      retention_class: 'archive_recent',
      path: 'memory/continuity/user-a.json',
      archive_path: body.archived_path,
      archived_at: '2026-04-01T12:00:00Z',
    });
    expect((await archive('a')).status).toBe(404);
  });

  test('the snapshot goes on answering, and says that the capsule is archived', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const { body } = await archive('a');
    const read = await memory.read('user', 'a', { allow_fallback: true });
    expect([read.body.source_state, read.body.recovery_warnings, read.body.notices]).toEqual([
      'fallback',
      ['continuity_active_missing', 'continuity_fallback_used'],
      [`continuity_archived:${body.archived_path}`],
    ]);
  });

  test('row 98: no flag, and nothing to delete', async () => {
    memory = await home.owner();
    const none = await remove('a', {});
    expect(breach(none)).toEqual([422, 'value_error']);
    expect(none.text).toContain('at least one delete flag must be true');
    const all = await remove('a', { delete_active: true, delete_archive: true, delete_fallback: true });
    expect([all.status, all.body.deleted_paths, all.body.missing_paths]).toEqual([
      200,
      [],
      ['memory/continuity/user-a.json', 'memory/continuity/fallback/user-a.json'],
    ]);
  });

  test('row 99: the active capsule alone', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const { status, body } = await remove('a', { delete_active: true });
    expect([status, body.deleted_paths]).toEqual([200, ['memory/continuity/user-a.json']]);
    expect((await memory.read('user', 'a', { allow_fallback: true })).body.source_state).toBe('fallback');
  });

  test('archives of a subject and of no other', async () => {
    memory = await home.owner();
    await memory.store('user', 'rel');
    await memory.store('user', 'rel-2024');
    await archive('rel');
    await archive('rel-2024');
    const { body } = await remove('rel', { delete_archive: true });
    expect(body.deleted_paths).toEqual(['memory/continuity/archive/user-rel-20260401T120000Z.json']);
    const { capsules } = (await memory.list({ include_archived: true })).body;
    expect(capsules.map((row) => row.subject_id)).toEqual(['rel-2024']);
  });

  test('row 108: two archives in one second (D9)', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const first = await archive('a');
    await memory.store('user', 'a', {}, T(2));
    const second = await archive('a');
    expect(second.body.archived_path).toBe('memory/continuity/archive/user-a-20260401T120001Z.json');
    const { capsules } = (await memory.list({ include_archived: true })).body;
    expect(capsules.map((row) => row.archive_path)).toEqual([
      first.body.archived_path,
      second.body.archived_path,
    ]);
  });
});

describeEachServer('continuity › planning', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const signals = [{ kind: 'user_confirmation', source_ref: 'r', observed_at: T(1), summary: 's' }];

  test('row 100: one capsule nobody verified', async () => {
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
    memory = await home.owner();
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
    expect(await plan()).toEqual(usual);
    expect(await plan({ include_healthy: true })).toEqual([...usual, ['fine', ['recently_used'], 'low']]);
    expect(await plan({ limit: 1 })).toEqual(usual.slice(0, 1));
  });

  test('row 101: nothing archived', async () => {
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

  test('row 102: plans are no capsules', async () => {
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
      warnings: [`duplicate_source_archive_path:${other}`],
    });
    const results = applied.body.job_result.results as { status: string }[];
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
      [{ field: 'open_loops', snippet: '- needle in cold storage' }],
      [{ field: 'open_loops', snippet: '- needle in cold storage' }],
    ]);
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
});

const asDocument = (change: object = {}) => JSON.stringify({ ...baseCapsule('user', 'a'), ...change });

const snapshotOf = (capsule: string) =>
  `{"schema_type":"continuity_fallback_snapshot","schema_version":"1.0","captured_at":"${T(1)}","capsule":${capsule}}`;

const preserving = (id: string) => ({
  subject_kind: 'user',
  subject_id: id,
  merge_mode: 'preserve',
  capsule: { ...baseCapsule('user', id, T(2)), canonical_sources: null },
});

const shape = (answer: object) => ({ ...answer, path: '', latest_commit: '', capsule_sha256: '' });

describeEachServer('continuity › planted documents', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const plant = (path: string, content: string | Buffer) =>
    home.server.context.continuity.plant(memory.ownerId, `memory/continuity/${path}`, Buffer.from(content));

  test('row 103: an upsert over what cannot be read (D5)', async () => {
    memory = await home.owner();
    await plant('user-a.json', '{nope');
    expect(refusal(await memory.read('user', 'a'))).toEqual([
      400,
      'Invalid continuity capsule JSON: not JSON',
    ]);
    expect((await memory.list()).body.count).toBe(0);
    const operations = [{ target: 'continuity.open_loops', action: 'append', value: 'x' }];
    const patch = { subject_kind: 'user', subject_id: 'a', updated_at: T(2), operations };
    expect(refusal(await memory.call('patch', patch))).toEqual([400, 'stored capsule is invalid: not JSON']);
    const { status, body } = await memory.upsert(baseCapsule('user', 'a'));
    expect([status, body.created, body.updated, body.recovery_warnings]).toEqual([
      200,
      false,
      true,
      ['continuity_active_invalid'],
    ]);
    expect((await memory.read('user', 'a')).body.recovery_warnings).toEqual([]);
  });

  test('over what cannot be read, preserving from the snapshot', async () => {
    memory = await home.owner();
    await memory.store('user', 'a', { continuity: { trailing_notes: ['kept'] } }, T(9));
    await plant('user-a.json', '{nope');
    const { body } = await memory.upsert(baseCapsule('user', 'a', T(2)), { merge_mode: 'preserve' });
    expect(body.recovery_warnings).toEqual(['continuity_active_invalid', 'continuity_fallback_used']);
    expect((await memory.capsule('user', 'a')).continuity.trailing_notes).toEqual(['kept']);
  });

  test('row 104: the snapshot stands in for an active document that is no object (D6)', async () => {
    memory = await home.owner();
    await plant('user-a.json', '[]');
    await plant('fallback/user-a.json', snapshotOf(asDocument()));
    const { status, body } = await memory.read('user', 'a', { allow_fallback: true });
    expect([status, body.source_state, body.recovery_warnings]).toEqual([
      200,
      'fallback',
      ['continuity_active_invalid', 'continuity_fallback_used'],
    ]);
    expect(refusal(await memory.read('user', 'a'))).toEqual([
      400,
      'Invalid continuity capsule: not an object',
    ]);
  });

  test('bytes that are no text', async () => {
    memory = await home.owner();
    await plant('user-a.json', Buffer.from([0xff, 0xfe, 0x00]));
    expect(refusal(await memory.read('user', 'a'))).toEqual([
      400,
      'Invalid continuity capsule JSON: not UTF-8',
    ]);
  });

  test('row 105: a document without its time (R3)', async () => {
    memory = await home.owner();
    const { updated_at: _left, ...rest } = baseCapsule('user', 'a');
    await plant('user-a.json', JSON.stringify(rest));
    const [status, text] = refusal(await memory.read('user', 'a'));
    expect([status, String(text).startsWith('Invalid continuity capsule')]).toEqual([400, true]);
  });

  test('a document of another subject', async () => {
    memory = await home.owner();
    await plant('user-b.json', asDocument());
    for (const allow_fallback of [false, true]) {
      expect(refusal(await memory.read('user', 'b', { allow_fallback }))).toEqual([
        400,
        'Continuity capsule subject does not match requested subject',
      ]);
    }
  });

  test('a document of an older make', async () => {
    memory = await home.owner();
    const entry = { decision: 'd', rationale: 'r', set_at: T(3) };
    const document = {
      ...baseCapsule('user', 'a'),
      schema_version: '1.0',
      verified_at: '',
      updated_at: '2026-03-01T12:00:00.5+00:00',
      stable_preferences: [{ tag: 't', content: 'c' }],
      continuity: {
        ...baseCapsule('user', 'a').continuity,
        negative_decisions: [entry],
        related_documents: 'x',
      },
    };
    await plant('user-a.json', JSON.stringify(document));
    const { body } = await memory.read('user', 'a');
    const at = '2026-03-01T12:00:00.500000Z';
    expect(body.recovery_warnings).toEqual(['related_documents_omitted_invalid']);
    expect(body.capsule).toMatchObject({
      schema_version: '1.1',
      updated_at: at,
      verified_at: at,
      stable_preferences: [{ tag: 't', content: 'c', created_at: at, updated_at: at }],
    });
    expect(body.capsule.continuity.negative_decisions).toEqual([
      { decision: 'd', rationale: 'r', created_at: T(3), updated_at: T(3) },
    ]);
    expect((await memory.list()).body.capsules[0]).toMatchObject({ subject_id: 'a', updated_at: at });
  });

  test('a time nobody can read is the beginning of time', async () => {
    memory = await home.owner();
    await plant('user-a.json', asDocument({ verified_at: 'once' }));
    const { capsule, trust_signals: trust } = (await memory.read('user', 'a')).body;
    expect(capsule.verified_at).toBe('1970-01-01T00:00:00Z');
    expect(trust.recency).toMatchObject({ phase: 'expired', verified_age_seconds: null });
  });

  test('archives and cold copies that do not fit their names', async () => {
    memory = await home.owner();
    const name = 'user-a-20260101T000000Z';
    await plant(`archive/${name}.json`, '{}');
    await plant(`archive/user-b-20260101T000000Z.json`, '{nope');
    await plant(`cold/index/user-b-20260101T000000Z.md`, '---\n---\n');
    const { warnings } = (await memory.call('retention/plan', {})).body;
    expect(warnings).toEqual([
      'continuity_retention_partial_cold_conflict:memory/continuity/archive/user-b-20260101T000000Z.json',
      `continuity_retention_skipped_invalid_archive:memory/continuity/archive/${name}.json`,
      'continuity_retention_skipped_invalid_archive:memory/continuity/archive/user-b-20260101T000000Z.json',
    ]);
    const path = `memory/continuity/archive/${name}.json`;
    expect(refusal(await memory.ops('continuity_cold_store', { source_archive_path: path }))).toEqual([
      400,
      'Invalid continuity archive envelope schema_type',
    ]);
    await plant('cold/user-c-20260101T000000Z.json.gz', 'no gzip');
    const cold = { cold_stub_path: 'memory/continuity/cold/index/user-c-20260101T000000Z.md' };
    expect(refusal(await memory.ops('continuity_cold_rehydrate', cold))).toEqual([
      404,
      'Continuity cold stub not found',
    ]);
    expect((await memory.list({ include_archived: true, include_cold: true })).body.count).toBe(0);
  });

  test('row 107: the same operation by another transport', async () => {
    memory = await home.owner();
    const { identity, continuity } = home.server.context;
    await memory.store('user', 'http', { continuity: { trailing_notes: ['n'] } });
    await memory.store('user', 'tool', { continuity: { trailing_notes: ['n'] } });
    const caller = await identity.authenticate(memory.key);
    if (!caller) throw new Error('not authenticated');
    const overHttp = await memory.call('upsert', preserving('http'));
    const asTool = await continuity.call('continuity.upsert', caller, preserving('tool'));
    expect(shape(asTool)).toEqual(shape(overHttp.body));
    const read = async (id: string) => (await memory.capsule('user', id)).continuity;
    expect(await read('tool')).toEqual(await read('http'));
    expect((await read('tool')).trailing_notes).toEqual(['n']);
    await expect(continuity.call('continuity.upsert', caller, {})).rejects.toMatchObject({ status: 422 });
  });
});
