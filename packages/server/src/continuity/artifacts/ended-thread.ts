import type { Capsule } from '@parley/protocol/continuity/capsule';
import type { Lifecycle } from '@parley/protocol/continuity/vocabulary';
import { readSummary, type Summary } from './artifact.ts';
import type { HeadRow } from './artifact-store.ts';
import { hasEnded } from '../capsule/lifecycle.ts';

/*
 * A thread that was over comes back as new when it loses its descriptor and gets another: allowed, but told. So a capsule
 * without a descriptor keeps, beside itself, how its thread ended.
 */

type Replaced = Pick<HeadRow, 'summary'> | undefined;

/** The terminal state that is lost with the descriptor, or was before. */
export function lostLifecycle(capsule: Capsule, replaced: Replaced): Lifecycle | undefined {
  if (capsule.thread_descriptor) return undefined;
  const { thread_descriptor: before, lost_lifecycle: lost } = summaryOf(replaced);
  if (!before) return lost;
  return before.lifecycle !== undefined && hasEnded(before.lifecycle) ? before.lifecycle : undefined;
}

export function resetNotices(capsule: Capsule, replaced: Replaced): string[] {
  const { lifecycle } = capsule.thread_descriptor ?? {};
  const isReset = lifecycle !== undefined && !hasEnded(lifecycle) && summaryOf(replaced).lost_lifecycle;
  return isReset ? ['continuity_lifecycle_reset'] : [];
}

/** Most capsules have no end to speak of, and are not worth parsing. */
const ENDED = /"lost_lifecycle":|"lifecycle":"(?:concluded|superseded)"/;

function summaryOf(replaced: Replaced): Pick<Summary, 'thread_descriptor' | 'lost_lifecycle'> {
  const text = replaced?.summary ?? '';
  return ENDED.test(text) ? readSummary(text) : { thread_descriptor: null, lost_lifecycle: undefined };
}
