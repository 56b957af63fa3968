import type { ContinuityState } from '@parley/protocol/continuity/capsule';
import type { SessionEndSnapshot } from '@parley/protocol/continuity/requests';

/** What a session ended on: fields of the state as they are to be kept, without those it does not speak for. */
export function sessionEndState(end: SessionEndSnapshot): Partial<ContinuityState> {
  const { negative_decisions: decisions, rationale_entries: rationale } = end;
  return withoutNulls({
    ...end,
    negative_decisions: decisions?.map(withoutNulls) ?? null,
    rationale_entries: rationale?.map(withoutNulls) ?? null,
  });
}

type NonNull<T> = { [Key in keyof T]: Exclude<T[Key], null | undefined> };

export function withoutNulls<T extends object>(object: T): NonNull<T> {
  // Leaving out the nulls is what the type says.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value != null)) as NonNull<T>;
}
