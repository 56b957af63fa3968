import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { Caller } from '../../wire/caller.ts';
import { mayRead } from '../access.ts';
import { compareChars } from '../../platform/chars.ts';
import type { Subject } from '../capsule/subject.ts';

/*
 * What a capsule itself links its subject to: the documents it points at, and what came after it. Only threads and tasks
 * have links, and ids are taken as they are written.
 */

interface GraphNode {
  readonly id: string;
  readonly kind: string;
  readonly subject_id: string;
}

interface GraphEdge {
  readonly relationship: string;
  readonly source_id: string;
  readonly target_id: string;
}

interface GraphWarning {
  readonly code: string;
  readonly message: string;
  readonly details: object;
}

const LIMITS = { nodes: 12, edges: 16, related_documents: 4, blockers: 4 };

export function capsuleGraph(
  caller: Caller,
  { kind, id }: Pick<Subject, 'kind' | 'id'>,
  capsule: Capsule | null,
): object {
  if (kind === 'user' || kind === 'peer') return section(null, [], [], [notSupported(kind)]);
  const anchor = nodeOf(kind, id);
  if (capsule?.subject_id !== id) return section(null, [], [], [notFound(anchor)]);
  const paths = [...new Set(capsule.continuity.related_documents?.map(({ path }) => path))];
  const denied = paths.filter((path) => !mayRead(caller, path)).toSorted(compareChars);
  const documents = paths.filter((path) => !denied.includes(path)).map((path) => nodeOf('document', path));
  const later = capsule.thread_descriptor?.superseded_by ?? '';
  const successors = later.trim() === '' ? [] : [nodeOf(kind, later)];
  return section(
    anchor,
    [...documents, ...successors],
    [
      ...documents.map(({ id: target }) => edgeOf('references_document', anchor.id, target)),
      ...successors.map(({ id: source }) => edgeOf('supersedes', source, anchor.id)),
    ],
    denied.map((path) => sourceDenied(path, anchor)),
  );
}

/** Nodes are cut first: an edge that leads to nowhere is none, and documents are told from the edges that are left. */
function section(
  anchor: GraphNode | null,
  linked: readonly GraphNode[],
  edges: readonly GraphEdge[],
  warnings: readonly GraphWarning[],
): object {
  const others = linked.filter(({ id }) => id !== anchor?.id);
  const nodes = others.toSorted((a, b) => compareChars(a.id, b.id)).slice(0, LIMITS.nodes);
  const known = new Set([anchor, ...nodes].map((node) => node?.id));
  const leading = edges
    .filter(({ source_id: source, target_id: target }) => known.has(source) && known.has(target))
    .toSorted((a, b) => compareChars(sortText(a), sortText(b)));
  const kept = leading.slice(0, LIMITS.edges);
  const documents = kept
    .filter(({ relationship }) => relationship === 'references_document')
    .map(({ source_id, target_id }) => ({
      path: target_id.slice('document:'.length),
      node_id: target_id,
      source_id,
    }));
  const truncation = {
    nodes: cutOf('nodes', others.length),
    edges: cutOf('edges', leading.length),
    related_documents: cutOf('related_documents', documents.length),
    blockers: cutOf('blockers', 0),
  };
  return {
    anchor,
    nodes,
    edges: kept,
    related_documents: documents.slice(0, LIMITS.related_documents),
    blockers: [],
    truncation,
    warnings: [...truncatedWarnings(truncation), ...warnings],
  };
}

const nodeOf = (kind: string, id: string): GraphNode => ({ id: `${kind}:${id}`, kind, subject_id: id });

const edgeOf = (relationship: string, source_id: string, target_id: string): GraphEdge => ({
  relationship,
  source_id,
  target_id,
});

const sortText = (edge: GraphEdge): string => [edge.relationship, edge.source_id, edge.target_id].join('\0');

function cutOf(field: keyof typeof LIMITS, available: number) {
  const limit = LIMITS[field];
  return { limit, available, returned: Math.min(limit, available), truncated: available > limit };
}

const truncatedWarnings = (truncation: Readonly<Record<string, ReturnType<typeof cutOf>>>): GraphWarning[] =>
  Object.entries(truncation)
    .filter(([, { truncated }]) => truncated)
    .toSorted(([a], [b]) => compareChars(a, b))
    .map(([field, { limit, available }]) => ({
      code: 'graph_truncated',
      message: 'Graph context was truncated to configured caps.',
      details: { field, limit, available },
    }));

const notSupported = (kind: string): GraphWarning => ({
  code: 'graph_anchor_not_supported',
  message: 'The selected subject kind is not supported as a graph anchor.',
  details: { subject_kind: kind },
});

const notFound = ({ id, kind, subject_id }: GraphNode): GraphWarning => ({
  code: 'graph_anchor_not_found',
  message: 'The selected graph anchor was not found.',
  details: { anchor_id: id, kind, subject_id },
});

const sourceDenied = (path: string, anchor: GraphNode): GraphWarning => ({
  code: 'graph_source_denied',
  message: 'A graph source was omitted because access was denied.',
  details: { source_class: 'related_document', path, anchor_id: anchor.id },
});
