import * as continuity from '../continuity/routes.ts';
import { SUBJECT_FIELDS } from './input-schema.ts';
import type { ToolDeclaration } from './tool.ts';

const ENDING = 'Give the reason in a few words; it is kept.';

export const CONTINUITY_TOOLS: readonly ToolDeclaration[] = [
  {
    name: 'continuity.upsert',
    title: 'Save where the work stands',
    description:
      'Save a capsule: the state of your work on a subject (priorities, open loops, constraints, decisions, stance), so that you or another session can carry on after a reset. With merge_mode preserve send only what changes, and null to clear a list. Times are UTC, such as 2026-01-31T12:00:00Z; updated_at must be later than what is stored.',
    route: continuity.upsert,
    group: 'memory',
    effect: 'writes',
    fields: {
      ...SUBJECT_FIELDS,
      merge_mode: 'replace writes the whole capsule; preserve keeps what you leave out.',
    },
  },
  {
    name: 'continuity.save',
    title: 'Begin or update a capsule',
    description:
      'Save where the work on a subject stands. Begins a capsule, or replaces what you send and keeps the rest; an empty list changes nothing, so take items out with continuity.patch.',
    route: continuity.upsert,
    group: 'memory',
    isDefault: true,
    effect: 'writes',
    brief: ['capsule'],
    without: [
      'session_end_snapshot',
      'lifecycle_transition',
      'superseded_by',
      'commit_message',
      'idempotency_key',
      'idempotent_replay',
      'dry_run',
      'explain',
    ],
    needed: ['merge_mode'],
    shapes: { merge_mode: { type: 'string', enum: ['preserve'] } },
    fields: SUBJECT_FIELDS,
  },
  {
    name: 'continuity.read',
    title: 'Read where the work stands',
    description:
      'Read the capsule of a subject: what was being done, what is open, what was decided. With view startup the answer begins with a summary to carry on from; do that first in a new session. With allow_fallback an older state is served when the newest is damaged, with a warning.',
    route: continuity.read,
    group: 'memory',
    isDefault: true,
    effect: 'reads',
    fields: { ...SUBJECT_FIELDS, view: 'startup: with a summary to carry on from.' },
  },
  {
    name: 'continuity.compare',
    title: 'Compare with the stored capsule',
    description: 'Compare a candidate capsule with the stored one and recommend what to do. Writes nothing.',
    route: continuity.compare,
    group: 'memory',
    effect: 'reads',
  },
  {
    name: 'continuity.revalidate',
    title: 'Confirm or correct a capsule',
    description:
      'Record that a capsule was checked against something observed: confirmed, corrected, degraded or in conflict.',
    route: continuity.revalidate,
    group: 'memory',
    effect: 'writes',
  },
  {
    name: 'continuity.refresh_plan',
    title: 'What needs a refresh',
    description: 'List the capsules that are stale or doubtful, most urgent first, and keep the plan.',
    route: continuity.refreshPlan,
    group: 'memory',
    effect: 'writes',
  },
  {
    name: 'continuity.retention_plan',
    title: 'What could be put away',
    description: 'List the archived capsules that are old enough for cold storage, and keep the plan.',
    route: continuity.retentionPlan,
    group: 'memory',
    effect: 'writes',
  },
  {
    name: 'continuity.list',
    title: 'List capsules',
    description:
      'Which capsules there are, with their health and age. Use it when you do not know the name of a subject.',
    route: continuity.list,
    group: 'memory',
    isDefault: true,
    effect: 'reads',
    fields: { cursor: 'Empty for the first page, then next_cursor of the answer.' },
  },
  {
    name: 'continuity.archive',
    title: 'Archive a capsule',
    description: 'Put the capsule of a subject that is over into the archive. It can be restored.',
    route: continuity.archive,
    group: 'memory',
    effect: 'destroys',
    fields: { reason: ENDING },
  },
  {
    name: 'continuity.delete',
    title: 'Delete a capsule',
    description:
      'Delete the active capsule, its archives or its fallback, as the flags say; at least one must be true.',
    route: continuity.remove,
    group: 'memory',
    effect: 'destroys',
    fields: { reason: ENDING },
  },
  {
    name: 'continuity.patch',
    title: 'Change items of a capsule',
    description:
      'Append, remove or replace single items of the lists of a stored capsule, up to ten changes, all or nothing. Smaller than continuity.upsert when only a few items change.',
    route: continuity.patch,
    group: 'memory',
    isDefault: true,
    effect: 'writes',
    without: ['dry_run', 'explain'],
    fields: {
      ...SUBJECT_FIELDS,
      updated_at: 'Now, in UTC: 2026-01-31T12:00:00Z.',
      operations:
        'value: the item to append or put in place; match: the text of the item to remove or replace.',
    },
  },
  {
    name: 'continuity.lifecycle',
    title: 'Suspend, resume or conclude',
    description:
      'Change the lifecycle of a thread or task: suspend, resume, conclude, or supersede it by another.',
    route: continuity.lifecycle,
    group: 'memory',
    effect: 'writes',
    fields: { superseded_by: 'Only with supersede: the subject_id that takes its place.' },
  },
  {
    name: 'continuity.history',
    title: 'History of a capsule',
    description: 'Earlier states of a capsule, newest first, with their numbers.',
    route: continuity.history,
    group: 'memory',
    effect: 'reads',
  },
  {
    name: 'continuity.search',
    title: 'Search capsules',
    description: 'Find capsules by words in them.',
    route: continuity.search,
    group: 'memory',
    effect: 'reads',
  },
];
