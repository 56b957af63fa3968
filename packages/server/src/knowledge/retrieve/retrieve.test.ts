import { beforeAll, expect, test } from 'vitest';
import { daysAgo, refusal } from '../../continuity/testing/memory.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { bundleOf, retrieve } from '../testing/bundle.ts';
import { type Library, type LibraryServer, startLibrary } from '../testing/library.ts';
import { plantDocument } from '../../continuity/testing/plant-document.ts';

const thread = (id: string) => ({ subject_kind: 'thread', subject_id: id });
const fresh = { verified_at: daysAgo(1), updated_at: daysAgo(1) };

async function degrade(library: Library, id: string): Promise<void> {
  const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: daysAgo(1), summary: 's' }];
  const body = { ...thread(id), outcome: 'degrade', signals, reason: 'unsure' };
  const answer = await library.memory.call('revalidate', body);
  if (answer.status !== 200) throw new Error(answer.text);
}

describeEachServer('retrieve › capsules', (start) => {
  let home: LibraryServer;
  let library: Library;
  beforeAll(async () => {
    home = await startLibrary(start);
    library = await home.library();
    await library.rebuild();
    for (const [kind, id] of [
      ['thread', 'th1'],
      ['user', 'stef'],
      ['peer', 'p1'],
    ] as const) {
      await library.memory.store(kind, id, fresh);
    }
  });
  const removeActive = (id: string) =>
    library.memory.call('delete', { ...thread(id), delete_active: true, reason: 'for the test' });

  test('needs a caller, the scope and a task', async () => {
    expect((await home.people.call('POST', '/v1/context/retrieve', { body: { task: 'hello' } })).status).toBe(
      401,
    );
    const reader = await library.lesser({ scopes: ['read:files'] });
    expect(refusal(await retrieve(reader, {}))).toEqual([403, 'Missing scope: search']);
    const { status, text } = await library.post('/v1/context/retrieve', {});
    expect([status, text]).toEqual([422, expect.stringContaining('"task"')]);
  });

  test('of a fresh owner nothing is there, and it says so', async () => {
    const own = await home.library();
    const bundle = await bundleOf(own, { task: 'hello' });
    expect(bundle).toEqual({
      task: 'hello',
      generated_at: '2026-04-01T12:00:00Z',
      core_memory: [],
      recent_relevant: [],
      open_questions: [],
      token_budget_hint: 12_000,
      time_window_days: 30,
      notes: expect.any(Array),
      continuity_state: {
        present: false,
        requested_selectors: [],
        omitted_selectors: [],
        capsules: [],
        selection_order: [],
        budget: {
          requested_max_tokens_estimate: 12_000,
          token_budget_hint: 12_000,
          continuity_tokens_reserved: 12_000,
          continuity_tokens_used: 0,
        },
        warnings: [],
        fallback_used: false,
        recovery_warnings: ['continuity_index_missing'],
        trust_signals: null,
        salience_metadata: null,
      },
      graph_context: expect.objectContaining({
        anchor: null,
        warnings: [
          { code: 'graph_anchor_not_provided', message: 'No graph anchor was provided.', details: {} },
        ],
      }),
    });
    expect(bundle.notes.length).toBeGreaterThan(0);
    expect(bundle).not.toHaveProperty('schedule_context');
  });

  test('half a subject is refused in every mode, and so is what is out of bounds', async () => {
    for (const body of [
      { subject_kind: 'task' },
      { subject_id: 'a', continuity_mode: 'off' },
      { subject_kind: 'user', subject_id: '' },
    ]) {
      expect(refusal(await retrieve(library, body))).toEqual([
        400,
        'subject_kind and subject_id must be provided together',
      ]);
    }
    const five = Array.from({ length: 5 }, (_, n) => thread(`t${n}`));
    for (const body of [
      { max_tokens_estimate: 255 },
      { max_tokens_estimate: 100_001 },
      { max_tokens_estimate: 300.5 },
      { continuity_selectors: five },
      { continuity_selectors: [{ subject_kind: 'user', subject_id: '' }] },
      { continuity_max_capsules: 5 },
      { time_window_days: 0 },
      { limit: 101 },
    ]) {
      expect((await retrieve(library, body)).status).toBe(422);
    }
    expect(refusal(await retrieve(library, thread('---')))).toEqual([400, 'Normalized subject_id is empty']);
  });

  test('a required capsule that nobody asked for, or that is not there, is not found', async () => {
    for (const body of [{}, thread('none')]) {
      expect(refusal(await retrieve(library, { ...body, continuity_mode: 'required' }))).toEqual([
        404,
        'Continuity capsule not found',
      ]);
    }
  });

  test('a subject is taken from the text of the task where none is named, but never a user', async () => {
    const bundle = await bundleOf(library, { task: ' thread: th1 ' });
    expect(bundle.continuity_state.selection_order).toEqual(['inferred:thread:th1']);
    expect(bundle.graph_context.warnings[0]?.code).toBe('graph_anchor_not_provided');
    expect(bundle).not.toHaveProperty('schedule_context');
    for (const task of ['user:stef', 'Thread:th1', 'about thread:th1', 'thread:']) {
      expect((await bundleOf(library, { task })).continuity_state.requested_selectors).toEqual([]);
    }
  });

  test('subject and selectors are asked for once each, and cut without a word', async () => {
    const body = {
      subject_kind: 'user',
      subject_id: 'stef',
      continuity_selectors: [
        { subject_kind: 'user', subject_id: 'STEF' },
        { subject_kind: 'peer', subject_id: 'p1' },
      ],
    };
    const all = (await bundleOf(library, { ...body, continuity_max_capsules: 4 })).continuity_state;
    expect(all.requested_selectors).toEqual(['user:stef', 'peer:p1']);
    expect(all.selection_order).toEqual(['explicit:peer:p1', 'explicit:user:stef']);
    expect(all.capsules.map(({ salience }) => salience?.rank)).toEqual([0, 1]);
    expect(all.trust_signals?.scope_match).toEqual({
      selectors_requested: 2,
      selectors_returned: 2,
      selectors_omitted: 0,
      all_returned: true,
    });
    const one = (await bundleOf(library, body)).continuity_state;
    expect([one.capsules.length, one.omitted_selectors, one.warnings]).toEqual([1, ['peer:p1'], []]);
  });

  test('what is missing is told, with and without the fallback', async () => {
    const gone = { subject_kind: 'task', subject_id: 'nope' };
    const { continuity_state: both } = await bundleOf(library, gone);
    expect(both.recovery_warnings).toEqual(['continuity_active_missing', 'continuity_fallback_missing']);
    expect(both.omitted_selectors).toEqual(['task:nope']);
    const policy = { continuity_resilience_policy: 'require_active' };
    const { continuity_state: alone } = await bundleOf(library, { ...gone, ...policy });
    expect(alone.recovery_warnings).toEqual(['continuity_active_missing']);
  });

  test('the fallback stands in, and its warnings name it among others', async () => {
    await library.memory.store('thread', 'six', fresh);
    await removeActive('six');
    const { continuity_state: state } = await bundleOf(library, thread('six'));
    expect(state.capsules[0]).toMatchObject({
      source_state: 'fallback',
      trust_signals: { scope_match: { exact: false } },
    });
    expect(state.fallback_used).toBe(true);
    expect(state.recovery_warnings).toEqual(['continuity_active_missing', 'continuity_fallback_used']);
    const { continuity_state: named } = await bundleOf(library, {
      continuity_selectors: [thread('six'), { subject_kind: 'user', subject_id: 'zz' }],
      continuity_max_capsules: 4,
    });
    expect(named.recovery_warnings).toEqual([
      'continuity_active_missing:thread:six',
      'continuity_fallback_used:thread:six',
      'continuity_active_missing:user:zz',
      'continuity_fallback_missing:user:zz',
    ]);
    expect(named.trust_signals?.scope_match).toEqual({
      selectors_requested: 2,
      selectors_returned: 1,
      selectors_omitted: 1,
      all_returned: false,
    });
  });

  test('an id in another spelling finds its capsule, which shows its own', async () => {
    const { continuity_state: state } = await bundleOf(library, thread('TH1'));
    expect(state.selection_order).toEqual(['explicit:thread:TH1']);
    expect(state.capsules[0]?.subject_id).toBe('th1');
  });

  test('what may not be read is left out as if it were not there', async () => {
    const none = await library.lesser({ read_namespaces: ['projects'] });
    expect((await bundleOf(none, thread('th1'))).continuity_state.recovery_warnings).toEqual([
      'continuity_active_missing (owner only)',
    ]);
    const narrow = await library.lesser({ read_namespaces: ['memory/continuity/thread-six.json'] });
    const { continuity_state: state } = await bundleOf(narrow, { continuity_selectors: [thread('six')] });
    expect(state.recovery_warnings.slice(0, 2)).toEqual([
      'continuity_active_missing:thread:six',
      'continuity_fallback_missing:thread:six (owner only)',
    ]);
  });

  test('capsules age: stale ones are told, expired ones are left out', async () => {
    const own = await home.library();
    await own.rebuild();
    for (const [id, days] of [
      ['soft', 40],
      ['hard', 50],
      ['aged', 90],
    ] as const) {
      await own.memory.store('thread', id, { verified_at: daysAgo(days), updated_at: daysAgo(1) });
      const { continuity_state: state } = await bundleOf(own, thread(id));
      expect([id, state.warnings, state.present]).toEqual([
        id,
        [id === 'aged' ? 'continuity_expired' : `continuity_stale_${id}`],
        id !== 'aged',
      ]);
    }
  });

  test('policies on health drop, put behind, or only tell', async () => {
    await library.memory.store('thread', 'ill', fresh);
    await degrade(library, 'ill');
    const told = (await bundleOf(library, thread('ill'))).continuity_state;
    expect([told.present, told.warnings]).toEqual([true, ['continuity_degraded']]);
    const strict = { continuity_verification_policy: 'require_healthy' };
    const dropped = (await bundleOf(library, { ...thread('ill'), ...strict })).continuity_state;
    expect([dropped.present, dropped.warnings, dropped.omitted_selectors]).toEqual([
      false,
      [],
      ['thread:ill'],
    ]);
    const required = await retrieve(library, { ...thread('ill'), ...strict, continuity_mode: 'required' });
    expect(required.status).toBe(404);
  });

  test('preferring what is healthy or active comes before every other order', async () => {
    const own = await home.library();
    await own.rebuild();
    const lively = { lifecycle: 'active' as const, label: 'L' };
    await own.memory.store('thread', 'ill', { ...fresh, thread_descriptor: lively });
    await degrade(own, 'ill');
    await own.memory.store('thread', 'well', fresh);
    const both = { continuity_selectors: [thread('ill'), thread('well')], continuity_max_capsules: 4 };
    const order = async (policy: object) =>
      (await bundleOf(own, { ...both, ...policy })).continuity_state.selection_order;
    expect(await order({})).toEqual(['explicit:thread:ill', 'explicit:thread:well']);
    expect(await order({ continuity_verification_policy: 'prefer_healthy' })).toEqual([
      'explicit:thread:well',
      'explicit:thread:ill',
    ]);
    await own.memory.call('delete', { ...thread('ill'), delete_active: true, reason: 'for the test' });
    expect(await order({})).toEqual(['explicit:thread:ill', 'explicit:thread:well']);
    expect(await order({ continuity_resilience_policy: 'prefer_active' })).toEqual([
      'explicit:thread:well',
      'explicit:thread:ill',
    ]);
  });

  test('a superseded thread is handed out with the word what came after it', async () => {
    await library.memory.store('thread', 'old', {
      ...fresh,
      thread_descriptor: { label: 'L', lifecycle: 'active' },
    });
    const moved = await library.memory.call('lifecycle', {
      ...thread('old'),
      transition: 'supersede',
      superseded_by: 'new',
      updated_at: daysAgo(0),
    });
    expect(moved.status).toBe(200);
    const bundle = await bundleOf(library, thread('old'));
    expect(bundle.continuity_state.present).toBe(true);
    expect(bundle.continuity_state.recovery_warnings).toEqual([
      'continuity_capsule_superseded:thread:old→new',
    ]);
    expect(bundle.graph_context.edges).toEqual([
      { relationship: 'supersedes', source_id: 'thread:new', target_id: 'thread:old' },
    ]);
  });

  test('a capsule that is not valid: refused alone, left out among others', async () => {
    const own = await home.library();
    await own.rebuild();
    const { continuity } = home.server.context;
    await plantDocument(
      continuity.service,
      own.memory.ownerId,
      'memory/continuity/thread-bad.json',
      Buffer.from('{}'),
    );
    const alone = await retrieve(own, thread('bad'));
    expect(refusal(alone)).toEqual([400, expect.stringContaining('Invalid continuity capsule')]);
    const { continuity_state: state } = await bundleOf(own, {
      continuity_selectors: [thread('bad'), thread('none')],
      continuity_max_capsules: 2,
    });
    expect(state.warnings).toEqual(['continuity_invalid_capsule:thread:bad']);
    expect(state.recovery_warnings[0]).toBe('continuity_active_invalid:thread:bad');
  });

  test('off gives no capsules and no graph, but reminders', async () => {
    const bundle = await bundleOf(library, {
      subject_kind: 'task',
      subject_id: 't1',
      continuity_mode: 'off',
    });
    expect(bundle.continuity_state).toMatchObject({ present: false, requested_selectors: [], warnings: [] });
    expect(bundle.graph_context.warnings.map(({ code }) => code)).toEqual([
      'graph_suppressed_by_continuity_mode',
    ]);
    expect(bundle).toHaveProperty('schedule_context');
  });

  test('the task is not logged, only its size and hash', async () => {
    await bundleOf(library, { task: 'a most secret plan' });
    expect(home.server.rawLog()).not.toContain('a most secret plan');
    const line = home.server.logs.findLast(({ operation }) => operation === 'knowledge_retrieve');
    expect(line).toMatchObject({
      task_bytes: 18,
      task_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});
