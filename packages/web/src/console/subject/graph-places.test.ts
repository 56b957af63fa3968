import type { GraphSection } from '@parley/protocol/continuity/startup-answer';
import { expect, test } from 'vitest';
import { placed } from './graph-places.ts';

const node = (id: string) => ({ id, kind: 'thread', subject_id: `label ${id}` });
const edge = (source_id: string, target_id: string) => ({ relationship: 'related', source_id, target_id });

const graph = (nodes: readonly string[], edges: GraphSection['edges'], anchor: string | null = 'middle') =>
  placed({
    anchor: anchor === null ? null : node(anchor),
    nodes: nodes.map(node),
    edges,
  } as GraphSection);

test('rings around the subject by steps, over edges of either direction; what none leads to stands outside', () => {
  const { nodes } = graph(
    ['middle', 'one', 'two', 'far', 'lost'],
    [edge('middle', 'one'), edge('two', 'middle'), edge('far', 'one'), edge('one', 'two')],
  );
  expect(nodes.map(({ id, ring }) => [id, ring])).toEqual([
    ['middle', 0],
    ['one', 1],
    ['two', 1],
    ['far', 2],
    ['lost', 3],
  ]);
});

test('each ring is as wide as it is far, evenly spread from the top, every other turned by half a step', () => {
  const { nodes, box } = graph(
    ['a', 'b', 'c', 'd'],
    [edge('middle', 'a'), edge('middle', 'b'), edge('a', 'c'), edge('b', 'd')],
  );
  expect(nodes.map(({ label, x, y }) => `${label}: ${x} ${y}`)).toEqual([
    'label middle: 0 0',
    'label a: 210 0',
    'label b: -210 0',
    'label c: 0 -220',
    'label d: 0 220',
  ]);
  expect(box).toBe('-350 -260 700 520');
});

test('without a subject all stand in one ring', () => {
  const { nodes, box } = graph(['a', 'b'], [], null);
  expect(nodes.map(({ x, y, ring }) => [x, y, ring])).toEqual([
    [210, 0, 1],
    [-210, 0, 1],
  ]);
  expect(box).toBe('-350 -40 700 80');
});
