import type { ServerResponse } from 'node:http';
import { type TimerWheel, WheelEntry } from '../timer-wheel.ts';

export interface SseOptions {
  wheel: TimerWheel;
  keepaliveMs?: number;
  /** A client that reads nothing for this long while bytes wait for it is dropped. */
  stallMs?: number;
  /** Unsent bytes after which a client is dropped, whatever they are. */
  maxUnsentBytes?: number;
}

/** Why a stream is over: the client went, the server ended it, or the client did not read. */
export type SseEnd = 'gone' | 'ended' | 'slow';

export interface SseHandlers {
  closed(reason: SseEnd): void;
  /** There is room again after `send` said that there is none. */
  drained?(): void;
}

/** What all event streams of one kind have in common. */
export class SseFace {
  readonly wheel: TimerWheel;
  readonly #options: Required<SseOptions>;

  constructor(options: SseOptions) {
    this.wheel = options.wheel;
    this.#options = { keepaliveMs: 20_000, stallMs: 60_000, maxUnsentBytes: 1_048_576, ...options };
  }

  /** Answers with an event stream and its first bytes. The response must be the caller's alone from here on. */
  open(
    response: ServerResponse,
    handlers: SseHandlers,
    first = RETRY_AFTER_3_S,
    headers: Record<string, string> = {},
  ): SseConnection {
    response.writeHead(200, { ...SSE_HEADERS, ...headers });
    return new SseConnection(this.#options, response, handlers, first);
  }
}

/** One open event stream. It is its own wheel entry, so a keepalive costs no timer and no closure. */
export class SseConnection extends WheelEntry {
  readonly #options: Required<SseOptions>;
  readonly #response: ServerResponse;
  readonly #handlers: SseHandlers;
  #end: SseEnd | undefined;
  #fullSince: number | undefined;

  constructor(options: Required<SseOptions>, response: ServerResponse, handlers: SseHandlers, first: string) {
    super();
    this.#options = options;
    this.#response = response;
    this.#handlers = handlers;
    // The response's `close` and not the request's, which fires as soon as the request was read.
    response.on('close', () => this.#finish('gone'));
    response.on('drain', () => this.#drained());
    response.on('error', () => response.destroy());
    response.socket?.setNoDelay(true);
    response.write(first);
    if (response.destroyed || response.socket?.destroyed) queueMicrotask(() => this.#finish('gone'));
    options.wheel.start(this, options.keepaliveMs);
  }

  get open(): boolean {
    return this.#end === undefined;
  }

  /** Sends a frame. False: it was taken, but wait for `drained` before the next, or the stream is over. */
  send(frame: Buffer | string): boolean {
    if (this.#end !== undefined) return false;
    if (this.#response.write(frame)) return true;
    this.#fullSince ??= this.#options.wheel.monotonic();
    if (this.#response.writableLength > this.#options.maxUnsentBytes) this.drop();
    return false;
  }

  /** Ends the stream after what was sent. */
  end(): void {
    if (this.#finish('ended')) this.#response.end();
  }

  /** Cuts off a client that does not read: waiting for it to take the rest would be waiting forever. */
  drop(): void {
    if (this.#finish('slow')) this.#response.destroy();
  }

  override fire(): void {
    const { wheel, keepaliveMs, stallMs } = this.#options;
    if (this.#fullSince === undefined) {
      this.send(KEEPALIVE);
    } else if (wheel.monotonic() - this.#fullSince >= stallMs) {
      this.drop();
    }
    if (this.open) wheel.start(this, keepaliveMs);
  }

  #drained(): void {
    this.#fullSince = undefined;
    if (this.open) this.#handlers.drained?.();
  }

  #finish(reason: SseEnd): boolean {
    if (this.#end !== undefined) return false;
    this.#end = reason;
    this.#options.wheel.cancel(this);
    this.#handlers.closed(reason);
    return true;
  }
}

const KEEPALIVE = Buffer.from(': keepalive\n\n');

export const RETRY_AFTER_3_S = 'retry: 3000\n\n';

const SSE_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-cache, must-revalidate',
  'X-Accel-Buffering': 'no',
  Connection: 'keep-alive',
};
