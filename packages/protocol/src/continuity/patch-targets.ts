import {
  CAPSULE_FIELDS,
  DESCRIPTOR_FIELDS,
  type Field,
  type Fields,
  type NamesOf,
  STATE_FIELDS,
} from './capsule-fields.ts';

/** The lists a patch may change, in the order in which a refusal names them. */
export const PATCH_TARGETS = [
  'continuity.open_loops',
  'continuity.top_priorities',
  'continuity.active_constraints',
  'continuity.active_concerns',
  'continuity.drift_signals',
  'continuity.working_hypotheses',
  'continuity.long_horizon_commitments',
  'continuity.session_trajectory',
  'continuity.trailing_notes',
  'continuity.curiosity_queue',
  'continuity.negative_decisions',
  'continuity.rationale_entries',
  'stable_preferences',
  'thread_descriptor.keywords',
  'thread_descriptor.scope_anchors',
  'thread_descriptor.identity_anchors',
] as const;
export type PatchTarget = (typeof PATCH_TARGETS)[number];

export type StructuredTarget = Extract<
  PatchTarget,
  | NamesOf<typeof CAPSULE_FIELDS, 'entries'>
  | `continuity.${NamesOf<typeof STATE_FIELDS, 'entries'>}`
  | `thread_descriptor.${NamesOf<typeof DESCRIPTOR_FIELDS, 'entries'>}`
>;

/** What a patch needs to know of a list: how many items it may hold, and how its entries are told apart. */
export function fieldOf(target: PatchTarget): Field & { readonly most: number } {
  const [holder, name] = target.includes('.') ? target.split('.') : ['', target];
  const fields: Fields = HOLDERS[holder ?? ''] ?? {};
  const field = fields[name ?? ''];
  if (field?.most === undefined) throw new TypeError(`no patch can change ${target}`);
  return { ...field, most: field.most };
}

const HOLDERS: Readonly<Record<string, Fields>> = {
  '': CAPSULE_FIELDS,
  continuity: STATE_FIELDS,
  thread_descriptor: DESCRIPTOR_FIELDS,
};

export const isStructured = (target: PatchTarget): target is StructuredTarget =>
  fieldOf(target).is === 'entries';
