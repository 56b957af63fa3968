import type { GraphSection } from '@parley/protocol/continuity/startup-answer';
import { compareChars } from '../../platform/chars.ts';
import type { GraphEdge, GraphNode, Links } from './links.ts';
import { type GraphWarning, inOrder, warning } from './warnings.ts';

export interface Caps {
  readonly nodes: number;
  readonly edges: number;
  readonly related_documents: number;
  readonly blockers: number;
}

export const CONTEXT_CAPS: Caps = { nodes: 24, edges: 32, related_documents: 8, blockers: 8 };
export const SUMMARY_CAPS: Caps = { nodes: 12, edges: 16, related_documents: 4, blockers: 4 };

type Truncation = GraphSection['truncation']['nodes'];

export const emptySection = (caps: Caps, warnings: readonly GraphWarning[]): GraphSection =>
  section(caps, null, [], [], warnings);

export const linkedSection = (caps: Caps, links: Links): GraphSection =>
  section(caps, links.anchor, links.nodes(), links.edges(), links.warnings);

/** Nodes are cut first: an edge that leads to nowhere is none, and documents and blockers are told from the edges left. */
function section(
  caps: Caps,
  anchor: GraphNode | null,
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  warnings: readonly GraphWarning[],
): GraphSection {
  const keptNodes = nodes.slice(0, caps.nodes);
  const known = new Set([anchor, ...keptNodes].map((node) => node?.id));
  const leading = edges.filter((edge) => known.has(edge.source_id) && known.has(edge.target_id));
  const keptEdges = leading.slice(0, caps.edges);
  const documents = keptEdges
    .filter(({ relationship }) => relationship === 'references_document')
    .map(documentOf);
  const blockers = keptEdges.filter(({ relationship }) => relationship === 'depends_on').map(blockerOf);
  documents.sort((a, b) => compareChars(`${a.path}\0${a.source_id}`, `${b.path}\0${b.source_id}`));
  blockers.sort((a, b) =>
    compareChars(`${a.task_id}\0${a.blocked_by_task_id}`, `${b.task_id}\0${b.blocked_by_task_id}`),
  );
  const truncation = {
    nodes: cutTo(caps.nodes, nodes.length),
    edges: cutTo(caps.edges, leading.length),
    related_documents: cutTo(caps.related_documents, documents.length),
    blockers: cutTo(caps.blockers, blockers.length),
  };
  return {
    anchor,
    nodes: keptNodes,
    edges: keptEdges,
    related_documents: documents.slice(0, caps.related_documents),
    blockers: blockers.slice(0, caps.blockers),
    truncation,
    warnings: inOrder([...warnings, ...truncatedWarnings(truncation)]),
  };
}

const documentOf = ({ source_id, target_id }: GraphEdge) => ({
  path: subjectOf(target_id),
  node_id: target_id,
  source_id,
});

const blockerOf = ({ source_id, target_id }: GraphEdge) => ({
  task_id: subjectOf(source_id),
  blocked_by_task_id: subjectOf(target_id),
  source_id,
  target_id,
});

const subjectOf = (id: string): string => id.slice(id.indexOf(':') + 1);

const cutTo = (limit: number, available: number): Truncation => ({
  limit,
  available,
  returned: Math.min(limit, available),
  truncated: available > limit,
});

const truncatedWarnings = (truncation: Readonly<Record<string, Truncation>>): GraphWarning[] =>
  Object.entries(truncation)
    .filter(([, { truncated: isCut }]) => isCut)
    .map(([field, { limit, available }]) => warning('graph_truncated', { field, limit, available }));
