import { hash } from 'node:crypto';
import type { Capsule } from '@parley/protocol/continuity/capsule';
import { MAX_CAPSULE_BYTES } from '@parley/protocol/continuity/limits';
import { compareChars } from '../../platform/chars.ts';
import { CAPSULE_FIELDS, type Fields } from '@parley/protocol/continuity/capsule-fields';

/** What is stored, measured and hashed: sorted keys, no blanks, nothing escaped that need not be. */
export function canonicalCapsule(capsule: Capsule): string {
  const sorted = sortedCapsule(capsule);
  const { confidence, metadata } = sorted;
  const { continuity, relationship_model: model } = confidence;
  let text = JSON.stringify(sorted);
  if (!isPlainFloat(continuity) || !isPlainFloat(model)) {
    // The one place with floats: written as the original writes them, or the same document would have another hash.
    const floats = `{"continuity":${floatText(continuity)},"relationship_model":${floatText(model)}}`;
    text = corrected(text, 'confidence', confidence, floats);
  }
  return isPlain(metadata) ? text : corrected(text, 'metadata', metadata, canonicalJson(metadata));
}

/** Whether JSON writes it as the original does. */
const isPlainFloat = (value: number): boolean => !Number.isInteger(value) && Math.abs(value) >= SMALL;

/** Whether JSON writes sorted keys in their order: those that look like numbers it has first, and inner ones are not sorted. */
const isPlain = (object: object): boolean =>
  Object.entries(object).every(
    ([key, value]) => !/^\d/.test(key) && (typeof value !== 'object' || value === null),
  );

/** Quotes inside of texts are escaped, so what a member looks like is found nowhere before the member itself. */
function corrected(text: string, name: string, value: object, exact: string): string {
  const plain = JSON.stringify(value);
  return plain === exact ? text : text.replace(`"${name}":${plain}`, () => `"${name}":${exact}`);
}

/** Any JSON value in that form. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    let out = '[';
    for (let index = 0; index < value.length; index += 1) {
      out += (index === 0 ? '' : ',') + canonicalJson(value[index]);
    }
    return `${out}]`;
  }
  return typeof value === 'object' && value !== null ? objectText(value) : JSON.stringify(value);
}

function objectText(object: object): string {
  let out = '';
  for (const key of Object.keys(object).toSorted(compareChars)) {
    const value: unknown = object[key as keyof typeof object];
    if (value !== undefined) out += `${out === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(value)}`;
  }
  return `{${out}}`;
}

/** What is smaller is written with an exponent. */
const SMALL = 1e-4;

/** Shortest digits, always recognisable as a float, small ones as `1e-05`. */
export function floatText(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  if (Number.isInteger(value)) return `${value}.0`;
  if (Math.abs(value) >= SMALL) return String(value);
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
}

export function sha256(text: string | Uint8Array): string {
  return hash('sha256', text);
}

export const TOO_LARGE = 'Continuity capsule exceeds 20 KB serialized UTF-8';

export function fitsCapsule(canonical: string): boolean {
  return canonical.length <= MAX_CAPSULE_BYTES && Buffer.byteLength(canonical) <= MAX_CAPSULE_BYTES;
}

type Loose = Readonly<Record<string, unknown>>;

/**
 * The capsule with the keys of every object in order, so that the runtime's own JSON writer yields the canonical form.
 * Which keys there are is known beforehand: sorting them at every write takes ten times as long. What is absent stays
 * undefined, which JSON leaves out; what JSON gets wrong of floats and metadata is for the writer to put right.
 */
function sortedCapsule(capsule: Capsule): Capsule {
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
