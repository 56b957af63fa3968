import type { Clock } from '@parley/sdk/channels/clock';
import { EventStreamReader, type StreamEvent } from '@parley/sdk/event-stream-reader';
import type { Transport } from '@parley/sdk/channels/transport';
import { heardParts } from '@parley/sdk/silence';
import type { Session } from './session.ts';
import { Refusal } from './server-call.ts';

const HEAD_MS = 15_000;
/** The server says something every 20 s, if only that it is there. */
const SILENCE_MS = 60_000;
const RETRY = /^retry: ?(\d{1,9})\r?$/m;

export interface StreamPlace {
  readonly session: Session;
  readonly transport: Transport;
  readonly clock: Clock;
  /** The last delivery that was acknowledged; empty when there is none. */
  readonly cursor: string;
}

/** One connection to `GET /v1/agent/stream`. */
export class WakeStream {
  readonly #parts: AsyncIterable<string>;
  readonly #reader = new EventStreamReader();
  readonly #stop: AbortController;
  #silent = false;
  #retryMs = 0;

  private constructor(chunks: AsyncIterable<string>, clock: Clock, stop: AbortController) {
    this.#stop = stop;
    const end = (): void => {
      this.#silent = true;
      stop.abort();
    };
    this.#parts = heardParts(chunks, { clock, ms: SILENCE_MS, end });
  }

  /** From where the last acknowledgement left off. `include`: what else than rooms wakes. */
  static async open(
    { session, transport, cursor, clock }: StreamPlace,
    signal: AbortSignal,
    include?: string,
  ): Promise<WakeStream> {
    const words = new URLSearchParams({
      ...(include !== undefined && { include }),
      ...(cursor !== '' && { last_delivery_id: cursor }),
    });
    const query = words.size === 0 ? '' : `?${words.toString()}`;
    return await session.using(async (token) => {
      const stop = new AbortController();
      const answer = await transport.stream({
        method: 'GET',
        path: `/v1/agent/stream${query}`,
        headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
        timeoutMs: HEAD_MS,
        signal: AbortSignal.any([stop.signal, signal]),
      });
      if (answer.status !== 200) throw new Refusal('GET /v1/agent/stream', answer);
      if (answer.header('content-type')?.startsWith('text/event-stream')) {
        return new WakeStream(answer.chunks, clock, stop);
      }
      stop.abort();
      throw new Error('GET /v1/agent/stream was not answered with an event stream');
    });
  }

  /** How long the server asks us to stay away after the end. It says so first of all, in one piece. */
  get retryMs(): number {
    return this.#retryMs;
  }

  /** Whether it was given up because nothing came for too long. */
  get wasSilent(): boolean {
    return this.#silent;
  }

  async *events(): AsyncGenerator<StreamEvent> {
    try {
      for await (const part of this.#parts) {
        this.#retryMs = Number(RETRY.exec(part)?.[1] ?? this.#retryMs);
        yield* this.#reader.push(part);
      }
    } finally {
      this.#stop.abort();
    }
  }
}
