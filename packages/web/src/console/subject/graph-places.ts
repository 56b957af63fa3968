import type { GraphSection } from '@parley/protocol/continuity/startup-answer';

export interface PlacedNode {
  readonly id: string;
  readonly kind: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  /** Steps from the middle. */
  readonly ring: number;
}

const RING = { x: 210, y: 110 };
const MARGIN = { x: 140, y: 40 };

/** Where each node stands: rings by the number of steps from the subject, evenly spread. No two runs differ. */
export function placed({ anchor, nodes, edges }: GraphSection) {
  const all = [...(anchor ? [anchor] : []), ...nodes.filter(({ id }) => id !== anchor?.id)];
  const steps = distances(anchor?.id, edges);
  const furthest = Math.max(0, ...steps.values());
  const ringOf = (id: string): number => steps.get(id) ?? furthest + 1;
  const rings = [...new Set(all.map(({ id }) => ringOf(id)))];
  const put = rings.flatMap((ring) => {
    const members = all.filter(({ id }) => ringOf(id) === ring);
    return members.map(({ id, kind, subject_id: label }, index): PlacedNode => {
      // Every other ring is turned by half a step, so that names do not stand behind one another.
      const angle = ((index + (ring % 2) / 2) / members.length) * 2 * Math.PI - Math.PI / 2;
      return {
        id,
        kind,
        label,
        ring,
        x: Math.round(Math.cos(angle) * ring * RING.x),
        y: Math.round(Math.sin(angle) * ring * RING.y),
      };
    });
  });
  const [xs, ys] = [put.map(({ x }) => x), put.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs) - MARGIN.x, Math.min(...ys) - MARGIN.y];
  const box = [left, top, Math.max(...xs) + MARGIN.x - left, Math.max(...ys) + MARGIN.y - top];
  return { nodes: put, edges, box: box.join(' ') };
}

function distances(from: string | undefined, edges: GraphSection['edges']): Map<string, number> {
  const steps = new Map<string, number>();
  if (from === undefined) return steps;
  steps.set(from, 0);
  for (let ring = [from], step = 1; ring.length > 0; step += 1) {
    const next = ring.flatMap((id) =>
      edges.flatMap(({ source_id: a, target_id: b }) => (a === id ? [b] : b === id ? [a] : [])),
    );
    ring = [...new Set(next)].filter((id) => !steps.has(id));
    for (const id of ring) steps.set(id, step);
  }
  return steps;
}
