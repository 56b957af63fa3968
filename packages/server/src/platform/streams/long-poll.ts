import type { StreamHub } from './hub.ts';
import type { StreamEvent, StreamSource } from './stream-event.ts';
import type { Waiters, WakeReason } from './waiters.ts';

export interface LongPoll<Event extends StreamEvent> {
  topic: string;
  after: number;
  source: StreamSource<Event>;
  limit: number;
  waitMs: number;
  /** Aborted when the client goes away: the poll leaves its place at once and resolves to nothing. */
  signal?: AbortSignal;
}

/** `events` is empty unless the reason is `event`. */
export interface LongPollResult<Event extends StreamEvent> {
  readonly events: readonly Event[];
  readonly reason: WakeReason | 'aborted';
}

/**
 * Answers at once when there is something after the cursor, else when something comes, the time is over, the topic ends
 * or the client goes. It parks before it reads, so that what is committed in between wakes it.
 */
export async function longPoll<Event extends StreamEvent>(
  hub: StreamHub<Event>,
  { topic, after, source, limit, waitMs, signal }: LongPoll<Event>,
): Promise<LongPollResult<Event>> {
  const deadline = hub.wheel.monotonic() + waitMs;
  for (;;) {
    const left = deadline - hub.wheel.monotonic();
    const place = park(hub.waiters, topic, after + 1, left, signal);
    try {
      const events = await source.read(after, limit);
      if (signal?.aborted) return { events: [], reason: 'aborted' };
      if (events.length > 0) return { events, reason: 'event' };
      if (left <= 0) return { events: [], reason: 'timeout' };
      const reason = await place.outcome;
      if (reason !== 'event') return { events: [], reason };
    } finally {
      place.leave();
    }
  }
}

interface Place {
  readonly outcome: Promise<WakeReason | 'aborted'>;
  leave(): void;
}

/** In the queue of a topic, until something happens there, the time is over or the client goes. */
export function park(
  waiters: Waiters<string>,
  topic: string,
  position: number,
  waitMs: number,
  signal: AbortSignal | undefined,
): Place {
  let leave!: () => void;
  const outcome = new Promise<WakeReason | 'aborted'>((resolve) => {
    const waiter = waiters.park(topic, position, waitMs, resolve);
    const abort = (): void => {
      waiters.unpark(waiter);
      resolve('aborted');
    };
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    leave = () => {
      waiters.unpark(waiter);
      signal?.removeEventListener('abort', abort);
    };
  });
  return { outcome, leave };
}
