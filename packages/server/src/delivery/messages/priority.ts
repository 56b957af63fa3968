import { NORMAL_PRIORITY } from '@parley/protocol/delivery/limits';
import type { Plan } from '@parley/protocol/delivery/plans';

/** Messages above normal priority sent in the past hour. */
export interface HighPriorityCounts {
  readonly byOwner: number;
  readonly bySenderAndRecipient: number;
}

export type PriorityVerdict =
  | { readonly kind: 'refused'; readonly limit: number }
  | { readonly kind: 'stored'; readonly priority: number; readonly downgraded: boolean };

export const isHigh = (priority: number): boolean => priority > NORMAL_PRIORITY;

/**
 * The owner's limit refuses; the limit of a pair only takes the urgency away, so that one recipient cannot be shouted at
 * while the message still arrives.
 */
export function judgePriority(
  requested: number,
  counts: HighPriorityCounts,
  plan: Pick<Plan, 'highPriorityPerHour' | 'highPriorityPerPairHour'>,
): PriorityVerdict {
  if (!isHigh(requested)) return { kind: 'stored', priority: requested, downgraded: false };
  const { highPriorityPerHour: ofOwner, highPriorityPerPairHour: ofPair } = plan;
  if (ofOwner !== null && counts.byOwner >= ofOwner) return { kind: 'refused', limit: ofOwner };
  if (ofPair !== null && counts.bySenderAndRecipient >= ofPair) {
    return { kind: 'stored', priority: NORMAL_PRIORITY, downgraded: true };
  }
  return { kind: 'stored', priority: requested, downgraded: false };
}
