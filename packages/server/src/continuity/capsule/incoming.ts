import type { Capsule, IncomingCapsule } from '@parley/protocol/continuity/capsule';
import { foldDescriptor } from './descriptor.ts';

/**
 * A capsule that passed the schema, in the form it is kept in: no nulls but those of metadata, descriptor folded. Takes the
 * schema's output over. Metadata values and related documents are vouched for by the rules, which come before any use.
 */
export function capsuleFrom(incoming: IncomingCapsule): Capsule {
  const { continuity } = incoming;
  dropNulls(incoming);
  if (incoming.freshness) dropNulls(incoming.freshness);
  if (incoming.verification_state) dropNulls(incoming.verification_state);
  if (continuity.relationship_model) dropNulls(continuity.relationship_model);
  if (continuity.relationship_model === null) delete continuity.relationship_model;
  if (continuity.retrieval_hints === null) delete continuity.retrieval_hints;
  for (const entry of continuity.negative_decisions) dropNulls(entry);
  for (const entry of continuity.rationale_entries) dropNulls(entry);
  for (const entry of incoming.stable_preferences) dropNulls(entry);
  const capsule = incoming as Capsule;
  capsule.schema_version = '1.1';
  if (capsule.thread_descriptor) {
    dropNulls(capsule.thread_descriptor);
    capsule.thread_descriptor = foldDescriptor(capsule.thread_descriptor);
  }
  return capsule;
}

function dropNulls(object: object): void {
  for (const key of Object.keys(object)) {
    if (object[key as keyof typeof object] === null) Reflect.deleteProperty(object, key);
  }
}
