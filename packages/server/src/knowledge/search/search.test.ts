import { beforeAll, expect, test } from 'vitest';
import { NOW, refusal } from '../../continuity/testing/memory.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { statementsOf } from '../../testing/statements.ts';
import { type LibraryServer, startLibrary } from '../testing/library.ts';

describeEachServer('search', (start) => {
  let home: LibraryServer;
  beforeAll(async () => {
    home = await startLibrary(start);
  });
  const indexed = async () => {
    home.clock.setBack(home.clock.now() - NOW);
    const library = await home.library();
    await library.rebuild();
    return library;
  };

  test('a term in the path counts twice beside the one it counts in the text', async () => {
    const library = await indexed();
    await library.put('projects/deploy/plan.md', 'Deploy plan');
    await library.put('projects/other.md', 'how to redeployment #ops-1 #Ünï #ops-1');
    const { body } = await library.search('deploy');
    expect(body).toEqual({
      ok: true,
      query: 'deploy',
      sort_by: 'relevance',
      count: 2,
      results: [
        {
          path: 'projects/deploy/plan.md',
          type: 'projects',
          size: 11,
          modified_at: '2026-04-01T12:00:00Z',
          snippet: 'Deploy plan',
          tags: [],
          importance: null,
          score: 3,
        },
        {
          path: 'projects/other.md',
          type: 'projects',
          size: 40,
          modified_at: '2026-04-01T12:00:00Z',
          snippet: 'how to redeployment #ops-1 #Ünï #ops-1',
          tags: ['#ops-1', '#Ünï'],
          importance: null,
          score: 1,
        },
      ],
    });
  });

  test('what is important is found whatever is looked for, and its type is that of its front matter', async () => {
    const library = await indexed();
    const text = '---\ntype: journal_entry\nimportance: 0.75\n---\nToday';
    await library.put('journal/2026.md', text);
    await library.put('journal/worse.md', '---\nimportance: -2\n---\nzzz Today');
    await library.put('journal/plain.txt', text);
    const { body } = await library.search('zzz');
    expect(body.results.map(({ path, score, type }) => [path, score, type])).toEqual([
      ['journal/2026.md', 0.75, 'journal_entry'],
    ]);
    expect(await library.found('zzz', { include_types: ['JOURNAL_ENTRY'] })).toEqual(['journal/2026.md']);
    expect(await library.found('today', { include_types: ['journal'] })).toEqual(['journal/plain.txt']);
    expect(await library.found('')).toEqual(['journal/2026.md']);
    expect((await library.search('journal today')).body.results.map(({ score }) => score)).toEqual([
      4.75, 4, 2,
    ]);
  });

  test('terms are found in any letters, in parts of words, and however long they are', async () => {
    const library = await indexed();
    const hash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    await library.put('projects/a.md', `Über die Größe des ΟΔΟΣ 東京都庁 a_b-c ${hash} x`);
    for (const word of [
      'größe',
      'ÜBER',
      'öß',
      '京都',
      'a_b',
      'b-c',
      'οδος',
      hash,
      hash.slice(3, 60),
      hash.slice(20, 40),
    ]) {
      expect([word, await library.found(word)]).toEqual([word, ['projects/a.md']]);
    }
    for (const word of ['x', 'grösse', `${hash}0`, `${hash.slice(3, 60)}x`, 'c-a']) {
      expect([word, await library.found(word)]).toEqual([word, []]);
    }
    await library.put(`projects/${hash}.md`, 'nothing');
    expect((await library.search(hash)).body.results.map(({ path, score }) => [path, score])).toEqual([
      [`projects/${hash}.md`, 3],
      ['projects/a.md', 1],
    ]);
  });

  test('order is by score then path, or by time then path, and filters come before the limit', async () => {
    const library = await indexed();
    for (const name of ['c', 'a', 'b']) await library.put(`projects/${name}.md`, 'word');
    await home.clock.leap(2 * 3_600_000);
    await library.put('essays/late.md', 'word');
    await library.put('projects/b.md', 'word word');
    expect(await library.found('word')).toEqual([
      'essays/late.md',
      'projects/a.md',
      'projects/b.md',
      'projects/c.md',
    ]);
    expect(await library.found('word', { sort_by: 'recent' })).toEqual([
      'essays/late.md',
      'projects/b.md',
      'projects/a.md',
      'projects/c.md',
    ]);
    expect(await library.found('word', { limit: 1, include_types: ['projects'] })).toEqual(['projects/a.md']);
    expect(await library.found('word', { time_window_hours: 1 })).toEqual([
      'essays/late.md',
      'projects/b.md',
    ]);
    const recent = async (more: object) => (await library.recent(more)).body.results.map(({ path }) => path);
    expect(await recent({ limit: 3 })).toEqual(['essays/late.md', 'projects/b.md', 'projects/a.md']);
    expect(await recent({ time_window_hours: 1, time_window_days: 30 })).toEqual([
      'essays/late.md',
      'projects/b.md',
    ]);
    expect(await recent({ time_window_days: 1, include_types: ['Essays'] })).toEqual(['essays/late.md']);
  });

  test('the last changed ones show their importance as score', async () => {
    const library = await indexed();
    await library.put('journal/a.md', '---\nimportance: 2\n---\n');
    await library.put('journal/b.md', 'x');
    const { body } = await library.recent();
    expect(body.results.map(({ path, score }) => [path, score])).toEqual([
      ['journal/a.md', 2],
      ['journal/b.md', null],
    ]);
  });

  test('only what could be read is found', async () => {
    const library = await indexed();
    await library.put('projects/in/a.md', 'word');
    await library.put('projects/inner.md', 'word');
    await library.put('journal/b.md', 'word');
    await library.memory.store('thread', 'word');
    const away = await library.lesser({ scopes: ['search'], read_namespaces: ['projects/in', 'tasks'] });
    expect(await away.found('word', { limit: 1 })).toEqual(['projects/in/a.md']);
    expect((await away.recent()).body.results.map(({ path }) => path)).toEqual(['projects/in/a.md']);
    const nowhere = await library.lesser({ scopes: ['search'], read_namespaces: ['docs'] });
    expect(await nowhere.found('word')).toEqual([]);
    const other = await indexed();
    expect(await other.found('word')).toEqual([]);
    const unsearched = await library.lesser({ scopes: ['read:files'] });
    expect(refusal(await unsearched.search('word'))).toEqual([403, 'Missing scope: search']);
    expect(refusal(await unsearched.recent())).toEqual([403, 'Missing scope: search']);
  });

  test('a long snippet is cut, and bounds are told', async () => {
    const library = await indexed();
    await library.put('docs/long.md', `  a\n\n b ${'🙂'.repeat(300)}`);
    const { body } = await library.search('docs');
    expect(body.results[0]?.snippet).toBe(`a b ${'🙂'.repeat(236)}...`);
    for (const bad of [{ limit: 0 }, { limit: 101 }, { sort_by: 'x' }, { time_window_hours: 87_601 }]) {
      expect((await library.search('x', bad)).status).toBe(422);
    }
    expect((await library.post('/v1/search', {})).status).toBe(422);
  });

  test('a type no document can have is not there, whatever characters it has', async () => {
    const library = await indexed();
    await library.put('docs/a.md', 'word');
    for (const include_types of [['\0'], ['a\0b', 'docs'], ['\\u0000'], ['"', "'"]]) {
      const expected = include_types.includes('docs') ? ['docs/a.md'] : [];
      expect(await library.found('word', { include_types })).toEqual(expected);
      const { body } = await library.recent({ include_types });
      expect(body.results.map(({ path }) => path)).toEqual(expected);
    }
  });

  test('what was searched for before is not asked of the full-text index again, and still told as it is now', async () => {
    const library = await indexed();
    for (let n = 0; n < 30; n += 1) await library.put(`projects/${n}.md`, 'harbour and tide');
    const before = await library.found('harbour tide', { limit: 100 });
    const asked = await statementsOf(() => library.search('harbour tide'));
    expect(asked.length).toBeLessThanOrEqual(6);
    expect(asked.filter((text) => /postings|suffixes/.test(text))).toEqual([]);
    await library.put('projects/3.md', 'nothing of it');
    await library.put('projects/new.md', 'a harbour, and the tide');
    const now = [...before.filter((path) => path !== 'projects/3.md'), 'projects/new.md'];
    expect(await library.found('harbour tide', { limit: 100 })).toEqual(now);
  });
});
