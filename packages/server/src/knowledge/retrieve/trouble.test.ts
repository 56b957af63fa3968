import { expect, test } from 'vitest';
import { daysAgo } from '../../continuity/testing/memory.ts';
import { sql, type SqlQuery } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { bundleOf, pointing } from '../testing/bundle.ts';
import { startLibrary } from '../testing/library.ts';

const skipped = (counts: object) => ({
  code: 'graph_result_malformed',
  message: 'Malformed graph helper results were skipped.',
  details: { malformed_nodes: 0, malformed_edges: 0, malformed_anchors: 0, ...counts },
});

/** Whatever is out of order, what can still be told is told. */
describeEachServer('retrieve › trouble with the store', (start) => {
  const scene = async () => {
    const home = await startLibrary(start);
    const library = await home.library();
    const { database } = home.server.context;
    const damage = (statement: SqlQuery) => database.write((tx) => tx.run(statement));
    return { home, library, damage };
  };
  const thread = { subject_kind: 'thread', subject_id: 'th1' };

  test('an index that fails is told as stale, and the documents themselves are looked at', async () => {
    const { library, damage } = await scene();
    await library.put('projects/deploy.md', 'Deploy plan');
    await library.put('essays/other.md', 'nothing of it');
    await library.rebuild();
    await damage(sql`ALTER TABLE knowledge_postings RENAME TO knowledge_postings_away`);
    const bundle = await bundleOf(library, { task: 'deploy' });
    expect(bundle.recent_relevant.map(({ path, score }) => [path, score])).toEqual([
      ['projects/deploy.md', 1001],
      ['essays/other.md', 0],
    ]);
    expect(bundle.continuity_state.recovery_warnings).toEqual(['continuity_index_stale']);
    await damage(sql`ALTER TABLE knowledge_postings_away RENAME TO knowledge_postings`);
    const mended = await bundleOf(library, { task: 'deploy' });
    expect(mended.recent_relevant.map(({ path }) => path)).toEqual(['projects/deploy.md']);
    expect(mended.continuity_state.recovery_warnings).toEqual([]);
  });

  test('a graph that cannot be made leaves the rest as it is', async () => {
    const { home, library, damage } = await scene();
    await library.rebuild();
    const fresh = { verified_at: daysAgo(1), updated_at: daysAgo(1) };
    await library.memory.store('thread', 'th1', { ...fresh, ...pointing('docs/a.md') });
    await damage(sql`ALTER TABLE knowledge_tasks RENAME TO knowledge_tasks_away`);
    const bundle = await bundleOf(library, thread);
    expect(bundle.continuity_state.present).toBe(true);
    expect(bundle.graph_context).toMatchObject({
      anchor: null,
      nodes: [],
      warnings: [
        {
          code: 'graph_derivation_failed',
          message: 'Graph context could not be derived.',
          details: { reason: 'helper_exception' },
        },
      ],
    });
    const startup = await library.memory.call('read', { ...thread, view: 'startup' });
    expect(startup).toMatchObject({
      status: 200,
      body: { source_state: 'active', graph_summary: { warnings: [{ code: 'graph_derivation_failed' }] } },
    });
    expect(startup.text).not.toContain('knowledge_tasks');
    expect(home.server.rawLog()).toContain('knowledge_tasks');
  });

  test('a task that somebody damaged is left out of the graph, and counted', async () => {
    const { library, damage } = await scene();
    for (const id of ['one', 'two', 'three']) await library.task(id, { thread_id: 'th1' });
    await damage(sql`UPDATE knowledge_tasks SET task = '{' WHERE task_id = 'two'`);
    await damage(sql`UPDATE knowledge_tasks SET task = '{}' WHERE task_id = 'three'`);
    const { graph_context: graph } = await bundleOf(library, thread);
    expect(graph.nodes.map(({ id }) => id)).toEqual(['task:one']);
    expect(graph.warnings).toEqual([skipped({ malformed_nodes: 2 })]);
    const { graph_context: own } = await bundleOf(library, { subject_kind: 'task', subject_id: 'two' });
    expect([own.anchor, own.warnings]).toEqual([null, [skipped({ malformed_anchors: 1 })]]);
  });
});
