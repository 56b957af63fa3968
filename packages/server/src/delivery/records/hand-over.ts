import type { Channel } from '@parley/protocol/delivery/vocabulary';
import { type TraceStep, traceStep } from '../routing/trace.ts';
import type { ExecutionPatch } from './execution-row.ts';

/** How the recipient came to have a message that was to be pushed. */
export type Taken = 'fetched' | 'read' | 'acked';

/**
 * The recipient has the message, so nobody has to be pushed any more: whichever way it was on ends in the
 * inbox. What waited there keeps the route that led it there.
 */
export function handedOver(channel: Channel | null, now: number) {
  const turned = { channel: 'inbox', route: 'inbox_direct' } as const;
  return {
    ...(channel !== 'inbox' && turned),
    held: 0,
    next_retry_at: null,
    delivered_at: now,
  } satisfies ExecutionPatch;
}

export const handOverStep = (now: number, how: Taken): TraceStep => traceStep(now, 'recipient', how);
