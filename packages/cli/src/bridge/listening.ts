import { type Clock, sleep } from '@parley/sdk/channels/clock';
import { TransportError } from '@parley/sdk/channels/transport';
import type { StreamEvent } from '@parley/sdk/event-stream-reader';
import { CliError } from '../cli-error.ts';
import { BackOff } from './back-off.ts';
import type { BridgeConfig } from './kept/config.ts';
import { BRIDGE_EXIT, reasonOf } from './failures.ts';
import type { FrameOutcome } from './frames.ts';
import type { Log } from './log.ts';
import { Refusal } from './server-call.ts';
import { WakeStream } from './wake-stream.ts';

const QUIET_MS = 1_000;

/** Whoever wants to hear what an agent's stream says. */
export interface Listener {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly reconnect: BridgeConfig['reconnect'];
  open(signal: AbortSignal): Promise<WakeStream>;
  handle(frame: StreamEvent): Promise<FrameOutcome>;
  /** Something may be on disk that was not there before. */
  nudge(): void;
  connected?(): void;
  disconnected?(): void;
}

/** For a listener that ends when nothing is left to do. */
export interface Drain {
  isEmpty(): boolean;
  emptied(): void;
}

/** Keeps one connection to the server, and makes another when it ends. */
export class Listening {
  readonly #listener: Listener;
  readonly #drain: Drain | undefined;
  readonly #backOff: BackOff;
  #heardAt = 0;

  constructor(listener: Listener, drain?: Drain) {
    this.#listener = listener;
    this.#drain = drain;
    this.#backOff = new BackOff(listener.reconnect, listener.random);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#listener;
    while (!signal.aborted) {
      const delay_ms = await this.#connection(signal);
      if (signal.aborted) return;
      this.#listener.disconnected?.();
      log.debug('stream.waiting', { delay_ms });
      if (delay_ms > 0) await sleep(clock, delay_ms, signal);
    }
  }

  /** From its opening to its end; how long to wait before the next. */
  async #connection(signal: AbortSignal): Promise<number> {
    const stream = await this.#open(signal);
    if (!(stream instanceof WakeStream)) return stream;
    const { clock, log } = this.#listener;
    this.#listener.connected?.();
    const openedAt = clock.now();
    let delivered = false;
    const over = (): void => this.#backOff.ended({ livedMs: clock.now() - openedAt, delivered });
    const quiet = this.#drain && this.#watchForQuiet(this.#drain, signal);
    try {
      for await (const frame of stream.events()) {
        if (signal.aborted) return 0;
        this.#heardAt = clock.now();
        const outcome = await this.#listener.handle(frame);
        delivered ||= outcome === 'delivered';
        if (outcome !== 'ignored') this.#listener.nudge();
        if (outcome !== 'again') continue;
        over();
        return this.#backOff.again();
      }
      log.info('stream.ended');
    } catch (error) {
      if (signal.aborted) return 0;
      // Whatever it was, the wake may be on disk already.
      this.#listener.nudge();
      this.#tell(error, stream.wasSilent);
      over();
      return this.#backOff.next(askedFor(error), stream.retryMs);
    } finally {
      quiet?.stop();
    }
    over();
    return this.#backOff.next(0, stream.retryMs);
  }

  async #open(signal: AbortSignal): Promise<WakeStream | number> {
    try {
      return await this.#listener.open(signal);
    } catch (error) {
      if (signal.aborted) return 0;
      this.#tell(error, false);
      if (this.#drain) {
        throw new CliError('no_stream', `the stream cannot be opened: ${reasonOf(error)}`, {
          exitCode: BRIDGE_EXIT.stream,
        });
      }
      return this.#backOff.next(askedFor(error));
    }
  }

  /** A lost connection and a restart of the server are everyday; everything else somebody should look at. */
  #tell(error: unknown, silent: boolean): void {
    if (error instanceof CliError) throw error;
    const { log } = this.#listener;
    const everyday = error instanceof TransportError && !silent;
    log[everyday ? 'info' : 'warn'](silent ? 'stream.silent' : 'stream.lost', { reason: reasonOf(error) });
  }

  /** What waits is sent at once after the greeting: when nothing came for a moment, all of it is here. */
  #watchForQuiet(drain: Drain, signal: AbortSignal): { stop(): void } {
    const { clock } = this.#listener;
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const watch = async (): Promise<void> => {
      while (!either.aborted) {
        await sleep(clock, QUIET_MS / 4, either);
        const quiet = this.#heardAt > 0 && clock.now() - this.#heardAt >= QUIET_MS;
        if (quiet && drain.isEmpty()) drain.emptied();
      }
    };
    void watch();
    return { stop: () => stop.abort() };
  }
}

const askedFor = (error: unknown): number => (error instanceof Refusal ? error.retryAfterMs : 0);
