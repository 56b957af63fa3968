import { beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';
import { plantDocument } from '../testing/plant-document.ts';

const asDocument = (change: object = {}) => JSON.stringify({ ...baseCapsule('user', 'a'), ...change });

const snapshotOf = (capsule: string) =>
  `{"schema_type":"continuity_fallback_snapshot","schema_version":"1.0","captured_at":"${T(1)}","capsule":${capsule}}`;

const archiveFrom = (at: string) =>
  `{"schema_type":"continuity_archive_envelope","schema_version":"1.1","archived_at":"${at}","capsule":${asDocument()}}`;

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
    plantDocument(
      home.server.context.continuity.service,
      memory.ownerId,
      `memory/continuity/${path}`,
      Buffer.from(content),
    );

  test('an upsert goes over what cannot be read', async () => {
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

  test('over what cannot be read, preserving without a snapshot is replacing', async () => {
    memory = await home.owner();
    const written = async (id: string, merge_mode: string) => {
      await plant(`user-${id}.json`, '{nope');
      const { body } = await memory.upsert(baseCapsule('user', id, T(2)), { merge_mode });
      return [shape(body), { ...(await memory.capsule('user', id)), subject_id: '' }];
    };
    const preserved = await written('a', 'preserve');
    expect(preserved).toEqual(await written('b', 'replace'));
    expect(preserved[0]).toMatchObject({
      created: false,
      updated: true,
      recovery_warnings: ['continuity_active_invalid'],
    });
  });

  test.each([
    ['{nope', 'Invalid continuity capsule JSON: not JSON', 'not JSON'],
    ['[]', 'Invalid continuity capsule: not an object', 'not an object'],
  ])('what every other operation says of %s', async (document, strict, reason) => {
    memory = await home.owner();
    await plant('thread-a.json', document);
    const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }];
    const told = async (operation: string, more: object) =>
      refusal(await memory.call(operation, { subject_kind: 'thread', subject_id: 'a', ...more }));
    expect(await told('lifecycle', { transition: 'suspend', updated_at: T(2) })).toEqual([
      400,
      `stored capsule is invalid: ${reason}`,
    ]);
    const candidate_capsule = baseCapsule('thread', 'a');
    expect(await told('compare', { candidate_capsule, signals })).toEqual([400, strict]);
    expect(await told('revalidate', { outcome: 'confirm', signals })).toEqual([400, strict]);
    expect(await told('archive', { reason: 'is over' })).toEqual([400, strict]);
    expect(refusal(await memory.read('thread', 'a'))).toEqual([400, strict]);
  });

  test.each([
    ['open_loops', 161, 'open_loops'],
    ['session_trajectory', 81, 'continuity.session_trajectory'],
    ['curiosity_queue', 121, 'continuity.curiosity_queue'],
  ])('an item of %s that is too long can be read, but not written again', async (list, length, name) => {
    memory = await home.owner();
    const { continuity } = baseCapsule('user', 'a');
    const item = 'x'.repeat(length);
    await plant('user-a.json', asDocument({ continuity: { ...continuity, [list]: [item] } }));
    expect((await memory.read('user', 'a')).body.capsule.continuity).toMatchObject({ [list]: [item] });
    const operations = [{ target: 'continuity.top_priorities', action: 'append', value: 'x' }];
    const patch = { subject_kind: 'user', subject_id: 'a', updated_at: T(2), operations };
    const told = [400, `Value too long in ${name}`];
    expect(refusal(await memory.call('patch', patch))).toEqual(told);
    // Neither what is empty nor what is not sent takes the place of what is stored.
    const capsule = baseCapsule('user', 'a', T(2), { continuity: { open_loops: [] } });
    expect(refusal(await memory.upsert(capsule, { merge_mode: 'preserve' }))).toEqual(told);
    expect((await memory.capsule('user', 'a')).updated_at).toBe(T(1));
    expect((await memory.upsert(capsule)).status).toBe(200);
    expect((await memory.call('patch', { ...patch, updated_at: T(3) })).status).toBe(200);
  });

  test('the snapshot stands in for an active document that is no object', async () => {
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

  test('a byte order mark before a document, to a list as to a read', async () => {
    memory = await home.owner();
    await plant('user-a.json', `\uFEFF${asDocument()}`);
    expect((await memory.read('user', 'a')).status).toBe(400);
    expect((await memory.list()).body.count).toBe(0);
  });

  test('a user with a descriptor is found by it only as long as it has one', async () => {
    memory = await home.owner();
    await plant('user-a.json', asDocument({ thread_descriptor: { label: 'odd', keywords: ['tides'] } }));
    expect((await memory.list({ keyword: 'tides' })).body.unique_match).toBe(true);
    await memory.store('user', 'a', {}, T(2));
    expect((await memory.list({ keyword: 'tides' })).body.count).toBe(0);
  });

  test('a document without its time is refused', async () => {
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

  test.each([
    ['of an unknown schema_version', { schema_version: '2.0' }],
    ['without a source', { source: undefined }],
    ['without confidence', { confidence: undefined }],
    ...[
      'top_priorities',
      'active_concerns',
      'active_constraints',
      'open_loops',
      'stance_summary',
      'drift_signals',
    ].map((field): [string, object] => [
      `without ${field}`,
      { continuity: { ...baseCapsule('user', 'a').continuity, [field]: undefined } },
    ]),
  ])('a document %s is no capsule, and is not made one', async (_name, change) => {
    memory = await home.owner();
    await plant('user-a.json', asDocument(change));
    await plant('fallback/user-a.json', snapshotOf(asDocument(change)));
    const [status, text] = refusal(await memory.read('user', 'a'));
    expect([status, text]).toEqual([400, expect.stringMatching(/^Invalid continuity capsule: ./)]);
    expect((await memory.read('user', 'a', { allow_fallback: true })).body).toMatchObject({
      source_state: 'missing',
      recovery_warnings: ['continuity_active_invalid', 'continuity_fallback_missing'],
    });
  });

  const epoch = '1970-01-01T00:00:00Z';
  test.each([
    ['blank borrows the other', '', T(3), [T(3), T(3)]],
    ['null borrows the other', null, T(3), [T(3), T(3)]],
    ['that cannot be read borrows nothing', 'once', T(3), [epoch, T(3)]],
    ['blank does not borrow what cannot be read', '', 'once', [epoch, epoch]],
  ])('a time %s, and dates no entry', async (_name, updated_at, verified_at, times) => {
    memory = await home.owner();
    const preference = { tag: 't', content: 'c' };
    const decision = { decision: 'd', rationale: 'r' };
    const dated = {
      tag: 's',
      kind: 'decision',
      status: 'active',
      summary: 's',
      reasoning: 'r',
      set_at: T(2),
    };
    const { continuity } = baseCapsule('user', 'a');
    const document = asDocument({
      schema_version: '',
      updated_at,
      verified_at,
      stable_preferences: [preference],
      continuity: { ...continuity, negative_decisions: [decision], rationale_entries: [dated] },
    });
    await plant('user-a.json', document);
    const capsule = await memory.capsule('user', 'a');
    expect([capsule.updated_at, capsule.verified_at]).toEqual(times);
    expect(capsule.stable_preferences).toEqual([preference]);
    expect(capsule.continuity.negative_decisions).toEqual([decision]);
    expect(capsule.continuity.rationale_entries).toEqual([
      expect.objectContaining({ tag: 's', created_at: T(2), updated_at: T(2) }),
    ]);
  });

  test('documents that carry content are left out, with a warning of their own', async () => {
    memory = await home.owner();
    const base = baseCapsule('user', 'a');
    const entry = { path: 'a.md', kind: 'note', label: 'A', content: 'smuggled' };
    await plant(
      'user-a.json',
      JSON.stringify({ ...base, continuity: { ...base.continuity, related_documents: [entry] } }),
    );
    const { body } = await memory.read('user', 'a');
    expect(body.recovery_warnings).toEqual(['related_documents_omitted_non_metadata']);
    expect(body.capsule.continuity).not.toHaveProperty('related_documents');
  });

  test('an archive whose name tells another time is none', async () => {
    memory = await home.owner();
    const path = 'archive/user-a-20250101T000000Z.json';
    await plant(path, archiveFrom('2025-01-01T00:00:01Z'));
    const { body } = await memory.call('retention/plan', {});
    expect([body.candidates, body.warnings]).toEqual([
      [],
      [`continuity_retention_skipped_invalid_archive:memory/continuity/${path}`],
    ]);
    expect((await memory.list({ include_archived: true })).body.count).toBe(0);
    await plant(path, archiveFrom('2025-01-01T00:00:00.9Z'));
    expect((await memory.call('retention/plan', {})).body).toMatchObject({ count: 1, warnings: [] });
  });

  test('a time nobody can read is the beginning of time', async () => {
    memory = await home.owner();
    await plant('user-a.json', asDocument({ verified_at: 'once' }));
    const { capsule, trust_signals: trust } = (await memory.read('user', 'a')).body;
    expect(capsule.verified_at).toBe('1970-01-01T00:00:00Z');
    expect(trust.recency).toMatchObject({ phase: 'expired', verified_age_seconds: null });
  });

  test('what is nested without end is no capsule, and hurts nobody', async () => {
    memory = await home.owner();
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const plain = asDocument().slice(0, -1);
    await plant('fallback/user-a.json', snapshotOf(asDocument()));
    await plant('user-a.json', `${plain},"metadata":{"a":${deep}}}`);
    expect(refusal(await memory.read('user', 'a'))).toEqual([
      400,
      'Invalid continuity capsule: metadata: nested too deeply',
    ]);
    const fallback = await memory.read('user', 'a', { allow_fallback: true, view: 'startup' });
    expect([fallback.status, fallback.body.source_state]).toEqual([200, 'fallback']);
    const envelope = `{"schema_type":"continuity_archive_envelope","schema_version":"1.1","archived_at":"${T(1)}"`;
    await plant('archive/user-a-20260301T120000Z.json', `${envelope},"capsule":${plain},"x":${deep}}}`);
    const path = 'memory/continuity/archive/user-a-20260301T120000Z.json';
    expect(refusal(await memory.ops('continuity_cold_store', { source_archive_path: path }))).toEqual([
      400,
      'Invalid continuity archive envelope capsule: nested too deeply',
    ]);
    await plant('fallback/user-a.json', snapshotOf(`${plain},"metadata":{"a":${deep}}}`));
    expect((await memory.read('user', 'a', { allow_fallback: true })).body.source_state).toBe('missing');
    expect((await memory.store('user', 'a', {}, T(2))).body.updated).toBe(true);
    expect((await memory.read('user', 'a')).status).toBe(200);
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

  test('a stub that speaks of another subject than its name', async () => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const { archived_path: path } = (
      await memory.call<{ archived_path: string }>('archive', {
        subject_kind: 'user',
        subject_id: 'a',
        reason: 'done',
      })
    ).body;
    await memory.ops('continuity_cold_store', { source_archive_path: path });
    const stub = 'cold/index/user-a-20260401T120000Z.md';
    const { database } = home.server.context;
    const row = await database.read.get<{ stub: string }>(
      sql`SELECT stub FROM continuity_artifacts WHERE owner_id = ${memory.ownerId} AND state = 3`,
    );
    await plant(stub, (row?.stub ?? '').replace('subject_id: a\n', 'subject_id: b\n'));
    expect((await memory.list({ include_cold: true })).body.count).toBe(0);
    const cold = { cold_stub_path: `memory/continuity/${stub}` };
    expect(refusal(await memory.ops('continuity_cold_rehydrate', cold))).toEqual([
      400,
      'Continuity cold stub subject does not match its name',
    ]);
    await plant(stub, row?.stub ?? '');
    expect((await memory.ops('continuity_cold_rehydrate', cold)).status).toBe(200);
  });

  test('what is too large is told before what is too old, by every transport', async () => {
    memory = await home.owner();
    await memory.store('user', 'big', {}, T(2));
    const capsule = baseCapsule('user', 'big', T(1), {
      attention_policy: { early_load: ['x'.repeat(20_480)] },
    });
    const request = { subject_kind: 'user', subject_id: 'big', capsule };
    const text = 'Continuity capsule exceeds 20 KB serialized UTF-8';
    expect(refusal(await memory.call('upsert', request))).toEqual([400, text]);
    const { identity, continuity } = home.server.context;
    const caller = await identity.authenticate(memory.key);
    if (!caller) throw new Error('not authenticated');
    await expect(continuity.service.call('continuity.upsert', caller, request)).rejects.toMatchObject({
      status: 400,
      detail: text,
    });
  });

  test('the same operation answers the same by another transport', async () => {
    memory = await home.owner();
    const { identity, continuity } = home.server.context;
    await memory.store('user', 'http', { continuity: { trailing_notes: ['n'] } });
    await memory.store('user', 'tool', { continuity: { trailing_notes: ['n'] } });
    const caller = await identity.authenticate(memory.key);
    if (!caller) throw new Error('not authenticated');
    const overHttp = await memory.call('upsert', preserving('http'));
    const asTool = await continuity.service.call('continuity.upsert', caller, preserving('tool'));
    expect(shape(asTool)).toEqual(shape(overHttp.body));
    const read = async (id: string) => (await memory.capsule('user', id)).continuity;
    expect(await read('tool')).toEqual(await read('http'));
    expect((await read('tool')).trailing_notes).toEqual(['n']);
    await expect(continuity.service.call('continuity.upsert', caller, {})).rejects.toMatchObject({
      status: 422,
    });
  });
});
