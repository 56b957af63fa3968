import { compareChars } from '../../platform/chars.ts';
import type { GraphNode } from './node.ts';

export interface GraphWarning {
  readonly code: GraphCode;
  readonly message: string;
  readonly details: Readonly<Record<string, string | number | null>>;
}

/** Every warning, in the order they are told. */
const MESSAGES = {
  graph_anchor_not_provided: 'No graph anchor was provided.',
  graph_anchor_not_supported: 'The selected subject kind is not supported as a graph anchor.',
  graph_anchor_not_found: 'The selected graph anchor was not found.',
  graph_derivation_failed: 'Graph context could not be derived.',
  graph_truncated: 'Graph context was truncated to configured caps.',
  graph_result_malformed: 'Malformed graph helper results were skipped.',
  graph_source_denied: 'A graph source was omitted because access was denied.',
  graph_suppressed_by_continuity_mode: 'Graph context was suppressed because continuity mode is off.',
} as const;

type GraphCode = keyof typeof MESSAGES;
const ORDER = Object.keys(MESSAGES);

const warning = (code: GraphCode, details: GraphWarning['details'] = {}): GraphWarning => ({
  code,
  message: MESSAGES[code],
  details,
});

export const notProvided = (): GraphWarning => warning('graph_anchor_not_provided');
export const suppressed = (): GraphWarning => warning('graph_suppressed_by_continuity_mode');
export const notSupported = (kind: string): GraphWarning =>
  warning('graph_anchor_not_supported', { subject_kind: kind });
export const notFound = ({ id, kind, subject_id }: GraphNode): GraphWarning =>
  warning('graph_anchor_not_found', { anchor_id: id, kind, subject_id });
/** Whatever went wrong: what it was is for the log alone. */
export const derivationFailed = (): GraphWarning =>
  warning('graph_derivation_failed', { reason: 'helper_exception' });
export const truncated = (field: string, limit: number, available: number): GraphWarning =>
  warning('graph_truncated', { field, limit, available });

/** What stands in the store and cannot be read: tasks that would have been nodes, or the anchor itself. */
export const malformed = (of: 'nodes' | 'anchors', count: number): GraphWarning =>
  warning('graph_result_malformed', {
    malformed_nodes: of === 'nodes' ? count : 0,
    malformed_edges: 0,
    malformed_anchors: of === 'anchors' ? count : 0,
  });

export type SourceClass =
  | 'task_artifact'
  | 'continuity_capsule'
  | 'fallback_artifact'
  | 'archive_artifact'
  | 'related_document';

export const sourceDenied = (
  sourceClass: SourceClass,
  path: string | null,
  anchor: GraphNode,
): GraphWarning => warning('graph_source_denied', { source_class: sourceClass, path, anchor_id: anchor.id });

/** In the order they are told, each once. */
export function inOrder(warnings: readonly GraphWarning[]): GraphWarning[] {
  const distinct = new Map(warnings.map((each) => [JSON.stringify(each), each]));
  return [...distinct.values()].toSorted(
    (a, b) =>
      ORDER.indexOf(a.code) - ORDER.indexOf(b.code) ||
      KEYS.reduce((order, key) => order || compareChars(detail(a, key), detail(b, key)), 0),
  );
}

const KEYS = ['source_class', 'path', 'field', 'anchor_id'] as const;
const detail = ({ details }: GraphWarning, key: string): string => String(details[key] ?? '');
