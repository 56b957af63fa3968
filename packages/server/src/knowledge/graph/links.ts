import type { GraphSection } from '@parley/protocol/continuity/startup-answer';
import { compareChars } from '../../platform/chars.ts';
import { type GraphWarning, type SourceClass, warning } from './warnings.ts';

/** The first colon of an id separates kind and subject. */
export type GraphNode = GraphSection['nodes'][number];

export interface GraphEdge extends Readonly<GraphSection['edges'][number]> {
  readonly relationship: 'linked_to_thread' | 'depends_on' | 'references_document' | 'supersedes';
}

export const nodeOf = (kind: string, id: string): GraphNode => ({
  id: `${kind}:${id}`,
  kind,
  subject_id: id,
});

const sortText = (edge: GraphEdge): string => [edge.relationship, edge.source_id, edge.target_id].join('\0');

/** What is linked to an anchor: nodes and edges, each once, gathered as the sources tell them. */
export class Links {
  readonly anchor: GraphNode;
  readonly warnings: GraphWarning[] = [];
  readonly #nodes = new Map<string, GraphNode>();
  readonly #edges = new Map<string, GraphEdge>();

  constructor(anchor: GraphNode) {
    this.anchor = anchor;
  }

  /** An edge between two nodes; ids that say nothing link to nothing. */
  add(relationship: GraphEdge['relationship'], source: GraphNode, target: GraphNode): void {
    if (source.subject_id.trim() === '' || target.subject_id.trim() === '') return;
    for (const node of [source, target]) if (node.id !== this.anchor.id) this.#nodes.set(node.id, node);
    const edge = { relationship, source_id: source.id, target_id: target.id };
    this.#edges.set(sortText(edge), edge);
  }

  /** Left out: the caller may not read it. */
  denied(source: SourceClass, path: string | null): void {
    const details = { source_class: source, path, anchor_id: this.anchor.id };
    this.warnings.push(warning('graph_source_denied', details));
  }

  nodes(): GraphNode[] {
    return [...this.#nodes.values()].toSorted((a, b) => compareChars(a.id, b.id));
  }

  edges(): GraphEdge[] {
    return [...this.#edges].toSorted(([a], [b]) => compareChars(a, b)).map(([, edge]) => edge);
  }
}
