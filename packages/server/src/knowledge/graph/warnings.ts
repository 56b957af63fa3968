import { compareChars } from '../../platform/chars.ts';

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

export const warning = (code: GraphCode, details: GraphWarning['details'] = {}): GraphWarning => ({
  code,
  message: MESSAGES[code],
  details,
});

export type SourceClass =
  | 'task_artifact'
  | 'continuity_capsule'
  | 'fallback_artifact'
  | 'archive_artifact'
  | 'related_document';

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
