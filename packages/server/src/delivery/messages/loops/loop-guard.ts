import type { Origin } from '../../records/message-row.ts';

/**
 * Stops two agents that answer each other with nobody in between. Two counts, both of *answers*, so that one agent may
 * send another as much as its limits allow:
 *
 * | count | goes up | breaks at | starts again |
 * | --- | --- | --- | --- |
 * | hops of a thread | when the sender of a message is not the sender of the one before it in the thread | `maxHops` | a person or a cue speaks in the thread, or the thread is resumed |
 * | turns of a pair | when the direction between two agents changes | `pairTurns` within `pairWindowMs` | the same for the pair, or the window is over |
 *
 * A status message (see `isStatusUpdate`) passes and counts for nothing, unless it answers another one.
 */
interface LoopLimits {
  readonly maxHops: number;
  readonly pairTurns: number;
  readonly pairWindowMs: number;
}

export interface ThreadCount {
  readonly hops: number;
  readonly lastSender: string | null;
}

export interface PairCount {
  readonly turns: number;
  readonly lastSender: string | null;
  readonly windowStartedAt: number;
}

export interface GuardedMessage {
  readonly sender: string;
  readonly origin: Origin;
  readonly exempt: boolean;
  readonly now: number;
}

export interface LoopCounts {
  readonly thread: ThreadCount;
  readonly pair: PairCount;
}

export type LoopVerdict =
  | { readonly kind: 'passes'; readonly counts: LoopCounts }
  | { readonly kind: 'tripped'; readonly by: 'thread_hops'; readonly count: number; readonly limit: number }
  | {
      readonly kind: 'tripped';
      readonly by: 'pair_turns';
      readonly count: number;
      readonly limit: number;
      /** When the window is over and the pair may go on by itself. */
      readonly until: number;
    };

export const NEW_THREAD: ThreadCount = { hops: 0, lastSender: null };
export const newPair = (now: number): PairCount => ({ turns: 0, lastSender: null, windowStartedAt: now });

export function guardLoop(
  limits: LoopLimits,
  { thread, pair }: LoopCounts,
  message: GuardedMessage,
): LoopVerdict {
  const { sender, origin, exempt, now } = message;
  if (exempt) return { kind: 'passes', counts: { thread, pair } };
  if (origin !== 'agent') {
    return {
      kind: 'passes',
      counts: { thread: { hops: 0, lastSender: sender }, pair: { ...newPair(now), lastSender: sender } },
    };
  }
  const hops = thread.hops + answers(thread.lastSender, sender);
  if (hops > limits.maxHops) {
    return { kind: 'tripped', by: 'thread_hops', count: hops, limit: limits.maxHops };
  }
  const windowEnd = pair.windowStartedAt + limits.pairWindowMs;
  const current = now < windowEnd ? pair : { ...pair, turns: 0, windowStartedAt: now };
  const turns = current.turns + answers(current.lastSender, sender);
  if (turns > limits.pairTurns) {
    return { kind: 'tripped', by: 'pair_turns', count: turns, limit: limits.pairTurns, until: windowEnd };
  }
  return {
    kind: 'passes',
    counts: { thread: { hops, lastSender: sender }, pair: { ...current, turns, lastSender: sender } },
  };
}

const answers = (before: string | null, sender: string): 0 | 1 =>
  before !== null && before !== sender ? 1 : 0;

/**
 * `metadata.kind: "status"` on a message that wants no reply and answers no status message itself. Two agents that call
 * everything a status are caught all the same.
 */
export function isStatusUpdate(message: {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly expectsReply: boolean;
  readonly answersStatus: boolean;
}): boolean {
  return message.metadata.kind === 'status' && !message.expectsReply && !message.answersStatus;
}

/** The pair as it is stored: the same for both directions. */
export const pairKey = (a: string, b: string): readonly [string, string] => (a < b ? [a, b] : [b, a]);
