import { startLibrary } from '@parley/server/knowledge/testing/library';
import { describeEachServer } from '@parley/server/testing/each-server';
import { expect, test } from 'vitest';
import { MemoryError } from '../memory/memory-error.ts';
import { KnowledgeClient } from './client.ts';

describeEachServer('knowledge client', (start) => {
  test('writes, finds and retrieves, and tells a refusal', async () => {
    const home = await startLibrary(start);
    const { memory } = await home.library();
    const knowledge = new KnowledgeClient({ server: `${home.server.url}/`, key: memory.key });
    expect((await knowledge.write({ path: 'projects/a b.md', content: 'tide?' })).committed).toBe(true);
    await knowledge.append({ path: 'journal/l.jsonl', record: { tide: 1 } });
    expect((await knowledge.read('projects/a b.md')).content).toBe('tide?');
    expect((await knowledge.indexStatus()).generated_at).toBeNull();
    expect((await knowledge.rebuildIndex()).file_count).toBe(2);
    const found = await knowledge.search({ query: 'tide', limit: 5 });
    expect(found.results.map(({ path }) => path)).toEqual(['journal/l.jsonl', 'projects/a b.md']);
    expect((await knowledge.recent()).count).toBe(2);
    await knowledge.createTask({ task_id: 'a 1', title: 't', owner_peer: 'p', thread_id: 'th' });
    expect((await knowledge.changeTask('a 1', { status: 'done' })).path).toBe('tasks/done/a 1.json');
    expect((await knowledge.tasks({ status: 'done', limit: 3 })).tasks[0]?.task_id).toBe('a 1');
    expect((await knowledge.updateIndex()).incremental.changed_count).toBe(1);
    const selectors = [{ subject_kind: 'thread' as const, subject_id: 'th' }];
    const { bundle } = await knowledge.retrieve({ task: 'tide', continuity_selectors: selectors });
    expect(bundle.open_questions).toEqual(['tide?']);
    expect(bundle.graph_context.nodes.map(({ id }) => id)).toEqual(['task:a 1']);
    const refused = await knowledge.read('projects/none.md').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MemoryError);
    expect(refused).toMatchObject({ status: 404, message: 'File not found' });
  });
});
