import { expect, test } from 'vitest';
import { inNamespaces } from '@parley/protocol/identity/scopes';
import { daysAgo } from '../continuity/testing/memory.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { type Bundle, pointing, retrieve } from './testing/bundle.ts';
import { type Library, startLibrary } from './testing/library.ts';
import { seeded } from './testing/seeded.ts';

const FOLDERS = [
  'projects',
  'projects/in',
  'projects/inner',
  'journal',
  'memory/core',
  'memory/summaries',
  'docs',
];
const PREFIXES = [
  ...FOLDERS,
  'memory',
  'tasks',
  'tasks/open',
  'memory/continuity',
  'projects/in/0.md',
  'none',
];
const SCOPES = ['search', 'read:files', 'read:index'];

/** Every path that an answer shows as something that could be read. */
function shown({ core_memory: core, recent_relevant: rows, graph_context: graph }: Bundle): string[] {
  const documents = graph.nodes.filter(({ kind }) => kind === 'document').map(({ subject_id: path }) => path);
  return [...core, ...rows].map(({ path }) => path).concat(documents);
}

describeEachServer('knowledge › what may not be read', (start) => {
  test('is never shown by search, recent or retrieve', async () => {
    const home = await startLibrary(start, { logLevel: 'error' });
    const random = seeded(12);
    const owners: { library: Library; mark: string }[] = [];
    for (let n = 0; n < 3; n += 1) {
      const library = await home.library();
      const mark = `mark${n}of${n}`;
      for (let at = 0; at < 40; at += 1) {
        const path = `${random.pick(FOLDERS)}/${random.below(12)}.md`;
        await library.put(path, `shared word ${mark}? ${random.below(9)}`);
      }
      await library.put('memory/core/values.md', `values ${mark}`);
      await library.task('t1', { thread_id: 'th1', title: `shared ${mark}` });
      const listed = pointing(...FOLDERS.map((folder) => `${folder}/1.md`));
      await library.memory.store('thread', 'th1', {
        ...listed,
        updated_at: daysAgo(1),
        verified_at: daysAgo(1),
      });
      if (n > 0) await library.rebuild();
      owners.push({ library, mark });
    }
    let results = 0;
    for (let round = 0; round < 60; round += 1) {
      const { library, mark } = random.pick(owners);
      const namespaces = Array.from({ length: 1 + random.below(3) }, () => random.pick(PREFIXES));
      const scopes = ['search', ...SCOPES.filter(() => random.below(2) === 0)];
      const key = await library.lesser({ scopes: [...new Set(scopes)], read_namespaces: namespaces });
      const query = random.pick(['shared', 'word', 'mark', 'values', '', 'th1 projects']);
      const answers = [
        await key.search(query, { limit: 100, sort_by: random.pick(['relevance', 'recent']) }),
        await key.recent({ limit: 100 }),
      ];
      const bundles = [
        await retrieve(key, { task: query, limit: 100 }),
        await retrieve(key, { task: query, subject_kind: 'thread', subject_id: 'th1' }),
        await retrieve(key, {
          task: query,
          continuity_selectors: [{ subject_kind: 'thread', subject_id: 'th1' }],
        }),
      ].filter(({ status }) => status === 200);
      const paths = [
        ...answers.flatMap(({ body }) => body.results.map(({ path }) => path)),
        ...bundles.flatMap(({ body }) => shown(body.bundle)),
      ];
      results += paths.length;
      expect(paths.filter((path) => !inNamespaces(namespaces, path))).toEqual([]);
      const text = [...answers, ...bundles].map((answer) => answer.text).join('\n');
      for (const other of owners) if (other.mark !== mark) expect(text).not.toContain(other.mark);
    }
    expect(results).toBeGreaterThan(500);
  }, 60_000);
});
