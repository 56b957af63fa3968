/** The first colon of an id separates kind and subject. */
export interface GraphNode {
  readonly id: string;
  readonly kind: string;
  readonly subject_id: string;
}

export interface GraphEdge {
  readonly relationship: 'linked_to_thread' | 'depends_on' | 'references_document' | 'supersedes';
  readonly source_id: string;
  readonly target_id: string;
}

export const nodeOf = (kind: string, id: string): GraphNode => ({
  id: `${kind}:${id}`,
  kind,
  subject_id: id,
});
