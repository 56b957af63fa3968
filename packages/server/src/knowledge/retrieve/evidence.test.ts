import { beforeAll, expect, test } from 'vitest';
import { daysAgo, NOW, refusal } from '../../continuity/testing/memory.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { bundleOf, pointing, retrieve } from '../testing/bundle.ts';
import { type Library, type LibraryServer, startLibrary } from '../testing/library.ts';

const DAY = 86_400_000;
const paths = (rows: readonly { path: string }[]): string[] => rows.map(({ path }) => path);

describeEachServer('retrieve › evidence', (start) => {
  let home: LibraryServer;
  let library: Library;
  beforeAll(async () => {
    home = await startLibrary(start);
  });
  const begin = async (): Promise<void> => {
    home.clock.setBack(home.clock.now() - NOW);
    library = await home.library();
  };

  test('core memory is read as it is, whatever becomes of the index', async () => {
    await begin();
    await library.put('memory/core/values.md', `# Values?\n\n${'🙂v'.repeat(200)}`);
    await library.put('memory/core/identity.md', 'I am');
    const bundle = await bundleOf(library, { task: 'values' });
    expect(paths(bundle.core_memory)).toEqual(['memory/core/identity.md', 'memory/core/values.md']);
    expect(Array.from(bundle.core_memory[1]?.snippet ?? '')).toHaveLength(300);
    expect(bundle.core_memory[1]?.snippet.startsWith('# Values?\n\n🙂')).toBe(true);
    expect(bundle.recent_relevant).toEqual([]);
    const away = await library.lesser({ read_namespaces: ['projects'] });
    expect((await bundleOf(away, {})).core_memory).toEqual([]);
  });

  test('without an index the beginnings of the latest documents are looked at', async () => {
    await begin();
    await library.put('projects/plan.md', 'nothing here');
    await home.clock.leap(1000);
    await library.put('projects/deploy.md', 'x');
    await home.clock.leap(1000);
    await library.put('essays/e.md', 'we deploy today');
    await library.put('essays/far.md', `${'x '.repeat(2_100)} deploy`);
    await library.put('projects/picture.png', 'deploy');
    const bundle = await bundleOf(library, { task: 'Deploy' });
    expect(bundle.continuity_state.recovery_warnings).toEqual(['continuity_index_missing']);
    expect(bundle.recent_relevant.map(({ path, score }) => [path, score])).toEqual([
      ['projects/deploy.md', 1000],
      ['essays/e.md', 1],
      ['essays/far.md', 0],
      ['projects/plan.md', 0],
    ]);
    expect(bundle.recent_relevant[0]).toEqual({
      path: 'projects/deploy.md',
      type: 'projects',
      snippet: 'x',
      importance: null,
      modified_at: '2026-04-01T12:00:01Z',
      score: 1000,
    });
    const few = await bundleOf(library, { task: 'Deploy', limit: 1, include_types: ['ESSAYS'] });
    expect(paths(few.recent_relevant)).toEqual(['essays/e.md']);
  });

  test('with an index its rows are given, also when it is old', async () => {
    await begin();
    await library.put('projects/deploy.md', 'Deploy plan');
    await library.rebuild();
    const bundle = await bundleOf(library, { task: 'deploy' });
    expect(bundle.continuity_state.recovery_warnings).toEqual([]);
    expect(bundle.recent_relevant).toEqual((await library.search('deploy')).body.results);
    await home.clock.leap(25 * 3_600_000);
    const late = await bundleOf(library, { task: 'deploy', subject_kind: 'user', subject_id: 'nobody' });
    expect(late.continuity_state.recovery_warnings).toEqual([
      'continuity_active_missing',
      'continuity_fallback_missing',
      'continuity_index_stale',
    ]);
    expect(paths(late.recent_relevant)).toEqual(['projects/deploy.md']);
    const off = await bundleOf(library, { task: 'deploy', continuity_mode: 'off' });
    expect(off.continuity_state.recovery_warnings).toEqual(['continuity_index_stale']);
    await home.clock.leap(10 * DAY);
    expect((await bundleOf(library, { task: 'deploy', time_window_days: 5 })).recent_relevant).toEqual([]);
  });

  test('summaries come first, then messages, then the rest', async () => {
    await begin();
    await library.rebuild();
    await library.put('projects/word/word.md', 'word');
    await library.put('messages/word.md', 'word');
    await library.put('messages/a.md', 'word');
    await library.put('memory/summaries/s.md', 'word');
    const bundle = await bundleOf(library, { task: 'word' });
    expect(paths(bundle.recent_relevant)).toEqual([
      'memory/summaries/s.md',
      'messages/word.md',
      'messages/a.md',
      'projects/word/word.md',
    ]);
    expect(paths((await bundleOf(library, { task: 'word', limit: 2 })).recent_relevant)).toEqual([
      'messages/word.md',
      'projects/word/word.md',
    ]);
  });

  test('of a thread come first the documents its capsule lists, then what subject and task lead to', async () => {
    await begin();
    await library.rebuild();
    await library.put('projects/b.md', `Why?\n\n${'b'.repeat(300)}`);
    await library.put('docs/a.md', 'first');
    await library.put('essays/th1.md', 'x');
    await library.put('essays/deploy.md', 'deploy');
    const listed = pointing('projects/b.md', 'docs/missing.md', 'docs/a.md');
    await library.memory.store('thread', 'th1', {
      ...listed,
      verified_at: daysAgo(1),
      updated_at: daysAgo(1),
    });
    const body = { subject_kind: 'thread', subject_id: 'th1', task: 'deploy', time_window_days: 1 };
    const bundle = await bundleOf(library, { ...body, include_types: ['essays'] });
    expect(bundle.recent_relevant.map(({ path, score }) => [path, score])).toEqual([
      ['projects/b.md', 0],
      ['docs/a.md', 0],
      ['essays/deploy.md', 3],
      ['essays/th1.md', 3],
    ]);
    expect(bundle.recent_relevant[0]).toEqual({
      path: 'projects/b.md',
      type: 'projects',
      snippet: `Why? ${'b'.repeat(275)}...`,
      score: 0,
    });
    expect(bundle.open_questions).toEqual([bundle.recent_relevant[0]?.snippet]);
    expect(paths((await bundleOf(library, { ...body, limit: 1 })).recent_relevant)).toEqual([
      'projects/b.md',
    ]);
    const narrow = await library.lesser({ read_namespaces: ['memory/continuity', 'docs'] });
    expect(paths((await bundleOf(narrow, body)).recent_relevant)).toEqual(['docs/a.md']);
  });

  test('a document is found under whichever spelling of its path a capsule has, once', async () => {
    await begin();
    await library.rebuild();
    await library.put('docs/a.md', 'first');
    const listed = pointing('docs//a.md', 'elsewhere/x.md', './docs/./a.md', 'docs/a.md');
    await library.memory.store('thread', 'th1', {
      ...listed,
      verified_at: daysAgo(1),
      updated_at: daysAgo(1),
    });
    const bundle = await bundleOf(library, { subject_kind: 'thread', subject_id: 'th1', task: 'zzz' });
    expect(paths(bundle.recent_relevant)).toEqual(['docs/a.md']);
  });

  test('at most five questions are told', async () => {
    await begin();
    await library.rebuild();
    for (let n = 0; n < 12; n += 1) await library.put(`essays/${n}.md`, n % 2 === 0 ? `ask ${n}?` : 'ask');
    const bundle = await bundleOf(library, { task: 'ask', limit: 20 });
    expect(bundle.open_questions).toHaveLength(5);
  });

  test('a thread or task as the subject needs the scope to read files', async () => {
    await begin();
    await library.memory.store('thread', 'th1', { verified_at: daysAgo(1), updated_at: daysAgo(1) });
    const searcher = await library.lesser({ scopes: ['search'] });
    const subject = { subject_kind: 'thread', subject_id: 'th1' };
    expect(refusal(await retrieve(searcher, subject))).toEqual([403, 'Missing scope: read:files']);
    const bundle = await bundleOf(searcher, { continuity_selectors: [subject] });
    expect(bundle.continuity_state.present).toBe(true);
    expect(bundle.graph_context.warnings).toEqual([
      {
        code: 'graph_source_denied',
        message: 'A graph source was omitted because access was denied.',
        details: { source_class: 'task_artifact', path: null, anchor_id: 'thread:th1' },
      },
    ]);
  });

  test('no token is ever found', async () => {
    await begin();
    await library.rebuild();
    expect((await library.write('config/peer_tokens.json', library.memory.key)).status).toBe(403);
    const found = await library.search(library.memory.key);
    const retrieved = await retrieve(library, { task: 'peer_tokens config' });
    expect(JSON.stringify([found.body.results, retrieved.body])).not.toContain(library.memory.key);
  });
});
