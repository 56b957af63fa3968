import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { startLibrary } from '../testing/library.ts';
import { seeded } from '../testing/seeded.ts';

/*
 * The rule, written a second time and as plainly as it can be. What the server finds on either database is compared with it, so
 * that both find the same.
 */

interface Document {
  path: string;
  text: string;
  type: string;
  importance: number | null;
  at: number;
}

const WORDS = [
  'alpha',
  'beta',
  'alphabet',
  'größe',
  'Ärger',
  '東京',
  'a_b-c',
  'x1',
  'note-17',
  '2026-04-01',
  'be',
  'İstanbul',
  'ΟΔΟΣ',
  '𝒜𝒷',
];
const FOLDERS = ['projects', 'essays/alpha', 'journal', 'memory/beta', 'docs/Größe'];

function naive(
  documents: readonly Document[],
  query: string,
  more: { types: string[]; recent: boolean },
): string[] {
  const terms = [...new Set([...query.matchAll(/[\p{L}\p{N}_-]{2,}/gu)].map(([term]) => term.toLowerCase()))];
  const scored = documents.map((document) => {
    const path = document.path.toLowerCase();
    const all = `${document.path} ${document.text}`.toLowerCase();
    const hits = terms.map((term) => (path.includes(term) ? 2 : 0) + (all.includes(term) ? 1 : 0));
    const sum = hits.reduce((a: number, b) => a + b, 0) + (document.importance ?? 0);
    return { ...document, score: Math.round(sum * 1000) / 1000 };
  });
  return scored
    .filter(({ score, type }) => score > 0 && (more.types.length === 0 || more.types.includes(type)))
    .toSorted(
      (a, b) =>
        (more.recent ? b.at - a.at : b.score - a.score) ||
        Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)),
    )
    .slice(0, 50)
    .map(({ path, score }) => `${path} ${score}`);
}

describeEachServer('search › 500 random searches', (start) => {
  test('find what the rule says, in its order', async () => {
    const home = await startLibrary(start, { logLevel: 'error' });
    const library = await home.library();
    const random = seeded(20_260_401);
    const documents: Document[] = [];
    const begun = home.clock.now();
    await library.rebuild();
    const writeOne = async () => {
      const text = Array.from(
        { length: random.below(8) },
        () => random.pick(WORDS) + random.pick(['', 's', '-2', '.']),
      );
      const importance = random.below(6) === 0 ? random.pick([0.5, 1.25, -1, 3, 0.0004]) : null;
      const front = importance === null ? '' : `---\ntype: noted\nimportance: ${importance}\n---\n`;
      const folder = random.pick(FOLDERS);
      const path = `${folder}/${random.pick(WORDS)}${random.below(90)}.md`;
      const document = {
        path,
        text: front + text.join(random.pick([' ', '\n', '/'])),
        type: importance === null ? (folder.split('/')[0] ?? '') : 'noted',
        importance,
        at: home.clock.now(),
      };
      const known = documents.findIndex((other) => other.path === path);
      if (known >= 0 && documents[known]?.text === document.text) return;
      if (known >= 0) documents.splice(known, 1);
      documents.push(document);
      await library.put(path, document.text);
    };
    for (let n = 0; n < 220; n += 1) {
      if (n % 20 === 0) await home.clock.leap(1000);
      await writeOne();
    }
    expect(home.clock.now()).toBeGreaterThan(begun);
    for (let n = 0; n < 500; n += 1) {
      // What was found before is not what is found now.
      const writes = n % 100 === 99 ? 30 : Number(random.below(3) === 0);
      for (let written = 0; written < writes; written += 1) await writeOne();
      const query = Array.from({ length: random.below(4) }, () => {
        const word = random.pick(WORDS);
        const cut = random.below(3);
        return cut === 0
          ? word
          : Array.from(word)
              .slice(cut - 1, cut + 3)
              .join('');
      }).join(' ');
      const types = random.below(4) === 0 ? ['projects', 'noted'] : [];
      const recent = random.below(4) === 0;
      const { body } = await library.search(query, {
        limit: 50,
        include_types: types,
        sort_by: recent ? 'recent' : 'relevance',
      });
      const found = body.results.map(({ path, score }) => `${path} ${score}`);
      expect([query, found]).toEqual([query, naive(documents, query, { types, recent })]);
    }
  });

  test('many documents of the same score are walked through in their order', async () => {
    const home = await startLibrary(start, { logLevel: 'error' });
    const library = await home.library();
    const random = seeded(7);
    const documents: Document[] = [];
    for (let n = 0; n < 900; n += 1) {
      const path = `projects/${random.below(1_000_000)}-${n}.md`;
      const text = n % 3 === 0 ? 'common' : 'common rare';
      documents.push({ path, text, type: 'projects', importance: null, at: home.clock.now() });
    }
    for (let at = 0; at < documents.length; at += 20) {
      await Promise.all(documents.slice(at, at + 20).map(({ path, text }) => library.put(path, text)));
    }
    await library.rebuild();
    for (const query of ['common', 'rare', 'common rare', 'projects', 'mmo']) {
      for (const recent of [false, true]) {
        const { body } = await library.search(query, { limit: 50, sort_by: recent ? 'recent' : 'relevance' });
        const found = body.results.map(({ path, score }) => `${path} ${score}`);
        expect([query, found]).toEqual([query, naive(documents, query, { types: [], recent })]);
      }
    }
  }, 60_000);
});
