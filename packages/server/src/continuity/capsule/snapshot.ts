import type { Capsule, ContinuityState } from '@parley/protocol/continuity/capsule';
import { ADEQUATE_STANCE_CHARS } from '@parley/protocol/continuity/limits';
import type { SessionEndSnapshot } from '@parley/protocol/continuity/requests';
import { charsAtLeast } from '../../platform/chars.ts';

export type SnapshotField = keyof SessionEndSnapshot;

const ALWAYS = ['open_loops', 'top_priorities', 'active_constraints', 'stance_summary'] as const;
const WHEN_GIVEN = ['negative_decisions', 'session_trajectory', 'rationale_entries'] as const;

/** Which fields a snapshot speaks for: the four it must have, and those of the others it has. */
export function snapshotFields(snapshot: SessionEndSnapshot): ReadonlySet<SnapshotField> {
  return new Set([...ALWAYS, ...WHEN_GIVEN.filter((name) => snapshot[name] != null)]);
}

/** The capsule with what the session ended on. */
export function applySnapshot(capsule: Capsule, snapshot: SessionEndSnapshot): Capsule {
  const { negative_decisions: decisions, session_trajectory: trajectory } = snapshot;
  const continuity: ContinuityState = {
    ...capsule.continuity,
    open_loops: snapshot.open_loops,
    top_priorities: snapshot.top_priorities,
    active_constraints: snapshot.active_constraints,
    stance_summary: snapshot.stance_summary,
    ...(decisions != null && { negative_decisions: decisions.map(withoutNulls) }),
    ...(trajectory != null && { session_trajectory: trajectory }),
    ...(snapshot.rationale_entries != null && {
      rationale_entries: snapshot.rationale_entries.map(withoutNulls),
    }),
  };
  return { ...capsule, continuity };
}

type NonNull<T> = { [Key in keyof T]: Exclude<T[Key], null> };

export function withoutNulls<T extends object>(object: T): NonNull<T> {
  // Leaving out the nulls is what the type says.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as NonNull<T>;
}

/** Whether an agent could carry on from this: something to do, something that binds, a direction. */
export function resumeAdequate({ continuity }: Pick<Capsule, 'continuity'>): boolean {
  return (
    continuity.open_loops.length > 0 &&
    continuity.top_priorities.length > 0 &&
    continuity.active_constraints.length > 0 &&
    charsAtLeast(continuity.stance_summary, ADEQUATE_STANCE_CHARS)
  );
}
