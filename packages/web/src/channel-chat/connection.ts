import { on } from '../shared/dom.ts';
import { POLL_HOLD_SECONDS } from '@parley/protocol/channels/limits';
import type { RosterEntry, WireEvent } from '@parley/protocol/channels/types';
import { type ChannelApi, ChannelError } from './channel-api.ts';
import { Backoff } from '../shared/connection/backoff.ts';
import { StreamSilent, streamHead } from '../shared/connection/event-stream.ts';
import { readEventStream, StreamEnded } from './event-stream.ts';

/**
 * Follows the channel from a cursor until it ends or is told to stop.
 *
 * | state      | means                                  | goes to                                    |
 * | ---------- | -------------------------------------- | ------------------------------------------ |
 * | connecting | a request is under way                 | connected, waiting, ended, dropped         |
 * | connected  | events arrive as they happen           | connecting (line lost), ended, dropped     |
 * | waiting    | the line failed; next try at a time    | connecting                                 |
 * | ended      | the channel is gone; final             |                                            |
 * | dropped    | the channel lives, this seat in it not | the owner joins again                      |
 */
export type ConnectionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected' }
  | { readonly kind: 'waiting'; readonly until: number }
  | { readonly kind: 'ended'; readonly reason: string }
  | { readonly kind: 'dropped' };

export interface ConnectionEvents {
  state(state: ConnectionState): void;
  event(event: WireEvent): Promise<void>;
  roster(roster: readonly RosterEntry[]): void;
}

/** A stream that lived this long was a working one: when it ends, a new one is tried at once. */
const PROVEN_MS = 5_000;

export class Connection {
  cursor: number;
  readonly #api: ChannelApi;
  readonly #participantId: string;
  readonly #events: ConnectionEvents;
  readonly #stop = new AbortController();
  readonly #backoff = new Backoff();
  #streaming = true;
  /** An answer came since the last failure, so a held poll is a quiet channel and not a dead line. */
  #proven = false;

  constructor(api: ChannelApi, participantId: string, cursor: number, events: ConnectionEvents) {
    this.#api = api;
    this.#participantId = participantId;
    this.cursor = cursor;
    this.#events = events;
  }

  async follow(): Promise<void> {
    while (!this.stopped) {
      const startedAt = Date.now();
      this.#events.state({ kind: 'connecting' });
      try {
        await (this.#streaming ? this.#stream() : this.#pollOnce());
        if (!this.#streaming || Date.now() - startedAt > PROVEN_MS) continue;
        await this.#wait(this.#backoff.next());
      } catch (error) {
        if (this.stopped) return;
        const final = finalState(error);
        if (final !== null) return this.#events.state(final);
        if (this.#shouldPollInstead(error)) this.#streaming = false;
        else await this.#wait(waitAsked(error) ?? this.#backoff.next());
      }
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#backoff.skip();
  }

  get stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  retryNow(): void {
    this.#backoff.skip();
  }

  async #stream(): Promise<void> {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    on(this.#stop.signal, 'abort', abort);
    try {
      const head = this.#api.events(this.#participantId, this.cursor - 1, attempt.signal);
      const response = await streamHead(head);
      if (response === null) {
        this.#streaming = false;
        return;
      }
      this.#nowConnected();
      for await (const event of readEventStream(response)) await this.#take(event);
    } finally {
      abort();
      this.#stop.signal.removeEventListener('abort', abort);
    }
  }

  async #pollOnce(): Promise<void> {
    const wait = this.#proven ? POLL_HOLD_SECONDS : 0;
    const page = await this.#api.poll(this.#participantId, this.cursor, wait, this.#stop.signal);
    this.#nowConnected();
    if (page === null) return;
    for (const event of page.messages) await this.#take(event);
    // A log that restarted is shorter than the cursor; without this the poll would wait for ever.
    this.cursor = page.cursor;
    if (page.roster !== undefined) this.#events.roster(page.roster);
  }

  async #take(event: WireEvent): Promise<void> {
    if (this.stopped || event.index < this.cursor) return;
    this.cursor = event.index + 1;
    await this.#events.event(event);
  }

  #nowConnected(): void {
    this.#proven = true;
    this.#backoff.reset();
    if (!this.stopped) this.#events.state({ kind: 'connected' });
  }

  /** A server without the stream, or a proxy that swallows it. */
  #shouldPollInstead(error: unknown): boolean {
    if (!this.#streaming) return false;
    if (error instanceof StreamSilent) return !error.heardAnything;
    return error instanceof ChannelError && [404, 405, 406, 501].includes(error.status);
  }

  async #wait(ms: number): Promise<void> {
    this.#proven = false;
    if (this.stopped) return;
    this.#events.state({ kind: 'waiting', until: Date.now() + ms });
    await this.#backoff.wait(ms);
  }
}

function finalState(error: unknown): ConnectionState | null {
  if (error instanceof StreamEnded) return finalState(new ChannelError(404, error.answer));
  if (!(error instanceof ChannelError)) return null;
  if (error.hibernating || error.code === 'participant_not_in_channel') return { kind: 'dropped' };
  if (error.code === 'channel_or_token_invalid') return { kind: 'ended', reason: error.evictedReason };
  return null;
}

function waitAsked(error: unknown): number | null {
  if (!(error instanceof ChannelError) || error.retryAfterSeconds === 0) return null;
  return error.retryAfterSeconds * 1_000;
}
