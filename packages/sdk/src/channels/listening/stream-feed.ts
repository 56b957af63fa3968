import type { PollAnswer, WireEvent } from '@parley/protocol/channels/types';
import { parsedObject } from '@parley/protocol/json';
import { EventStreamReader } from '../../event-stream-reader.ts';
import { heardParts } from '../../silence.ts';
import { isWireEvent } from '../answers.ts';
import { ChannelError } from '../channel-error.ts';
import type { ChannelClient } from '../client.ts';
import type { Clock } from '../clock.ts';
import { type Feed, PollFeed } from './feed.ts';
import type { Identity } from '../identity.ts';
import { TransportError } from '../transport.ts';

const FUTILE_MS = 5_000;

/** Events as the server pushes them; long polling where it does not. */
export class StreamFeed implements Feed {
  readonly #client: ChannelClient;
  readonly #identity: Readonly<Identity>;
  readonly #clock: Clock;
  #open: OpenStream | undefined;
  #instead: PollFeed | undefined;

  constructor(client: ChannelClient, identity: Readonly<Identity>, clock: Clock) {
    this.#client = client;
    this.#identity = identity;
    this.#clock = clock;
  }

  async next(since: number, signal: AbortSignal): Promise<PollAnswer> {
    if (this.#instead) return this.#instead.next(since, signal);
    if (this.#open?.position !== since) {
      this.#open?.close();
      this.#open = await this.#connect(since, signal);
    }
    if (!this.#open) return this.next(since, signal);
    const stream = this.#open;
    this.#open = undefined;
    const messages = await stream.read();
    if (messages) {
      this.#open = stream;
      return { messages, cursor: stream.position };
    }
    // Ended by the server: connecting again tells why. One that ended at once and for nothing is worth a pause.
    if (stream.wasFutile) throw new TransportError('unreachable');
    return { messages: [], cursor: since };
  }

  async #connect(since: number, signal: AbortSignal): Promise<OpenStream | undefined> {
    const { channelId, token, participantId } = this.#identity;
    const stop = new AbortController();
    const forward = (): void => stop.abort();
    signal.addEventListener('abort', forward);
    const request = { token, participant_id: participantId, since, signal: stop.signal };
    try {
      const stream = await this.#client.events(channelId, request);
      if (stream.header('content-type')?.startsWith('text/event-stream')) {
        return new OpenStream(stream.chunks, since, this.#clock, stop);
      }
    } catch (error) {
      if (!(error instanceof ChannelError) || !saysNoStream(error)) throw error;
    }
    stop.abort();
    this.#instead = new PollFeed(this.#client, this.#identity);
    return undefined;
  }
}

/** A server that has no such route does not answer with an error of the channel protocol. */
function saysNoStream({ status, code }: ChannelError): boolean {
  return status === 405 || status === 501 || (status === 404 && /^(not_found|http_404)$/.test(code));
}

class OpenStream {
  readonly #parts: AsyncIterator<string>;
  readonly #reader = new EventStreamReader();
  readonly #clock: Clock;
  readonly #stop: AbortController;
  #position: number;
  readonly #openedAt: number;
  #delivered = false;

  constructor(chunks: AsyncIterable<string>, position: number, clock: Clock, stop: AbortController) {
    this.#parts = heardParts(chunks, { clock, end: () => this.close() });
    this.#position = position;
    this.#clock = clock;
    this.#stop = stop;
    this.#openedAt = clock.now();
  }

  /** Index of the event that comes next. */
  get position(): number {
    return this.#position;
  }

  get wasFutile(): boolean {
    return !this.#delivered && this.#clock.now() - this.#openedAt < FUTILE_MS;
  }

  close(): void {
    this.#stop.abort();
  }

  /** The next events, `undefined` at the end of the stream. */
  async read(): Promise<WireEvent[] | undefined> {
    for (;;) {
      const part = await this.#parts.next();
      if (part.done) return undefined;
      const events = this.#reader
        .push(part.value)
        .map(({ data }): unknown => parsedObject(data))
        .filter(isWireEvent);
      const last = events.at(-1);
      if (!last) continue;
      this.#position = last.index + 1;
      this.#delivered = true;
      return events;
    }
  }
}
