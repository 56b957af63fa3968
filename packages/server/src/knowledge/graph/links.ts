import { compareChars } from '../../platform/chars.ts';
import type { GraphEdge, GraphNode } from './node.ts';
import { type GraphWarning, type SourceClass, sourceDenied } from './warnings.ts';

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
    this.warnings.push(sourceDenied(source, path, this.anchor));
  }

  nodes(): GraphNode[] {
    return [...this.#nodes.values()].toSorted((a, b) => compareChars(a.id, b.id));
  }

  edges(): GraphEdge[] {
    return [...this.#edges].toSorted(([a], [b]) => compareChars(a, b)).map(([, edge]) => edge);
  }
}
