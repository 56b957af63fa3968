import type { GraphSection } from '@parley/protocol/continuity/startup-answer';
import { describe, expect, test } from 'vitest';
import { showGraph } from './graph-view.ts';
import { Page } from '../page.ts';
import { terminalOf } from '../terminal.ts';

const all = { limit: 32, available: 3, returned: 3, truncated: false };
const WHOLE = { edges: all, related_documents: all, blockers: all };

const GRAPH: GraphSection = {
  anchor: { id: 'task:t1', kind: 'task', subject_id: 't1' },
  nodes: [],
  edges: [
    { relationship: 'depends_on', source_id: 'task:t1', target_id: 'task:t2' },
    { relationship: 'references_document', source_id: 'task:t1', target_id: 'document:docs/\u001b[31m.md' },
    { relationship: 'supersedes', source_id: 'task:t0', target_id: 'task:t1' },
  ],
  related_documents: [],
  blockers: [],
  truncation: { nodes: { limit: 24, available: 40, returned: 24, truncated: true }, ...WHOLE },
  warnings: [
    { code: 'graph_truncated', message: 'Cut.', details: {} },
    { code: 'graph_source_denied', message: 'Denied.', details: { path: 'journal/x.md', anchor_id: null } },
  ],
};

const shown = (graph: GraphSection, isTTY: boolean, env: Record<string, string> = { NO_COLOR: '1' }) => {
  const page = new Page(terminalOf({ isTTY, columns: 80 }, env));
  showGraph(page, graph);
  return { text: page.toString(), asides: page.asides };
};

describe('memory graph', () => {
  test('is a tree with aligned arrows on a terminal', () => {
    expect(shown(GRAPH, true).text).toBe(
      [
        'task:t1',
        '├─ depends_on          → task:t2',
        '├─ references_document → document:docs/\\x1b[31m.md',
        '└─ supersedes          ← task:t0',
        '24 of 40 nodes',
        '! Denied. (journal/x.md)',
      ].join('\n'),
    );
    expect(shown(GRAPH, true, {}).text).toContain('\u001b[36mtask:t2');
  });

  test('is a row for each link in a pipe, and the rest is told beside', () => {
    const { text, asides } = shown(GRAPH, false);
    expect(text.split('\n').map((row) => row.split('\t'))).toEqual([
      ['depends_on', 'task:t1', 'task:t2'],
      ['references_document', 'task:t1', 'document:docs/\\x1b[31m.md'],
      ['supersedes', 'task:t0', 'task:t1'],
    ]);
    expect(asides).toEqual(['24 of 40 nodes', '! Denied. (journal/x.md)']);
  });

  test('says so when nothing is linked', () => {
    expect(
      shown({ ...GRAPH, edges: [], truncation: { nodes: all, ...WHOLE }, warnings: [] }, true).text,
    ).toBe('task:t1\n   nothing is linked to it');
  });
});
