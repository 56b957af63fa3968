import { isStructured, PATCH_TARGETS, type PatchTarget } from '@parley/protocol/continuity/patch-targets';
import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { type Change, T } from '../testing/base-capsule.ts';
import { breach, type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

const invalid = (text: string) => [400, `invalid operation: ${text}`];

/** How many items each list may hold, as the contract has it. */
const MOST: Readonly<Record<PatchTarget, number>> = {
  'continuity.open_loops': 8,
  'continuity.top_priorities': 8,
  'continuity.active_constraints': 8,
  'continuity.active_concerns': 5,
  'continuity.drift_signals': 5,
  'continuity.working_hypotheses': 5,
  'continuity.long_horizon_commitments': 5,
  'continuity.session_trajectory': 5,
  'continuity.trailing_notes': 3,
  'continuity.curiosity_queue': 5,
  'continuity.negative_decisions': 4,
  'continuity.rationale_entries': 6,
  stable_preferences: 12,
  'thread_descriptor.keywords': 6,
  'thread_descriptor.scope_anchors': 4,
  'thread_descriptor.identity_anchors': 4,
};

/** The `n`th item for a list, and what it is found by. */
function itemOf(target: PatchTarget, n: number): { value: string | object; key: string } {
  const key = `i${n}`;
  if (target === 'thread_descriptor.scope_anchors') return { value: `task:${key}`, key: `task:${key}` };
  if (target === 'thread_descriptor.identity_anchors') {
    return { value: { kind: 'repo', value: key }, key: `repo:${key}` };
  }
  if (target === 'stable_preferences') return { value: { tag: key, content: 'c' }, key };
  if (target === 'continuity.negative_decisions') return { value: { decision: key, rationale: 'r' }, key };
  if (target === 'continuity.rationale_entries') {
    return { value: { tag: key, kind: 'decision', status: 'active', summary: 's', reasoning: 'r' }, key };
  }
  return { value: key, key };
}

/** A capsule whose list holds this. */
function holding(target: PatchTarget, list: readonly unknown[]): Change {
  const [holder = '', name] = target.split('.');
  if (name === undefined) return { [holder]: list };
  return { [holder]: { ...(holder === 'thread_descriptor' && { label: 'L' }), [name]: list } };
}

describeEachServer('continuity › patch', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });
  let count = 0;
  const fresh = async (change: Change = {}, kind: 'user' | 'thread' = 'user') => {
    const id = `p${++count}`;
    await memory.store(kind, id, change);
    return (operation: object | object[], at = T(2)) =>
      memory.call('patch', {
        subject_kind: kind,
        subject_id: id,
        updated_at: at,
        operations: Array.isArray(operation) ? operation : [operation],
      });
  };
  const capsule = (kind = 'user') => memory.capsule(kind, `p${count}`);
  const loops = { target: 'continuity.open_loops' };

  test('appends at the end, and moves the time', async () => {
    const patch = await fresh();
    const { status, body } = await patch({ ...loops, action: 'append', value: 'second' });
    expect([status, body.operations_applied, body.updated]).toEqual([200, 1, true]);
    const { continuity, updated_at } = await capsule();
    expect([continuity.open_loops, updated_at]).toEqual([['answer review', 'second'], T(2)]);
  });

  test('removes what matches, and changes nothing when nothing does', async () => {
    const patch = await fresh();
    expect((await patch({ ...loops, action: 'remove', match: 'answer review' })).status).toBe(200);
    expect(refusal(await patch({ ...loops, action: 'remove', match: 'answer review' }, T(3)))).toEqual([
      404,
      'no matching item for remove on continuity.open_loops',
    ]);
    expect((await capsule()).updated_at).toBe(T(2));
  });

  test('replaces by index, which must be in the list', async () => {
    const patch = await fresh();
    const replace = { target: 'continuity.top_priorities', action: 'replace_at', value: 'v' };
    expect((await patch({ ...replace, index: 0 })).status).toBe(200);
    expect((await capsule()).continuity.top_priorities).toEqual(['v']);
    expect(refusal(await patch({ ...replace, index: -1 }, T(3)))).toEqual([
      404,
      'index -1 out of bounds for continuity.top_priorities (length 1)',
    ]);
  });

  test('refuses parts that do not fit together', async () => {
    const patch = await fresh();
    const told = async (operation: object) => refusal(await patch(operation));
    expect(await told({ ...loops, action: 'append' })).toEqual(
      invalid('append requires value on continuity.open_loops'),
    );
    expect(await told({ ...loops, action: 'append', value: 1 })).toEqual(
      invalid('value must be a string for string-list target continuity.open_loops'),
    );
    expect(await told({ ...loops, action: 'remove', value: 'x' })).toEqual(
      invalid('remove must not specify value on continuity.open_loops'),
    );
    expect(await told({ ...loops, action: 'remove' })).toEqual(
      invalid('remove requires match on string-list target continuity.open_loops'),
    );
    expect(await told({ ...loops, action: 'append', value: 'x', index: 0 })).toEqual(
      invalid('append must not specify match or index on continuity.open_loops'),
    );
    expect(await told({ ...loops, action: 'remove', match: 'x', index: 0 })).toEqual(
      invalid('remove must not specify index on continuity.open_loops'),
    );
    expect(await told({ ...loops, action: 'replace_at', index: 0 })).toEqual(
      invalid('replace_at requires value on continuity.open_loops'),
    );
    expect(await told({ ...loops, action: 'replace_at', value: 'x' })).toEqual(
      invalid('replace_at requires index on string-list target continuity.open_loops'),
    );
    expect(await told({ ...loops, action: 'replace_at', value: 'x', index: 0, match: 'y' })).toEqual(
      invalid('replace_at must not specify match on string-list target continuity.open_loops'),
    );
  });

  test('replaces an entry by its key, not by its index', async () => {
    const patch = await fresh({ stable_preferences: [{ tag: 'a', content: 'b' }] });
    const replace = { target: 'stable_preferences', action: 'replace_at', value: { tag: 'a', content: 'c' } };
    const requires = [
      400,
      'invalid operation: replace_at requires match on structured-list target stable_preferences',
    ];
    expect(refusal(await patch({ ...replace, index: 0 }))).toEqual(requires);
    expect(refusal(await patch(replace))).toEqual(requires);
    expect(refusal(await patch({ ...replace, match: 'z' }))).toEqual([
      404,
      'no matching item for replace_at on stable_preferences',
    ]);
    expect(refusal(await patch({ ...replace, match: 'a', index: 1 }))[1]).toBe(
      'invalid operation: replace_at must not specify index on structured-list target stable_preferences',
    );
    expect((await patch({ ...replace, match: 'a' })).status).toBe(200);
    expect((await capsule()).stable_preferences).toEqual([
      { tag: 'a', content: 'c', created_at: T(1), updated_at: T(2) },
    ]);
  });

  test('takes one to ten operations, each on a list that can be patched', async () => {
    const patch = await fresh();
    const append = { ...loops, action: 'append', value: 'x' };
    expect(breach(await patch({ ...append, target: 'continuity.related_documents' }))).toEqual([
      422,
      'literal_error',
    ]);
    expect(breach(await patch({ ...append, target: 'canonical_sources' }))).toEqual([422, 'literal_error']);
    expect(breach(await patch([]))).toEqual([422, 'too_short']);
    expect(breach(await patch(Array.from({ length: 11 }, () => append)))).toEqual([422, 'too_long']);
  });

  test('goes by the clock of the capsule', async () => {
    await fresh();
    await memory.store('user', `p${count}`, {}, T(3));
    const at = (updated_at: string) =>
      memory.call('patch', {
        subject_kind: 'user',
        subject_id: `p${count}`,
        updated_at,
        operations: [{ ...loops, action: 'append', value: 'x' }],
      });
    expect(refusal(await at(T(3)))).toEqual([
      409,
      'Incoming continuity capsule conflicts with the current stored capsule timestamp',
    ]);
    expect(refusal(await at(T(2)))).toEqual([
      409,
      'Incoming continuity capsule is older than the current stored capsule',
    ]);
    expect(refusal(await at('soon'))).toEqual([400, 'Invalid UTC timestamp for updated_at']);
  });

  test('refuses lists a capsule does not have', async () => {
    const patch = await fresh({}, 'thread');
    expect(
      refusal(await patch({ target: 'thread_descriptor.keywords', action: 'append', value: 'k' })),
    ).toEqual([400, "capsule has no thread_descriptor for target 'thread_descriptor.keywords'"]);
    const value = { tag: 'a', content: 'b' };
    expect(refusal(await patch({ target: 'stable_preferences', action: 'append', value }))).toEqual([
      400,
      'stable_preferences is only allowed for user and peer capsules',
    ]);
  });

  test('drops what is blank, and says so', async () => {
    const patch = await fresh();
    const { status, body } = await patch({
      target: 'continuity.trailing_notes',
      action: 'append',
      value: '   ',
    });
    expect([status, body.normalizations_applied]).toEqual([
      200,
      ['strip:continuity.trailing_notes', 'drop_empty:continuity.trailing_notes'],
    ]);
    expect((await capsule()).continuity.trailing_notes).toEqual([]);
  });

  test('refuses an item that is too long', async () => {
    const patch = await fresh();
    const value = 'x'.repeat(81);
    expect(
      refusal(await patch({ target: 'continuity.session_trajectory', action: 'append', value })),
    ).toEqual([400, 'Value too long in continuity.session_trajectory']);
  });

  test('a subject that is not there, once the operations are right', async () => {
    const unknown = { subject_kind: 'user', subject_id: 'nobody', updated_at: T(1) };
    const patch = (operation: object) => memory.call('patch', { ...unknown, operations: [operation] });
    expect(refusal(await patch({ ...loops, action: 'append', value: 'x' }))).toEqual([
      404,
      'continuity capsule not found',
    ]);
    expect((await patch({ ...loops, action: 'append' })).status).toBe(400);
  });

  test('operations are looked at before the subject, with explain all of them', async () => {
    const nobody = { subject_kind: 'user', subject_id: '!!!', updated_at: 'soon', explain: true };
    const { status, body } = await memory.call('patch', {
      ...nobody,
      operations: [
        { ...loops, action: 'append' },
        { ...loops, action: 'append', value: 'fine' },
        { ...loops, action: 'remove' },
      ],
    });
    expect([status, body]).toEqual([
      400,
      {
        detail: 'invalid operation: append requires value on continuity.open_loops',
        problems: [
          {
            path: 'operations[0]',
            message: 'invalid operation: append requires value on continuity.open_loops',
          },
          {
            path: 'operations[2]',
            message: 'invalid operation: remove requires match on string-list target continuity.open_loops',
          },
        ],
      },
    ]);
    const sound = await memory.call('patch', {
      ...nobody,
      operations: [{ ...loops, action: 'append', value: 'fine' }],
    });
    expect(refusal(sound)).toEqual([400, 'Normalized subject_id is empty']);
  });

  test('a full list, even if folding would make room', async () => {
    const patch = await fresh({ continuity: { trailing_notes: ['a', 'b', 'c'] } });
    expect(
      refusal(await patch({ target: 'continuity.trailing_notes', action: 'append', value: 'a' })),
    ).toEqual([400, 'append would exceed max length (3) for continuity.trailing_notes']);
  });

  test('one operation that fails undoes all', async () => {
    const patch = await fresh();
    const operations = [
      { ...loops, action: 'append', value: 'x' },
      { ...loops, action: 'remove', match: 'absent' },
    ];
    expect((await patch(operations)).status).toBe(404);
    expect((await capsule()).continuity.open_loops).toEqual(['answer review']);
  });

  test('a structured value of the wrong shape', async () => {
    const patch = await fresh();
    const told = async (value: unknown) =>
      refusal(await patch({ target: 'stable_preferences', action: 'append', value }))[1];
    const begin = 'invalid operation: value for stable_preferences';
    expect(await told('text')).toBe(`${begin} must be an object`);
    expect(await told({ tag: 'a' })).toMatch(new RegExp(`^${begin} is not valid at content`));
    expect(await told({ tag: 'a', content: 'b', note: 1 })).toBe(`${begin} has the unknown key note`);
    expect(await told({ tag: 'x'.repeat(81), content: 'b' })).toMatch(
      new RegExp(`^${begin} is not valid at tag`),
    );
  });

  test('an entry appended under a known key replaces it', async () => {
    const patch = await fresh({ stable_preferences: [{ tag: 'a', content: 'b' }] });
    const { body } = await patch({
      target: 'stable_preferences',
      action: 'append',
      value: { tag: 'a', content: 'c' },
    });
    expect(body.normalizations_applied).toEqual(['dedup:stable_preferences']);
    expect((await capsule()).stable_preferences).toEqual([
      { tag: 'a', content: 'c', created_at: T(1), updated_at: T(2) },
    ]);
  });

  test('anchors are found by kind and value', async () => {
    const identity_anchors = [{ kind: 'repo', value: 'a' }];
    const patch = await fresh({ thread_descriptor: { label: 'L', identity_anchors } }, 'thread');
    const target = 'thread_descriptor.identity_anchors';
    await patch({ target, action: 'replace_at', match: 'repo:a', value: { kind: 'Repo', value: 'b' } });
    expect((await capsule('thread')).thread_descriptor?.identity_anchors).toEqual([
      { kind: 'repo', value: 'b' },
    ]);
    expect((await memory.list({ anchor_kind: 'repo', anchor_value: 'b' })).body.count).toBe(1);
    expect((await memory.list({ anchor_kind: 'repo', anchor_value: 'a' })).body.count).toBe(0);
  });

  test.each(PATCH_TARGETS)(
    '%s: appended to, replaced in, removed from, and no more than it may hold',
    async (target) => {
      const most = MOST[target];
      const kind = target.startsWith('thread_descriptor.') ? 'thread' : 'user';
      const items = Array.from({ length: most + 1 }, (_, n) => itemOf(target, n));
      const values = items.map(({ value }) => value);
      const patch = await fresh(holding(target, values.slice(0, most - 1)), kind);
      const append = { target, action: 'append' };
      expect((await patch({ ...append, value: values[most - 1] })).status).toBe(200);
      expect(await capsule(kind)).toMatchObject(holding(target, values.slice(0, most)));
      expect(refusal(await patch({ ...append, value: values[most] }, T(3)))).toEqual([
        400,
        `append would exceed max length (${most}) for ${target}`,
      ]);
      const where = isStructured(target) ? { match: items[0]?.key } : { index: 0 };
      const replace = { target, action: 'replace_at', value: values[most], ...where };
      expect((await patch(replace, T(3))).status).toBe(200);
      expect((await patch({ target, action: 'remove', match: items[1]?.key }, T(4))).status).toBe(200);
      expect(await capsule(kind)).toMatchObject(holding(target, [values[most], ...values.slice(2, most)]));
      const list = isStructured(target) ? 'structured-list' : 'string-list';
      expect(refusal(await patch({ target, action: 'remove' }, T(5)))).toEqual(
        invalid(`remove requires match on ${list} target ${target}`),
      );
      expect(refusal(await patch({ target, action: 'remove', match: items[1]?.key }, T(5)))).toEqual([
        404,
        `no matching item for remove on ${target}`,
      ]);
    },
  );

  test('only the first match is removed or replaced', async () => {
    const patch = await fresh({ stable_preferences: [{ tag: 'a', content: 'first' }] });
    const preferences = { target: 'stable_preferences' };
    const second = { ...preferences, action: 'append', value: { tag: 'a', content: 'second' } };
    const { status, body } = await patch([
      { ...loops, action: 'append', value: 'between' },
      { ...loops, action: 'append', value: 'answer review' },
      { ...loops, action: 'remove', match: 'answer review' },
      { ...preferences, action: 'append', value: { tag: 'b', content: 'between' } },
      second,
      { ...preferences, action: 'replace_at', match: 'a', value: { tag: 'c', content: 'instead' } },
    ]);
    expect([status, body.operations_applied, body.normalizations_applied]).toEqual([200, 6, []]);
    const { continuity, stable_preferences: kept } = await capsule();
    expect(continuity.open_loops).toEqual(['between', 'answer review']);
    expect(kept.map(({ tag, content }) => [tag, content])).toEqual([
      ['c', 'instead'],
      ['b', 'between'],
      ['a', 'second'],
    ]);
    await patch([second, { ...preferences, action: 'remove', match: 'a' }], T(3));
    expect((await capsule()).stable_preferences.map(({ tag }) => tag)).toEqual(['c', 'b', 'a']);
  });

  test('what was asked is counted, even what folding undid', async () => {
    const patch = await fresh();
    const { status, body } = await patch([
      { ...loops, action: 'append', value: 'answer review' },
      { ...loops, action: 'append', value: ' ' },
    ]);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toBe(
      JSON.stringify({
        ok: true,
        path: `memory/continuity/user-p${count}.json`,
        updated: true,
        durable: true,
        latest_commit: body.latest_commit,
        capsule_sha256: body.capsule_sha256,
        operations_applied: 2,
        normalizations_applied: [
          'strip:continuity.open_loops',
          'drop_empty:continuity.open_loops',
          'dedup:continuity.open_loops',
        ],
        warnings: [],
        recovery_warnings: [],
      }),
    );
    expect([body.latest_commit, body.capsule_sha256]).toEqual([
      expect.stringMatching(/^[0-9a-f]{40}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
    expect((await capsule()).continuity.open_loops).toEqual(['answer review']);
  });
});
