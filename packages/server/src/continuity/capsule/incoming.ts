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
  for (const [name, value] of Object.entries(object)) {
    const field = fields[name];
    if (!field || field.ruled) continue;
    if (value === null) Reflect.deleteProperty(object, name);
    else if (field.fields && typeof value === 'object') {
      for (const inner of Array.isArray(value) ? value : [value]) dropNulls(inner, field.fields);
    }
  }
}
