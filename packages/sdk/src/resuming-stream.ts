import { sleep, systemClock } from './channels/clock.ts';
import { type HttpAnswer, type HttpStream, TransportError } from './channels/transport.ts';
import { EventStreamReader, type StreamEvent } from './event-stream-reader.ts';
import { mayPass } from './passing.ts';
import { heardParts } from './silence.ts';

const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

export interface Resuming {
  /** A new connection, after what was seen last. */
  open(signal: AbortSignal): Promise<HttpStream>;
  /** Whether nothing comes after this event. */
  isLast?(event: StreamEvent): boolean;
  refusal(answer: HttpAnswer): Error;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The events of a stream over any number of connections: one that is cut, falls silent or is turned away for a while is opened
 * again. Ends when the caller stops reading or aborts, with the last event, or by a refusal that waiting does not help.
 */
export async function* resumingStream(resuming: Resuming): AsyncGenerator<StreamEvent> {
  const { signal } = resuming;
  let pause = SHORTEST_PAUSE_MS;
  for (;;) {
    if (signal?.aborted) return;
    const connection = new Connection(signal);
    let wait: number | undefined;
    try {
      const answer = await resuming.open(connection.signal);
      if (answer.status !== 200) {
        wait = mayHelpLater(answer);
        if (wait === undefined) throw resuming.refusal(answer);
      }
      for await (const event of connection.events(answer.chunks)) {
        pause = SHORTEST_PAUSE_MS;
        yield event;
        if (resuming.isLast?.(event)) return;
      }
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
    } finally {
      connection.close();
    }
    await sleep(systemClock, Math.max(wait ?? 0, pause), signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** For how long to wait; undefined where asking again would be refused again. */
function mayHelpLater(answer: HttpAnswer): number | undefined {
  if (!mayPass(answer.status)) return undefined;
  const seconds = Number(answer.header('retry-after') ?? 0);
  return Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/** One connection, which also ends when it has been silent for too long. */
class Connection {
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #forward = (): void => this.#stop.abort();

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    outer?.addEventListener('abort', this.#forward);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  close(): void {
    this.#outer?.removeEventListener('abort', this.#forward);
    this.#stop.abort();
  }

  async *events(chunks: AsyncIterable<string>): AsyncGenerator<StreamEvent> {
    const reader = new EventStreamReader();
    const parts = heardParts(chunks, { clock: systemClock, end: this.#forward });
    for await (const part of parts) yield* reader.push(part);
  }
}
