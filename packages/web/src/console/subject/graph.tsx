import type { GraphSection } from '@parley/protocol/continuity/startup-answer';
import { SUBJECT_KINDS } from '@parley/protocol/continuity/vocabulary';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { subjectPath } from '../memory/subject-path.ts';
import { Card } from '../pieces/pieces.tsx';
import { wordFor } from '../pieces/words.ts';
import { placed } from './graph-places.ts';

const KINDS: ReadonlySet<string> = new Set(SUBJECT_KINDS);

/** What it is linked to: the subject in the middle, each step of distance one ring further out. The same stands below in words. */
export function Graph({ graph, owner }: { readonly graph: GraphSection; readonly owner: string }) {
  const { nodes, edges, box } = useMemo(() => placed(graph), [graph]);
  const at = new Map(nodes.map((node) => [node.id, node]));
  const name = (id: string): string => at.get(id)?.label ?? id;
  if (nodes.length < 2) return null;
  return (
    <Card title="What it hangs together with">
      <svg className="graph" viewBox={box} role="img" aria-label={`${nodes.length} linked subjects, listed below`}>
        {edges.map(({ source_id: from, target_id: to, relationship }) => {
          const [a, b] = [at.get(from), at.get(to)];
          return a && b ? <line key={`${from} ${relationship} ${to}`} x1={a.x} y1={a.y} x2={b.x} y2={b.y} /> : null;
        })}
        {nodes.map(({ id, x, y, label, ring, kind }) => (
          <g key={id} transform={`translate(${x} ${y})`} className={ring === 0 ? 'centre' : `kind-${kind}`}>
            <circle r={ring === 0 ? 9 : 6} />
            <text y={ring === 0 ? -16 : y < 0 ? -12 : 20} textAnchor="middle">
              {label.length > 22 ? `${label.slice(0, 21)}…` : label}
            </text>
          </g>
        ))}
      </svg>
      <ul className="edges">
        {edges.map(({ source_id: from, target_id: to, relationship }) => (
          <li key={`${from} ${relationship} ${to}`}>
            <NodeName node={at.get(from)} owner={owner} fallback={name(from)} /> <span className="soft">{wordFor(relationship)}</span>{' '}
            <NodeName node={at.get(to)} owner={owner} fallback={name(to)} />
          </li>
        ))}
      </ul>
      {graph.truncation.nodes.truncated && (
        <p className="soft small">
          {graph.truncation.nodes.returned} of {graph.truncation.nodes.available} are shown.
        </p>
      )}
    </Card>
  );
}

function NodeName(props: {
  readonly node: { readonly kind: string; readonly label: string } | undefined;
  readonly owner: string;
  readonly fallback: string;
}) {
  const { node, owner, fallback } = props;
  if (!node || !KINDS.has(node.kind)) return <code>{node?.label ?? fallback}</code>;
  return <Link href={subjectPath(node.kind, node.label, owner)}>{node.label}</Link>;
}
