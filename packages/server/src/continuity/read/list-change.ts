import { isObject } from '@parley/protocol/continuity/preserve-nulls';
import { anchorKey } from '../capsule/descriptor.ts';
import type { Change } from './compare.ts';
import { sameJson } from '../capsule/same-json.ts';

/**
 * For lists: what came, what went, and which entries of the same name now say something else. A list that one state
 * does not have came or went with all that is in it.
 */
export function listChange({ before = [], after = [] }: Change): object {
  if (!Array.isArray(before) || !Array.isArray(after)) return {};
  const left = new Map(before.map((item) => [nameOf(item), item]));
  const right = new Map(after.map((item) => [nameOf(item), item]));
  const changed = [...right]
    .filter(([name, item]) => left.has(name) && !sameJson(left.get(name), item))
    .map(([name]) => name);
  return {
    added: [...right].filter(([name]) => !left.has(name)).map(([, item]) => item),
    removed: [...left].filter(([name]) => !right.has(name)).map(([, item]) => item),
    ...(changed.length > 0 && { changed }),
  };
}

function nameOf(item: unknown): string {
  if (typeof item === 'string') return item;
  if (!isObject(item)) return JSON.stringify(item);
  if (typeof item.tag === 'string') return item.tag;
  if (typeof item.decision === 'string') return item.decision;
  if (typeof item.value === 'string') return anchorKey({ kind: String(item.kind), value: item.value });
  return JSON.stringify(item);
}
