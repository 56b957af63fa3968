import type { Capsule } from '@parley/protocol/continuity/capsule';
import { CAPSULE_FIELDS, type Fields } from '@parley/protocol/continuity/capsule-fields';
import { compareChars } from '../../platform/chars.ts';

type Loose = Readonly<Record<string, unknown>>;

/**
 * The capsule with the keys of every object in order, so that the runtime's own JSON writer yields the canonical form.
 * Which keys there are is known beforehand: sorting them at every write takes ten times as long. What is absent stays
 * undefined, which JSON leaves out; what JSON gets wrong of floats and metadata is for the writer to put right.
 */
export function sortedCapsule(capsule: Capsule): Capsule {
  // The same fields in another order.
  return sorted(capsule) as Capsule;
}

const sorted = sorterOf(CAPSULE_FIELDS);

function sorterOf(fields: Fields): (object: object) => object {
  const steps = Object.keys(fields)
    .toSorted(compareChars)
    .map((name) => ({ name, sort: valueSorter(fields[name]) }));
  return (object) => {
    const from = object as Loose;
    const into: Record<string, unknown> = {};
    for (const { name, sort } of steps) {
      const value = from[name];
      into[name] = sort && value !== undefined ? sort(value) : value;
    }
    return into;
  };
}

/** Undefined for what has no keys. */
function valueSorter(field: Fields[string] | undefined): ((value: unknown) => unknown) | undefined {
  if (field?.is === 'map') return (map) => sortedMap(map as object);
  if (!field?.fields) return undefined;
  const sort = sorterOf(field.fields);
  return field.is === 'entries'
    ? (entries) => (entries as object[]).map(sort)
    : (parts) => sort(parts as object);
}

/** In order but for keys that look like numbers, which an object always has first. */
const sortedMap = (map: object): object =>
  Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => compareChars(a, b)));
