import type { Capsule, IncomingCapsule } from '@parley/protocol/continuity/capsule';
import { CAPSULE_FIELDS, type Fields } from '@parley/protocol/continuity/capsule-fields';
import { foldDescriptor } from './descriptor.ts';

/**
 * A capsule that passed the schema, in the form it is kept in: no nulls but those of metadata, descriptor folded. Takes the
 * schema's output over. Metadata values and related documents are vouched for by the rules, which come before any use.
 */
export function capsuleFrom(incoming: IncomingCapsule): Capsule {
  dropNulls(incoming, CAPSULE_FIELDS);
  const capsule = incoming as Capsule;
  capsule.schema_version = '1.1';
  if (capsule.thread_descriptor) capsule.thread_descriptor = foldDescriptor(capsule.thread_descriptor);
  return capsule;
}

function dropNulls(object: object, fields: Fields): void {
  for (const name of Object.keys(object)) {
    const value: unknown = object[name as keyof typeof object];
    if (typeof value !== 'object') continue;
    const field = fields[name];
    if (!field || field.ruled) continue;
    if (value === null) Reflect.deleteProperty(object, name);
    else if (field.fields && Array.isArray(value)) for (const entry of value) dropNulls(entry, field.fields);
    else if (field.fields) dropNulls(value, field.fields);
  }
}
