import { beforeAll, expect, test } from 'vitest';
import { NOW } from '../../continuity/testing/memory.ts';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { type LibraryServer, startLibrary } from '../testing/library.ts';

describeEachServer('the index', (start) => {
  let home: LibraryServer;
  beforeAll(async () => {
    home = await startLibrary(start);
  });

  test('is there only after a rebuild, and nothing is found before', async () => {
    const library = await home.library();
    await library.put('projects/a.md', 'alpha');
    const status = async () => (await library.call('GET', '/v1/index/status')).body;
    const none = { ok: true, generated_at: null, file_count: 0, sqlite_fts: false, state_file: false };
    expect(await status()).toEqual(none);
    expect((await library.search('alpha')).body).toEqual({
      ok: true,
      query: 'alpha',
      sort_by: 'relevance',
      count: 0,
      results: [],
    });
    expect((await library.recent()).body).toEqual({ ok: true, count: 0, results: [] });
    const rebuilt = await library.post('/v1/index/rebuild');
    expect(rebuilt.body).toEqual({
      ok: true,
      file_count: 1,
      committed_files: [],
      latest_commit: expect.any(String),
    });
    expect(await status()).toEqual({
      ok: true,
      generated_at: '2026-04-01T12:00:00Z',
      file_count: 1,
      sqlite_fts: true,
      state_file: true,
    });
  });

  test('follows every write, and an incremental rebuild says what changed since the last one', async () => {
    const library = await home.library();
    const incremental = async () =>
      (await library.post<{ incremental: unknown }>('/v1/index/rebuild-incremental')).body.incremental;
    await library.put('projects/a.md', 'alpha');
    await library.put('projects/picture.png', 'alpha');
    expect(await incremental()).toEqual({ changed_count: 1, removed_count: 0, unchanged_count: 0 });
    expect(await incremental()).toEqual({ changed_count: 0, removed_count: 0, unchanged_count: 1 });
    await library.put('projects/b.md', 'beta');
    await library.task('t1');
    expect(await library.found('beta')).toEqual(['projects/b.md']);
    expect(await library.found('t1')).toEqual(['tasks/open/t1.json']);
    expect(await incremental()).toEqual({ changed_count: 2, removed_count: 0, unchanged_count: 1 });
    await library.put('projects/a.md', 'gamma');
    await library.call('PATCH', '/v1/tasks/t1', { body: { status: 'done' } });
    expect(await library.found('alpha')).toEqual([]);
    expect(await library.found('gamma')).toEqual(['projects/a.md']);
    expect(await library.found('t1')).toEqual(['tasks/done/t1.json']);
    expect(await incremental()).toEqual({ changed_count: 2, removed_count: 1, unchanged_count: 1 });
  });

  test('its time moves with a rebuild alone', async () => {
    const library = await home.library();
    await library.put('projects/a.md', 'alpha');
    await library.rebuild();
    await home.clock.leap(3_600_000);
    await library.put('projects/a.md', 'beta');
    const status = async () => (await library.call('GET', '/v1/index/status')).body.generated_at;
    expect(await status()).toBe('2026-04-01T12:00:00Z');
    await library.post('/v1/index/rebuild-incremental');
    expect(await status()).toBe('2026-04-01T13:00:00Z');
    home.clock.setBack(home.clock.now() - NOW);
  });

  test('a rebuild changes nothing that is found, and forgets words nobody uses any more', async () => {
    const library = await home.library();
    await library.rebuild();
    for (let n = 0; n < 30; n += 1) await library.put(`projects/${n}.md`, `first${n} shared words`);
    for (let n = 0; n < 30; n += 1) await library.put(`projects/${n}.md`, `second${n} shared words`);
    const before = await library.search('shared second', { limit: 100 });
    const words = async () => {
      const rows = await home.server.context.database.read.all<{ word: string }>({
        strings: ['SELECT word FROM knowledge_words ORDER BY word'],
        values: [],
      });
      return rows.map(({ word }) => word).filter((word) => /^first\d/.test(word));
    };
    expect((await words()).length).toBe(30);
    await library.rebuild();
    expect((await library.search('shared second', { limit: 100 })).body).toEqual(before.body);
    expect(await words()).toEqual([]);
    await library.put('projects/1.md', 'first1 again');
    expect(await library.found('first1')).toEqual(['projects/1.md']);
  });

  test('writes that come while it is rebuilt are in it', async () => {
    const library = await home.library();
    for (let n = 0; n < 60; n += 1) await library.put(`projects/${n}.md`, `old${n}`);
    const [rebuilt] = await Promise.all([
      library.post('/v1/index/rebuild'),
      ...Array.from({ length: 60 }, (_, n) => library.write(`projects/${59 - n}.md`, `new${n}`)),
      ...Array.from({ length: 10 }, (_, n) => library.write(`projects/later${n}.md`, `later${n}`)),
    ]);
    expect(rebuilt?.status).toBe(200);
    expect(await library.found('old', { limit: 100 })).toEqual([]);
    expect((await library.found('new', { limit: 100 })).length).toBe(60);
    expect((await library.found('later', { limit: 100 })).length).toBe(10);
  });

  test('needs its scope', async () => {
    const library = await home.library();
    const away = await library.lesser({ scopes: ['search', 'read:files'] });
    for (const [method, path] of [
      ['POST', '/v1/index/rebuild'],
      ['POST', '/v1/index/rebuild-incremental'],
      ['GET', '/v1/index/status'],
    ] as const) {
      const { status, body } = await away.call(method, path);
      expect([path, status, body]).toEqual([path, 403, { detail: 'Missing scope: read:index' }]);
    }
  });
});

const manyWords = (first: string): string =>
  Array.from({ length: 12_000 }, (_, at) => first + at.toString(36)).join(' ');

describeEachServer('the index of a few small documents', (start) => {
  test('takes large ones as soon', async () => {
    const home = await startLibrary(start, { dbStatementTimeoutMs: 5_000, logLevel: 'error' });
    const library = await home.library();
    const few = async (name: string): Promise<void> => {
      for (let at = 0; at < 10; at += 1) await library.put(`docs/${name}${at}.md`, 'small');
    };
    await library.rebuild();
    await few('a');
    // Every database looks now and then how much there is.
    await home.server.context.database.write((tx) => tx.run(sql`ANALYZE`));
    await few('b');
    await library.put('docs/large.md', manyWords('q'));
    await library.put('docs/larger.md', manyWords('z'));
    expect(await library.found('z8aa')).toEqual(['docs/larger.md']);
  });
});
