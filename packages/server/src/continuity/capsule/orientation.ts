import type { Capsule } from '@parley/protocol/continuity/capsule';
import { ADEQUATE_STANCE_CHARS } from '@parley/protocol/continuity/limits';
import { charsAtLeast } from '../../platform/chars.ts';

type State = Pick<Capsule, 'continuity'>;

/** What an agent finds its way by, in the order in which gaps are told. */
const FIELDS = [
  'top_priorities',
  'active_constraints',
  'open_loops',
  'active_concerns',
  'stance_summary',
  'drift_signals',
] as const;
/** Something to do, something that binds, a direction: without them nobody could carry on. */
const NEEDED: ReadonlySet<string> = new Set([
  'open_loops',
  'top_priorities',
  'active_constraints',
  'stance_summary',
]);

/** A stance that is too short is as good as none. */
const isEmpty = ({ continuity }: State, name: (typeof FIELDS)[number]): boolean =>
  name === 'stance_summary'
    ? !charsAtLeast(continuity.stance_summary, ADEQUATE_STANCE_CHARS)
    : continuity[name].length === 0;

export const emptyOrientationFields = (capsule: State): string[] =>
  FIELDS.filter((name) => isEmpty(capsule, name));

/** Whether an agent could carry on from this. */
export const resumeAdequate = (capsule: State): boolean =>
  !FIELDS.some((name) => NEEDED.has(name) && isEmpty(capsule, name));
