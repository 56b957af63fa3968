import { SNAPSHOT_FIELDS, WRITE_ELIGIBLE, type WriteEligible } from '@parley/protocol/continuity/hook-points';
import { isObject } from '@parley/protocol/json';

export type Loose = Readonly<Record<string, unknown>>;

/** What a runtime knows of the work: fields of the capsule, those inside `continuity` beside the others. */
export type State = Loose;

/** Where a field stands in a capsule. */
function valueIn(capsule: Loose, field: WriteEligible): unknown {
  const [holder, name] = placeOf(field);
  const part = holder === '' ? capsule : capsule[holder];
  return isObject(part) ? part[name] : undefined;
}

export function placeOf(field: WriteEligible): readonly [holder: string, name: string] {
  const [first = '', second] = field.split('.');
  if (second !== undefined) return [first, second];
  return first === 'stable_preferences' ? ['', first] : ['continuity', first];
}

/** Those fields that the state says something else of than the capsule, in the order in which they are compared. */
export function changedFields(state: State, stored: Loose | undefined): WriteEligible[] {
  return WRITE_ELIGIBLE.filter((field) => {
    const wanted = state[field] === undefined ? nestedIn(state, field) : state[field];
    if (wanted === undefined) return false;
    const known = stored && valueIn(stored, field);
    if (field === 'thread_descriptor.lifecycle' && known === undefined && wanted === UNTOLD_LIFECYCLE)
      return false;
    return shape(wanted) !== shape(known);
  });
}

/** What the server takes a lifecycle for that was never said. */
const UNTOLD_LIFECYCLE = 'active';

/** What the state says of a field, as `a.b` or as b inside a. */
export function nestedIn(state: State, field: WriteEligible): unknown {
  const [holder, name] = placeOf(field);
  if (state[name] !== undefined && holder !== 'thread_descriptor') return state[name];
  const part = state[holder];
  return isObject(part) ? part[name] : undefined;
}

export const fitsSnapshot = (changed: readonly WriteEligible[]): boolean =>
  changed.length > 0 && changed.every((field) => SNAPSHOT_FIELDS.some((known) => known === field));

/** When an entry was made is the server's to say, and no difference. */
const STAMPS = new Set(['created_at', 'updated_at', 'last_confirmed_at']);

/** Equal for what means the same: nothing, null, an empty text and an empty list; members in any order. */
function shape(value: unknown): string {
  if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0))
    return '';
  if (Array.isArray(value)) return `[${value.map(shape).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([key, member]) => !STAMPS.has(key) && shape(member) !== '')
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => `${key}:${shape(member)}`);
  return `{${members.join()}}`;
}
