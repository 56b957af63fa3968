import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { type Change, baseCapsule, T } from '../testing/base-capsule.ts';
import { Memory, type MemoryServer, type Row, startMemory } from '../testing/memory.ts';
import { plantDocument } from '../testing/plant-document.ts';

interface Found {
  query: string;
  count: number;
  results: (Row & { artifact_state: string; matches: { field: string; snippet: string }[] })[];
}

/** Every authored field says a word of its own. */
const WORDS: readonly (readonly [field: string, word: string])[] = [
  ['thread_descriptor.label', 'labelled'],
  ['thread_descriptor.keywords', 'keyworded'],
  ['thread_descriptor.scope_anchors', 'task:scoped'],
  ['thread_descriptor.identity_anchors', 'anchored'],
  ['continuity.top_priorities', 'priority'],
  ['continuity.active_concerns', 'concerning'],
  ['continuity.active_constraints', 'constrained'],
  ['continuity.open_loops', 'looping'],
  ['continuity.stance_summary', 'standing'],
  ['continuity.drift_signals', 'drifting'],
  ['continuity.working_hypotheses', 'guessing'],
  ['continuity.long_horizon_commitments', 'committed'],
  ['continuity.session_trajectory', 'turning'],
  ['continuity.negative_decisions', 'declined'],
  ['continuity.negative_decisions', 'because'],
  ['continuity.trailing_notes', 'trailing'],
  ['continuity.curiosity_queue', 'wondering'],
  ['continuity.rationale_entries', 'tagged'],
  ['continuity.rationale_entries', 'summed'],
  ['continuity.rationale_entries', 'reasoned'],
  ['continuity.rationale_entries', 'considered'],
  ['continuity.rationale_entries', 'depending'],
  ['continuity.related_documents', 'documented'],
  ['continuity.relationship_model', 'styled'],
  ['continuity.relationship_model', 'sensitive'],
  ['continuity.retrieval_hints', 'included'],
  ['continuity.retrieval_hints', 'avoided'],
  ['source.producer', 'producing'],
  ['source.inputs', 'inputting'],
];

/** What a stub leaves out of them. */
const PACKED = [
  'labelled keyworded task:scoped anchored guessing committed reasoned considered depending',
  'documented styled sensitive included avoided producing inputting',
].flatMap((words) => words.split(' '));

const wordy: Change = {
  source: { producer: 'producing', update_reason: 'manual', inputs: ['inputting'] },
  thread_descriptor: {
    label: 'labelled',
    keywords: ['keyworded'],
    scope_anchors: ['task:scoped'],
    identity_anchors: [{ kind: 'repo', value: 'anchored' }],
  },
  continuity: {
    top_priorities: ['priority'],
    active_concerns: ['concerning'],
    active_constraints: ['constrained'],
    open_loops: ['looping'],
    stance_summary: 'standing',
    drift_signals: ['drifting'],
    working_hypotheses: ['guessing'],
    long_horizon_commitments: ['committed'],
    session_trajectory: ['turning'],
    negative_decisions: [{ decision: 'declined', rationale: 'because' }],
    trailing_notes: ['trailing'],
    curiosity_queue: ['wondering'],
    rationale_entries: [
      {
        tag: 'tagged',
        kind: 'decision',
        status: 'active',
        summary: 'summed',
        reasoning: 'reasoned',
        alternatives_considered: ['considered'],
        depends_on: ['depending'],
      },
    ],
    related_documents: [{ path: 'a.md', kind: 'note', label: 'documented' }],
    relationship_model: { preferred_style: ['styled'], sensitivity_notes: ['sensitive'] },
    retrieval_hints: { must_include: ['included'], avoid: ['avoided'] },
  },
};

const states = ({ results }: Found) => results.map((row) => [row.subject_id, row.artifact_state]);

const says = (...open_loops: string[]) => ({ continuity: { open_loops } });

describeEachServer('continuity › search', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const search = async (query: string, more: object = {}, by: Memory = memory): Promise<Found> =>
    (await by.call<Found>('search', { query, ...more })).body;
  const all = { include_archived: true };
  const archive = async (kind: string, id: string): Promise<string> => {
    const request = { subject_kind: kind, subject_id: id, reason: 'done' };
    return (await memory.call<{ archived_path: string }>('archive', request)).body.archived_path;
  };
  const freeze = async (kind: string, id: string): Promise<string> => {
    const path = await archive(kind, id);
    const { status } = await memory.ops('continuity_cold_store', { source_archive_path: path });
    expect(status).toBe(200);
    return path;
  };

  test('every authored field, active and archived', async () => {
    memory = await home.owner();
    await memory.store('thread', 'w', wordy);
    for (const [field, word] of WORDS) {
      expect((await search(word)).results.map(({ matches }) => matches)).toEqual([
        [{ field, snippet: word }],
      ]);
    }
    const archived = await archive('thread', 'w');
    for (const [field, word] of WORDS) {
      expect((await search(word)).count).toBe(0);
      const { results } = await search(word, all);
      expect(results.map((row) => [row.archive_path, row.artifact_state, row.matches])).toEqual([
        [archived, 'archived', [{ field, snippet: word }]],
      ]);
    }
  });

  test('of a cold copy what its stub says, without unpacking it', async () => {
    memory = await home.owner();
    await memory.store('thread', 'w', wordy);
    const archived = await freeze('thread', 'w');
    for (const [field, word] of WORDS) {
      const { results } = await search(word, all);
      const expected = PACKED.includes(word) ? [] : [[archived, 'cold', [field]]];
      expect([
        word,
        results.map((row) => [
          row.source_archive_path,
          row.artifact_state,
          row.matches.map((at) => at.field),
        ]),
      ]).toEqual([word, expected]);
      expect((await search(word)).count).toBe(0);
    }
    // Its front matter is ours, not the author's.
    for (const word of ['continuity_cold_stub', 'manual', 'top_priorities']) {
      expect([word, (await search(word, all)).count]).toEqual([word, 0]);
    }
  });

  test('preferences are found where they stand', async () => {
    memory = await home.owner();
    await memory.store('user', 'u', { stable_preferences: [{ tag: 'tone', content: 'plainly spoken' }] });
    const match = { field: 'stable_preferences', snippet: 'plainly spoken' };
    expect((await search('plainly')).results[0]?.matches).toEqual([match]);
    await archive('user', 'u');
    expect((await search('PLAINLY', all)).results[0]?.matches).toEqual([match]);
  });

  test('a row is the row of a list, and what was found beside it', async () => {
    memory = await home.owner();
    await memory.store('user', 'now');
    await memory.store('user', 'then');
    await memory.store('user', 'cold');
    await archive('user', 'then');
    await freeze('user', 'cold');
    const listed = (await memory.list({ include_archived: true, include_cold: true })).body.capsules;
    const { results, count, query } = await search('steady', all);
    expect([query, count]).toEqual(['steady', 3]);
    expect(states({ results } as Found)).toEqual([
      ['now', 'active'],
      ['then', 'archived'],
      ['cold', 'cold'],
    ]);
    for (const { matches, ...row } of results) {
      expect(matches).toHaveLength(1);
      expect(listed).toContainEqual(row);
    }
  });

  test('all words in one capsule; most matches first, then what matters most, then the archives', async () => {
    memory = await home.owner();
    await memory.store('user', 'b', says('apples and pears'));
    await memory.store('user', 'a', says('apples', 'pears', 'pears'), T(2));
    await memory.store('user', 'half', says('apples only'));
    await memory.store('user', 'newer', says('pears, apples'), T(3));
    await memory.store('user', 'old', says('apples', 'pears'));
    await archive('user', 'old');
    await memory.store('user', 'packed', says('apples, pears'));
    await freeze('user', 'packed');
    expect(states(await search('pears APPLES', all))).toEqual([
      ['a', 'active'],
      ['old', 'archived'],
      ['newer', 'active'],
      ['b', 'active'],
      ['packed', 'cold'],
    ]);
    expect(states(await search('pears apples', { ...all, limit: 2 }))).toEqual([
      ['a', 'active'],
      ['old', 'archived'],
    ]);
  });

  test('by kind, by field, and of one owner only', async () => {
    memory = await home.owner();
    for (const kind of ['user', 'peer'] as const) {
      await memory.store(kind, 'x');
      await archive(kind, 'x');
      await memory.store(kind, 'y');
      await freeze(kind, 'y');
    }
    expect((await search('parser', all)).count).toBe(4);
    expect(
      (await search('parser', { ...all, subject_kind: 'peer' })).results.map((row) => row.subject_kind),
    ).toEqual(['peer', 'peer']);
    expect((await search('parser', { ...all, fields: ['continuity.open_loops'] })).count).toBe(0);
    for (const field of ['continuity.stance_summary', 'stance_summary']) {
      const { results } = await search('parser', { ...all, fields: [field] });
      expect(results.map(({ matches }) => matches.length)).toEqual([1, 1, 1, 1]);
    }
    expect((await search('parser', all, await home.owner())).count).toBe(0);
  });

  test('only what the caller may read', async () => {
    memory = await home.owner();
    for (const id of ['x', 'y']) {
      await memory.store('user', id);
      await archive('user', id);
    }
    for (const id of ['z', 'q']) {
      await memory.store('user', id);
      await freeze('user', id);
    }
    const narrow = async (path: string): Promise<Memory> => {
      const body = { scopes: ['read:files'], read_namespaces: [`memory/continuity/${path}`] };
      const made = await home.people.call<{ api_key: string }>('POST', '/v1/keys', { key: memory.key, body });
      return new Memory(home.people, { id: memory.ownerId, key: made.body.api_key });
    };
    const stamp = '20260401T120000Z';
    expect(states(await search('parser', all, await narrow(`archive/user-y-${stamp}.json`)))).toEqual([
      ['y', 'archived'],
    ]);
    expect(states(await search('parser', all, await narrow('archive')))).toEqual([
      ['x', 'archived'],
      ['y', 'archived'],
    ]);
    expect(states(await search('parser', all, await narrow(`cold/index/user-z-${stamp}.md`)))).toEqual([
      ['z', 'cold'],
    ]);
    expect((await search('parser', all, await narrow(`cold/user-z-${stamp}.json.gz`))).count).toBe(0);
  });

  test('archives nobody can read are passed over', async () => {
    memory = await home.owner();
    const { continuity } = home.server.context;
    const plant = (name: string, text: string) =>
      plantDocument(continuity.service, memory.ownerId, `memory/continuity/${name}`, Buffer.from(text));
    await plant('archive/user-a-20260101T000000Z.json', '{"needle": true}');
    await plant('cold/index/user-b-20260101T000000Z.md', '---\n---\n## open_loops\n- needle\n');
    expect(await search('needle', all)).toMatchObject({ ok: true, count: 0, results: [] });
  });

  test('more archives than are looked at together', async () => {
    memory = await home.owner();
    const { continuity } = home.server.context;
    for (let index = 0; index < 205; index++) {
      const id = `n${String(index).padStart(3, '0')}`;
      const capsule = baseCapsule('user', id, T(1), { continuity: { open_loops: [`needle ${index}`] } });
      const document = {
        schema_type: 'continuity_archive_envelope',
        schema_version: '1.1',
        archived_at: T(2),
        archived_by: 'self',
        reason: 'done',
        active_path: `memory/continuity/user-${id}.json`,
        capsule,
      };
      const path = `memory/continuity/archive/user-${id}-20260302T120000Z.json`;
      await plantDocument(continuity.service, memory.ownerId, path, Buffer.from(JSON.stringify(document)));
    }
    const { results } = await search('needle', { ...all, limit: 100 });
    expect(results).toHaveLength(100);
    expect((await search('needle 204', all)).results.map((row) => row.subject_id)).toEqual(['n204']);
  });
});
