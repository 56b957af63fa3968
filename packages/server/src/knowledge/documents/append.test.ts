import { beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { MOST_SEGMENTS } from '../index/posting-store.ts';
import { type Library, type LibraryServer, startLibrary } from '../testing/library.ts';

const WORDS = ['alpha', 'betaalpha', 'größe', 'ΟΔΟΣ', 'İstanbul', 'note-17', '東京', '#tag', '#äther', 'x1'];
const QUERIES = ['alpha', 'größe', 'οδος', 'istanbul', 'note-17', '東京', 'äther', 'log', 'line', 'nowhere'];

const append = (library: Library, path: string, record: object) =>
  library.post('/v1/append', { path, record });

const answers = async (library: Library): Promise<unknown[]> => {
  const all: unknown[] = [];
  for (const query of QUERIES) all.push((await library.search(query, { limit: 100 })).body);
  return all;
};

/** A document that was made with appends is found as if it had been written at once. */
describeEachServer('append', (start) => {
  let home: LibraryServer;
  beforeAll(async () => {
    home = await startLibrary(start);
  });

  test.each([
    ['an empty place', undefined],
    ['a short text', 'one line'],
    ['a long text', `---\nimportance: 2\n---\n${'some words '.repeat(60)}`],
    ['a text that ends its lines', 'some #words here\n'.repeat(60)],
    ['a text with a NUL in it', `${'some words '.repeat(60)}\0`],
    ['nearly nothing but white space', ' '.repeat(20_000)],
  ])('to %s says the same as a rebuilt index', async (_, text) => {
    const library = await home.library();
    const path = 'messages/log.md';
    await library.rebuild();
    if (text !== undefined) await library.put(path, text);
    await library.put('projects/other.md', 'alpha line');
    const lines = WORDS.map((word, n) => ({ line: n, text: `${word} ${WORDS[(n * 3) % WORDS.length]}` }));
    for (const record of lines) {
      expect((await append(library, path, record)).body).toMatchObject({ ok: true, path, committed: true });
    }
    const before = text === undefined || text.endsWith('\n') ? (text ?? '') : `${text}\n`;
    const whole = before + lines.map((record) => `${JSON.stringify(record)}\n`).join('');
    expect((await library.read(path)).body.content).toBe(whole);
    const found = await answers(library);
    await library.rebuild();
    expect(await answers(library)).toEqual(found);
    // Written anew, nothing is left of what was there.
    await library.put(path, 'gone');
    expect(await library.found('größe')).toEqual([]);
  });

  test('very often is put together again', async () => {
    const library = await home.library();
    const path = 'messages/often.jsonl';
    await library.rebuild();
    await library.put(path, 'first words '.repeat(40));
    for (const word of ['early', 'later']) await append(library, path, { word });
    const { database } = home.server.context;
    const segments = async () =>
      await database.read.get(sql`
        SELECT segments FROM knowledge_files WHERE owner_id = ${library.memory.ownerId} AND path = ${path}`);
    expect(await segments()).toEqual({ segments: 2 });
    await database.write((tx) =>
      tx.run(sql`UPDATE knowledge_files SET segments = ${MOST_SEGMENTS}
        WHERE owner_id = ${library.memory.ownerId} AND path = ${path}`),
    );
    await append(library, path, { word: 'last' });
    expect(await segments()).toEqual({ segments: 0 });
    for (const word of ['first', 'early', 'later', 'last']) expect(await library.found(word)).toEqual([path]);
    await library.put(path, 'nothing of it');
    for (const word of ['first', 'early', 'later', 'last']) expect(await library.found(word)).toEqual([]);
  });
});
