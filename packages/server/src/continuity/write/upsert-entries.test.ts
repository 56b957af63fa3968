import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { breach, type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

const x = (length: number) => 'x'.repeat(length);

describeEachServer('continuity › upsert › structured entries', (start) => {
  let memory: Memory;
  beforeAll(async () => {
    memory = await (await startMemory(start)).owner();
  });
  let count = 0;
  const attempt = (change: Parameters<typeof baseCapsule>[3], kind: 'user' | 'task' = 'user') =>
    memory.upsert(baseCapsule(kind, `u${++count}`, T(1), change));

  test('preferences belong to users and peers', async () => {
    const stable_preferences = [{ tag: 'a', content: 'b' }];
    expect(refusal(await attempt({ stable_preferences }, 'task'))).toEqual([
      400,
      'stable_preferences is only allowed for user and peer capsules',
    ]);
    expect((await attempt({ stable_preferences: [] }, 'task')).status).toBe(200);
  });

  const prefer = (...stable_preferences: object[]) =>
    attempt({ stable_preferences: stable_preferences as { tag: string; content: string }[] });

  test('preferences out of bounds are refused, each with its reason', async () => {
    const many = Array.from({ length: 13 }, (_, index) => ({ tag: `t${index}`, content: 'c' }));
    expect(breach(await prefer(...many))).toEqual([422, 'too_long']);
    expect(breach(await prefer({ tag: x(81), content: 'c' }))).toEqual([422, 'string_too_long']);
    expect(breach(await prefer({ tag: 't', content: '' }))).toEqual([422, 'string_too_short']);
    expect(breach(await prefer({ tag: 't', content: 'c', note: 'n' }))).toEqual([422, 'extra_forbidden']);
    const dated = await prefer({ tag: 't', content: 'c', last_confirmed_at: '2026-01-01' });
    expect(refusal(dated)).toEqual([400, 'Timestamp must be UTC for stable_preferences[].last_confirmed_at']);
  });

  test('a preference twice', async () => {
    expect(refusal(await prefer({ tag: 't', content: 'c' }, { tag: 't', content: 'd' }))).toEqual([
      400,
      'Duplicate stable_preferences tag: t',
    ]);
  });

  test('a preference that is only blanks', async () => {
    expect(refusal(await attempt({ stable_preferences: [{ tag: ' ', content: 'c' }] }))).toEqual([
      400,
      'Value too short in stable_preferences[].tag',
    ]);
    expect(refusal(await attempt({ stable_preferences: [{ tag: 't', content: '  ' }] }))).toEqual([
      400,
      'Value too short in stable_preferences[].content',
    ]);
  });

  const decide = async (...negative_decisions: { decision: string; rationale: string }[]) =>
    refusal(await attempt({ continuity: { negative_decisions } })).join(' ');

  test('a decision not to act has its bounds, and stands once', async () => {
    const list = 'continuity.negative_decisions';
    expect(await decide({ decision: '', rationale: 'r' })).toBe(`400 Value too short in ${list}.decision`);
    expect(await decide({ decision: x(161), rationale: 'r' })).toBe(`400 Value too long in ${list}.decision`);
    expect(await decide({ decision: 'd', rationale: x(241) })).toBe(
      `400 Value too long in ${list}.rationale`,
    );
    expect(await decide({ decision: 'x', rationale: 'r' }, { decision: 'x', rationale: 's' })).toBe(
      '400 Duplicate negative_decisions decision: x',
    );
  });

  const entry = { tag: 'a', kind: 'decision', status: 'active', summary: 's', reasoning: 'r' } as const;
  const explain = (...rationale_entries: object[]) =>
    attempt({ continuity: { rationale_entries: rationale_entries as (typeof entry)[] } });

  test('a rationale entry out of bounds is refused, each with its reason', async () => {
    const list = 'continuity.rationale_entries[]';
    expect(breach(await explain({ ...entry, summary: x(321) }))).toEqual([422, 'string_too_long']);
    expect(refusal(await explain({ ...entry, summary: '' }))).toEqual([
      400,
      `Value too short in ${list}.summary`,
    ]);
    expect(refusal(await explain({ ...entry, depends_on: [x(121)] }))).toEqual([
      400,
      `Value too long in ${list}.depends_on`,
    ]);
    const four = { ...entry, alternatives_considered: ['1', '2', '3', '4'] };
    expect(breach(await explain(four))).toEqual([422, 'too_long']);
    expect(breach(await explain({ ...entry, kind: 'note' }))).toEqual([422, 'literal_error']);
  });

  test('a tag stands once, and supersedes only a superseded one', async () => {
    expect(refusal(await explain(entry, entry))).toEqual([400, 'Duplicate rationale_entries tag: a']);
    expect(refusal(await explain({ ...entry, supersedes: 'a' }))).toEqual([
      400,
      "rationale_entries[].supersedes must not reference its own tag 'a'",
    ]);
    expect(refusal(await explain({ ...entry, supersedes: 'b' }, { ...entry, tag: 'b' }))).toEqual([
      400,
      "rationale_entries[].supersedes references tag 'b' which does not exist with status 'superseded'",
    ]);
    const replaced = { ...entry, tag: 'b', status: 'superseded' };
    expect((await explain({ ...entry, supersedes: 'b' }, replaced)).status).toBe(200);
  });

  const point = (related_documents: unknown) => attempt({ continuity: { related_documents } });

  describe('related documents', () => {
    const document = { path: 'docs/a.md', kind: 'design', label: 'A' };
    const list = 'continuity.related_documents';

    test.each([
      ['an object instead of a list', document, `Invalid value type in ${list}[]`],
      ['null', null, `Invalid value type in ${list}[]`],
      [
        'nine entries',
        Array.from({ length: 9 }, (_, index) => ({ ...document, path: `docs/${index}.md` })),
        `Too many entries in ${list}`,
      ],
      ['a path with ..', [{ ...document, path: 'a/../b' }], `Invalid path in ${list}[].path`],
      ['a kind in capitals', [{ ...document, kind: 'Spec' }], `Invalid kind format in ${list}[]`],
      ['an unknown relevance', [{ ...document, relevance: 'high' }], `Invalid relevance in ${list}[]`],
      ['an empty relevance', [{ ...document, relevance: '' }], `Value too short in ${list}[]`],
      [
        'blanks around a relevance',
        [{ ...document, relevance: 'primary ' }],
        `Leading or trailing whitespace is not allowed in ${list}[]`,
      ],
      ['a long relevance', [{ ...document, relevance: x(33) }], `Value too long in ${list}[].relevance`],
      ['no relevance at all', [{ ...document, relevance: null }], `Invalid value type in ${list}[]`],
      [
        'content at any depth',
        [{ ...document, more: [{ body: 'x' }] }],
        `Embedded content is not allowed in ${list}[]`,
      ],
      ['an unknown key', [{ ...document, size: 1 }], `Unknown key in ${list}[]`],
      ['a value that is no text', [{ ...document, label: 1 }], `Invalid value type in ${list}[]`],
      ['a missing key', [{ path: 'docs/a.md', kind: 'design' }], `Missing required key in ${list}[]`],
      ['an empty label', [{ ...document, label: '' }], `Value too short in ${list}[]`],
      [
        'blanks around a label',
        [{ ...document, label: ' A' }],
        `Leading or trailing whitespace is not allowed in ${list}[]`,
      ],
      ['a long label', [{ ...document, label: x(121) }], `Value too long in ${list}[].label`],
      ['an entry twice', [document, { ...document }], 'Duplicate related_documents entry'],
      [
        'the lowest class of several',
        [
          { ...document, label: '' },
          { ...document, path: '/a' },
        ],
        `Invalid path in ${list}[].path`,
      ],
    ])('%s', async (_name, documents, text) => {
      expect(refusal(await point(documents))).toEqual([400, text]);
    });
  });

  test('an empty list is kept, no list is no key', async () => {
    expect((await attempt({ continuity: { related_documents: [] } })).status).toBe(200);
    expect((await memory.capsule('user', `u${count}`)).continuity.related_documents).toEqual([]);
    expect((await attempt({})).status).toBe(200);
    expect((await memory.capsule('user', `u${count}`)).continuity).not.toHaveProperty('related_documents');
  });

  test('entries are dated by the service', async () => {
    const preference = { tag: 't', content: 'c', created_at: T(9), updated_at: T(9) };
    await memory.store('peer', 'p', { stable_preferences: [preference] }, T(1).replace('Z', '+00:00'));
    const read = async () => (await memory.capsule('peer', 'p')).stable_preferences[0];
    expect(await read()).toEqual({ tag: 't', content: 'c', created_at: T(1), updated_at: T(1) });
    await memory.store(
      'peer',
      'p',
      { stable_preferences: [{ ...preference, last_confirmed_at: T(2) }] },
      T(2),
    );
    expect(await read()).toEqual({
      tag: 't',
      content: 'c',
      created_at: T(1),
      updated_at: T(1),
      last_confirmed_at: T(2),
    });
    await memory.store('peer', 'p', { stable_preferences: [{ tag: 't', content: 'd' }] }, T(3));
    expect(await read()).toEqual({
      tag: 't',
      content: 'd',
      created_at: T(1),
      updated_at: T(3),
      last_confirmed_at: T(2),
    });
  });

  test.each<['rationale_entries' | 'negative_decisions', string, object]>([
    ['rationale_entries', 'kind', { kind: 'tension' }],
    ['rationale_entries', 'status', { status: 'retired' }],
    ['rationale_entries', 'summary', { summary: 'other' }],
    ['rationale_entries', 'reasoning', { reasoning: 'other' }],
    ['rationale_entries', 'alternatives_considered', { alternatives_considered: ['other'] }],
    ['rationale_entries', 'depends_on', { depends_on: ['other'] }],
    ['rationale_entries', 'supersedes', { supersedes: 'old' }],
    ['negative_decisions', 'rationale', { rationale: 'other' }],
  ])('%s: a changed %s moves updated_at; null does not unconfirm', async (list, field, change) => {
    const [same, before] =
      list === 'rationale_entries'
        ? [{ ...entry, tag: 'old', status: 'superseded' }, entry]
        : [
            { decision: 'old', rationale: 'r' },
            { decision: 'd', rationale: 'r' },
          ];
    const write = (at: string, ...entries: object[]) =>
      memory.store('user', `${list}-${field}`, { continuity: { [list]: entries } }, at);
    await write(T(1), same, { ...before, last_confirmed_at: T(1) });
    await write(T(2), same, { ...before, ...change, last_confirmed_at: null });
    expect((await memory.capsule('user', `${list}-${field}`)).continuity[list]).toMatchObject([
      { ...same, created_at: T(1), updated_at: T(1) },
      { ...before, ...change, created_at: T(1), updated_at: T(2), last_confirmed_at: T(1) },
    ]);
  });
});

describeEachServer('continuity › upsert › descriptor and lifecycle', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });
  let count = 0;
  const thread_descriptor = { label: 'Parser' };
  const describeThread = (descriptor: object) =>
    memory.upsert(
      baseCapsule('thread', `t${++count}`, T(1), {
        thread_descriptor: { ...thread_descriptor, ...descriptor },
      }),
    );

  test('is refused on a user', async () => {
    expect(refusal(await memory.upsert(baseCapsule('user', 'u', T(1), { thread_descriptor })))).toEqual([
      400,
      'thread_descriptor is only allowed for thread and task capsules',
    ]);
  });

  test('keywords and anchors have their lengths and forms, and stand once', async () => {
    expect(refusal(await describeThread({ keywords: [x(41)] }))).toEqual([
      400,
      'Keyword must be 1-40 characters',
    ]);
    const anchored = (...identity_anchors: object[]) => describeThread({ identity_anchors });
    expect(refusal(await anchored({ kind: '9repo', value: 'a' }))).toEqual([
      400,
      'Invalid identity_anchor kind: 9repo',
    ]);
    expect(refusal(await anchored({ kind: 'repo', value: '   ' }))).toEqual([
      400,
      'identity_anchor value must be 1-200 characters',
    ]);
    expect(refusal(await anchored({ kind: 'repo', value: 'a' }, { kind: ' REPO', value: ' a ' }))).toEqual([
      400,
      'Duplicate identity_anchor: (repo, a)',
    ]);
    expect(refusal(await describeThread({ scope_anchors: ['repo'] }))).toEqual([
      400,
      'Invalid scope_anchor format: repo',
    ]);
  });

  test('keywords are folded without a word', async () => {
    const answer = await describeThread({ keywords: [' Parser', 'parser', '', 'B'] });
    expect(answer.body.normalizations_applied).toEqual([]);
    expect((await memory.capsule('thread', `t${count}`)).thread_descriptor?.keywords).toEqual([
      'parser',
      'b',
    ]);
  });

  test('a new thread is active, whatever it says', async () => {
    const { status, body } = await describeThread({ lifecycle: 'concluded', superseded_by: 'y' });
    expect([status, body.lifecycle]).toEqual([200, 'active']);
    expect((await memory.capsule('thread', `t${count}`)).thread_descriptor).not.toHaveProperty(
      'superseded_by',
    );
  });

  test('a first creation has nothing to move', async () => {
    const capsule = baseCapsule('thread', 'new', T(1), { thread_descriptor });
    expect(refusal(await memory.upsert(capsule, { lifecycle_transition: 'suspend' }))).toEqual([
      400,
      'no thread_descriptor to transition; create one first',
    ]);
    expect((await memory.read('thread', 'new')).status).toBe(404);
  });

  test('a concluded thread does not come back, and stays concluded when it is written again', async () => {
    await memory.store('thread', 'over', { thread_descriptor });
    const move = (transition: string, at: string) =>
      memory.upsert(baseCapsule('thread', 'over', at, { thread_descriptor }), {
        lifecycle_transition: transition,
      });
    expect((await move('conclude', T(2))).body.lifecycle).toBe('concluded');
    expect(refusal(await move('resume', T(3)))).toEqual([
      400,
      "lifecycle transition not allowed from terminal state 'concluded'",
    ]);
    await memory.store('thread', 'over', { thread_descriptor, continuity: { open_loops: ['edited'] } }, T(4));
    expect((await memory.capsule('thread', 'over')).thread_descriptor?.lifecycle).toBe('concluded');
  });

  test('a transition and its successor belong together', async () => {
    const thread = baseCapsule('thread', 't', T(1), { thread_descriptor });
    expect(refusal(await memory.upsert(thread, { superseded_by: 'y' }))).toEqual([
      400,
      "superseded_by is only allowed when lifecycle_transition is 'supersede'",
    ]);
    expect(
      refusal(await memory.upsert(baseCapsule('user', 'u'), { lifecycle_transition: 'suspend' })),
    ).toEqual([400, 'lifecycle_transition is only allowed for thread and task capsules']);
    expect(refusal(await memory.upsert(thread, { lifecycle_transition: 'supersede' }))).toEqual([
      400,
      "superseded_by is required when lifecycle_transition is 'supersede'",
    ]);
  });

  test('a thread that loses its end with its descriptor is told so', async () => {
    await memory.store('thread', 'lost', { thread_descriptor });
    await memory.store('thread', 'lost', { thread_descriptor }, T(2), { lifecycle_transition: 'conclude' });
    expect((await memory.store('thread', 'lost', {}, T(3))).body).not.toHaveProperty('notices');
    expect((await memory.store('thread', 'lost', {}, T(4))).body).not.toHaveProperty('lifecycle');
    const { body } = await memory.store('thread', 'lost', { thread_descriptor }, T(5));
    expect([body.lifecycle, body.notices]).toEqual(['active', ['continuity_lifecycle_reset']]);
  });

  test('a successor named in an upsert stays through later edits', async () => {
    await memory.store('thread', 'first', { thread_descriptor });
    const { body } = await memory.store('thread', 'first', { thread_descriptor }, T(2), {
      lifecycle_transition: 'supersede',
      superseded_by: 'second',
    });
    expect(body.lifecycle).toBe('superseded');
    const superseded = { label: 'Parser', lifecycle: 'superseded', superseded_by: 'second' };
    expect((await memory.capsule('thread', 'first')).thread_descriptor).toMatchObject(superseded);
    const edited = { label: 'Printer', lifecycle: 'active', superseded_by: 'third' } as const;
    await memory.store('thread', 'first', { thread_descriptor: edited }, T(3));
    expect((await memory.capsule('thread', 'first')).thread_descriptor).toMatchObject({
      ...superseded,
      label: 'Printer',
    });
  });

  test('a descriptor that is not sent is moved where it is kept, and only there', async () => {
    await memory.store('thread', 'unsent', { thread_descriptor });
    const move = (more: object) =>
      memory.upsert(baseCapsule('thread', 'unsent', T(2)), { lifecycle_transition: 'suspend', ...more });
    const before = await memory.capsule('thread', 'unsent');
    expect(refusal(await move({}))).toEqual([400, 'no thread_descriptor to transition; create one first']);
    expect(await memory.capsule('thread', 'unsent')).toEqual(before);
    const { status, body } = await move({ merge_mode: 'preserve' });
    expect([status, body.lifecycle]).toEqual([200, 'suspended']);
    expect((await memory.capsule('thread', 'unsent')).thread_descriptor).toEqual({
      ...before.thread_descriptor,
      lifecycle: 'suspended',
    });
  });
});
