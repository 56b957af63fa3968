import type { GraphSection } from '@parley/protocol/continuity/startup-answer';
import { beforeAll, expect, test } from 'vitest';
import { daysAgo } from '../../continuity/testing/memory.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { bundleOf, pointing } from '../testing/bundle.ts';
import { type Library, type LibraryServer, startLibrary } from '../testing/library.ts';

const fresh = { verified_at: daysAgo(1), updated_at: daysAgo(1) };
const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
const denied = (source_class: string, path: string | null, anchor_id: string) => ({
  code: 'graph_source_denied',
  message: 'A graph source was omitted because access was denied.',
  details: { source_class, path, anchor_id },
});
const cut = (field: string, limit: number, available: number) => ({
  code: 'graph_truncated',
  message: 'Graph context was truncated to configured caps.',
  details: { field, limit, available },
});

describeEachServer('graph', (start) => {
  let home: LibraryServer;
  let library: Library;
  beforeAll(async () => {
    home = await startLibrary(start);
  });
  const begin = async (): Promise<void> => {
    library = await home.library();
  };
  const context = async (kind: string, id: string, by = library): Promise<GraphSection> =>
    (await bundleOf(by, { subject_kind: kind, subject_id: id })).graph_context;
  const summary = async (kind: string, id: string): Promise<GraphSection> => {
    const request = { subject_kind: kind, subject_id: id, view: 'startup', allow_fallback: true };
    return (await library.memory.call<{ graph_summary: GraphSection }>('read', request)).body.graph_summary;
  };

  test('a task is linked to its thread, what blocks it and what its capsule points at', async () => {
    await begin();
    await library.task('t1', { thread_id: 'th1', blocked_by: ['t3', 't2', '  ', 't2'] });
    await library.memory.store('task', 't1', { ...fresh, ...pointing('docs/spec.md') });
    const graph = await context('task', 't1');
    expect(Object.keys(graph)).toEqual([
      'anchor',
      'nodes',
      'edges',
      'related_documents',
      'blockers',
      'truncation',
      'warnings',
    ]);
    expect(graph.anchor).toEqual({ id: 'task:t1', kind: 'task', subject_id: 't1' });
    expect(ids(graph.nodes)).toEqual(['document:docs/spec.md', 'task:t2', 'task:t3', 'thread:th1']);
    expect(graph.edges).toEqual([
      { relationship: 'depends_on', source_id: 'task:t1', target_id: 'task:t2' },
      { relationship: 'depends_on', source_id: 'task:t1', target_id: 'task:t3' },
      { relationship: 'linked_to_thread', source_id: 'task:t1', target_id: 'thread:th1' },
      { relationship: 'references_document', source_id: 'task:t1', target_id: 'document:docs/spec.md' },
    ]);
    expect(graph.related_documents).toEqual([
      { path: 'docs/spec.md', node_id: 'document:docs/spec.md', source_id: 'task:t1' },
    ]);
    expect(graph.blockers).toEqual([
      { task_id: 't1', blocked_by_task_id: 't2', source_id: 'task:t1', target_id: 'task:t2' },
      { task_id: 't1', blocked_by_task_id: 't3', source_id: 'task:t1', target_id: 'task:t3' },
    ]);
    expect(graph.warnings).toEqual([]);
    const thread = await context('thread', 'th1');
    expect(thread.edges.map(({ relationship }) => relationship)).toEqual(['linked_to_thread']);
    expect(ids(thread.nodes)).toEqual(['task:t1']);
  });

  test('a task that blocks itself is no node, but a blocker', async () => {
    await begin();
    await library.task('loop', { blocked_by: ['loop'] });
    const graph = await context('task', 'loop');
    expect([graph.nodes, graph.blockers.length, graph.edges.length]).toEqual([[], 1, 1]);
  });

  test('archives and fallbacks tell as well', async () => {
    await begin();
    await library.memory.store('thread', 'th1', { ...fresh, ...pointing('docs/old.md') });
    await library.memory.call('archive', { subject_kind: 'thread', subject_id: 'th1', reason: 'done' });
    await library.memory.store('thread', 'th1', {
      ...pointing('docs/new.md'),
      updated_at: daysAgo(0),
      verified_at: daysAgo(0),
    });
    expect(ids((await context('thread', 'th1')).nodes)).toEqual([
      'document:docs/new.md',
      'document:docs/old.md',
    ]);
  });

  test('too much is cut: nodes first, then edges without an end, then what is told of them', async () => {
    await begin();
    for (let n = 10; n < 50; n += 1) await library.task(`n${n}`, { thread_id: 'busy' });
    const busy = await context('thread', 'busy');
    expect(busy.truncation.nodes).toEqual({ limit: 24, available: 40, returned: 24, truncated: true });
    expect(busy.truncation.edges).toEqual({ limit: 32, available: 24, returned: 24, truncated: false });
    expect(busy.warnings).toEqual([cut('nodes', 24, 40)]);
    expect(ids(busy.nodes).at(-1)).toBe('task:n33');
    const blocked_by = Array.from({ length: 30 }, (_, n) => `b${n + 10}`);
    await library.task('stuck', { blocked_by, thread_id: 'z' });
    const stuck = await context('task', 'stuck');
    expect(stuck.warnings).toEqual([cut('blockers', 8, 24), cut('nodes', 24, 31)]);
    const short = await summary('task', 'stuck');
    expect(short.warnings).toEqual([cut('blockers', 4, 12), cut('nodes', 12, 31)]);
  });

  test('an anchor is found by its exact spelling, a user is none, and none has to be named', async () => {
    await begin();
    await library.memory.store('thread', 'th1', fresh);
    const bundle = await bundleOf(library, { subject_kind: 'thread', subject_id: 'TH1' });
    expect(bundle.continuity_state.present).toBe(true);
    expect(bundle.graph_context.anchor).toBeNull();
    expect(bundle.graph_context.warnings).toEqual([
      {
        code: 'graph_anchor_not_found',
        message: 'The selected graph anchor was not found.',
        details: { anchor_id: 'thread:TH1', kind: 'thread', subject_id: 'TH1' },
      },
    ]);
    expect((await context('user', 'u')).warnings).toEqual([
      {
        code: 'graph_anchor_not_supported',
        message: 'The selected subject kind is not supported as a graph anchor.',
        details: { subject_kind: 'user' },
      },
    ]);
    const selectors = { continuity_selectors: [{ subject_kind: 'thread', subject_id: 'th1' }] };
    const beside = await bundleOf(library, { subject_kind: 'user', subject_id: 'u', ...selectors });
    expect(beside.graph_context.anchor?.id).toBe('thread:th1');
  });

  test('sources that may not be read are named, not shown', async () => {
    await begin();
    await library.task('t1', { thread_id: 'th1' });
    await library.memory.store('thread', 'th1', {
      ...fresh,
      ...pointing('journal/secret.md', 'projects/open.md'),
    });
    const narrow = await library.lesser({ read_namespaces: ['memory/continuity', 'projects'] });
    const graph = await context('thread', 'th1', narrow);
    expect(ids(graph.nodes)).toEqual(['document:projects/open.md']);
    expect(graph.warnings).toEqual([
      denied('related_document', 'journal/secret.md', 'thread:th1'),
      denied('task_artifact', 'tasks/open/t1.json', 'thread:th1'),
    ]);
    const nothing = await library.lesser({ read_namespaces: ['projects'] });
    const blind = await context('thread', 'th1', nothing);
    expect([blind.anchor, blind.nodes]).toEqual([null, []]);
    expect(blind.warnings).toEqual([
      denied('continuity_capsule', 'memory/continuity/thread-th1.json', 'thread:th1'),
      denied('fallback_artifact', 'memory/continuity/fallback/thread-th1.json', 'thread:th1'),
      denied('task_artifact', 'tasks/open/t1.json', 'thread:th1'),
    ]);
  });

  test('a startup read tells of a task without a capsule, and another read of no graph', async () => {
    await begin();
    await library.task('t9', { blocked_by: ['t1'] });
    const request = { subject_kind: 'task', subject_id: 't9', allow_fallback: true };
    const startup = await library.memory.call<{ source_state: string; graph_summary: GraphSection }>('read', {
      ...request,
      view: 'startup',
    });
    expect([startup.status, startup.body.source_state]).toEqual([200, 'missing']);
    expect(startup.body.graph_summary.anchor?.id).toBe('task:t9');
    expect(startup.body.graph_summary.blockers).toHaveLength(1);
    const plain = await library.memory.call('read', request);
    expect(plain.body).not.toHaveProperty('graph_summary');
    expect(plain.body).not.toHaveProperty('schedule_context');
  });
});
