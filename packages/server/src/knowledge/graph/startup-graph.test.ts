import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { T } from '../../continuity/testing/base-capsule.ts';
import { Memory, type MemoryServer, startMemory } from '../../continuity/testing/memory.ts';

interface Graph {
  graph_summary: Record<string, unknown> & { truncation: Record<string, unknown>; warnings: unknown[] };
}

const pointing = (...paths: string[]) => ({
  continuity: { related_documents: paths.map((path) => ({ path, kind: 'spec', label: path })) },
});

const none = (limit: number) => ({ limit, available: 0, returned: 0, truncated: false });
const EMPTY = { nodes: [], edges: [], related_documents: [], blockers: [] };
const NOTHING_CUT = { nodes: none(12), edges: none(16), related_documents: none(4), blockers: none(4) };

const document = (path: string) => ({ id: `document:${path}`, kind: 'document', subject_id: path });

const reference = (path: string) => ({
  relationship: 'references_document',
  source_id: 'task:T 1',
  target_id: `document:${path}`,
});

const denied = (path: string) => ({
  code: 'graph_source_denied',
  message: 'A graph source was omitted because access was denied.',
  details: { source_class: 'related_document', path, anchor_id: 'thread:narrow' },
});

describeEachServer('continuity › what a capsule links to', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });
  const graph = async (kind: string, id: string, by: Memory = memory) => {
    const request = { subject_kind: kind, subject_id: id, view: 'startup', allow_fallback: true };
    return (await by.call<Graph>('read', request)).body.graph_summary;
  };

  test('a user is no anchor', async () => {
    await memory.store('user', 'u', pointing('docs/a.md'));
    expect(await graph('user', 'u')).toEqual({
      anchor: null,
      ...EMPTY,
      truncation: NOTHING_CUT,
      warnings: [
        {
          code: 'graph_anchor_not_supported',
          message: 'The selected subject kind is not supported as a graph anchor.',
          details: { subject_kind: 'user' },
        },
      ],
    });
  });

  test('a subject nobody wrote about, or another spelling of one, is not found', async () => {
    await memory.store('thread', 'Here');
    for (const id of ['nowhere', 'here']) {
      expect(await graph('thread', id)).toMatchObject({
        anchor: null,
        ...EMPTY,
        warnings: [
          {
            code: 'graph_anchor_not_found',
            message: 'The selected graph anchor was not found.',
            details: { anchor_id: `thread:${id}`, kind: 'thread', subject_id: id },
          },
        ],
      });
    }
  });

  test('its documents and its successor, in order', async () => {
    const subject = { subject_kind: 'task', subject_id: 'T 1' };
    await memory.store('task', 'T 1', {
      ...pointing('docs/b.md', 'docs/a.md'),
      thread_descriptor: { label: 'L' },
    });
    const move = { ...subject, transition: 'supersede', superseded_by: 'T 2', updated_at: T(2) };
    await memory.call('lifecycle', move);
    const summary = await graph('task', 'T 1');
    expect(Object.keys(summary).join(' ')).toBe(
      'anchor nodes edges related_documents blockers truncation warnings',
    );
    expect(summary).toMatchObject({
      anchor: { id: 'task:T 1', kind: 'task', subject_id: 'T 1' },
      nodes: [
        document('docs/a.md'),
        document('docs/b.md'),
        { id: 'task:T 2', kind: 'task', subject_id: 'T 2' },
      ],
      edges: [
        reference('docs/a.md'),
        reference('docs/b.md'),
        { relationship: 'supersedes', source_id: 'task:T 2', target_id: 'task:T 1' },
      ],
      related_documents: ['docs/a.md', 'docs/b.md'].map((path) => ({
        path,
        node_id: `document:${path}`,
        source_id: 'task:T 1',
      })),
      truncation: { nodes: { ...none(12), available: 3, returned: 3 } },
      warnings: [],
    });
  });

  test('more documents than are told', async () => {
    await memory.store('thread', 'many', pointing('h', 'g', 'f', 'e', 'd', 'c', 'b', 'a'));
    const { related_documents: documents, truncation, warnings } = await graph('thread', 'many');
    expect(documents).toMatchObject([{ path: 'a' }, { path: 'b' }, { path: 'c' }, { path: 'd' }]);
    expect(truncation.related_documents).toEqual({ limit: 4, available: 8, returned: 4, truncated: true });
    expect(warnings).toEqual([
      {
        code: 'graph_truncated',
        message: 'Graph context was truncated to configured caps.',
        details: { field: 'related_documents', limit: 4, available: 8 },
      },
    ]);
  });

  test('a document the caller may not read is left out, and that is told', async () => {
    await memory.store('thread', 'narrow', pointing('docs/open.md', 'private/b.md', 'private/a.md'));
    const { body } = await home.people.call<{ api_key: string }>('POST', '/v1/keys', {
      key: memory.key,
      body: { scopes: ['read:files'], read_namespaces: ['memory', 'docs'] },
    });
    const narrow = new Memory(home.people, { id: memory.ownerId, key: body.api_key });
    expect(await graph('thread', 'narrow', narrow)).toMatchObject({
      nodes: [{ subject_id: 'docs/open.md' }],
      related_documents: [{ path: 'docs/open.md' }],
      warnings: [denied('private/a.md'), denied('private/b.md')],
    });
  });
});
