import { sleep } from '@parley/sdk/channels/clock';
import { TransportError } from '@parley/sdk/channels/transport';
import { CliError } from '../cli-error.ts';
import { BackOff } from './back-off.ts';
import { type Bridge, isoNow } from './bridge.ts';
import { BRIDGE_EXIT, reasonOf } from './failures.ts';
import { handleFrame } from './frames.ts';
import { Refusal } from './server-call.ts';
import { TokenRenewal } from './token-renewal.ts';
import { WakeStream } from './wake-stream.ts';
import { WakeWorker } from './wake-worker.ts';

/** Well within the two seconds that a service manager is promised. */
const STOP_GRACE_MS = 1_200;
const QUIET_MS = 1_000;

export interface ServingOptions {
  readonly bootedAt?: number;
  /** Ends when nothing is left to do. */
  readonly once?: boolean;
}

/** Runs until the signal is given. Throws when it cannot go on: the key is refused, or (`once`) there is no stream. */
export async function serve(
  bridge: Bridge,
  signal: AbortSignal,
  { bootedAt, once = false }: ServingOptions = {},
): Promise<void> {
  const end = new AbortController();
  const stopped = AbortSignal.any([signal, end.signal]);
  let failure: CliError | undefined;
  const worker = new WakeWorker(bridge, {
    ...(bootedAt !== undefined && { bootedAt }),
    fatal(error) {
      failure ??= error;
      end.abort();
    },
  });
  const renewal = new TokenRenewal(bridge);
  worker.nudge();
  renewal.start();
  try {
    await new Listening(bridge, worker, once ? () => end.abort() : undefined).run(stopped);
  } finally {
    renewal.stop();
    await worker.stop(STOP_GRACE_MS);
    bridge.state.is('disconnected');
  }
  if (failure) throw failure;
}

/** Keeps one connection to the server, and makes another when it ends. */
class Listening {
  readonly #bridge: Bridge;
  readonly #worker: WakeWorker;
  readonly #drained: (() => void) | undefined;
  readonly #backOff: BackOff;
  #heardAt = 0;

  /** `drained` is called when everything that waited was handed over. */
  constructor(bridge: Bridge, worker: WakeWorker, drained: (() => void) | undefined) {
    this.#bridge = bridge;
    this.#worker = worker;
    this.#drained = drained;
    this.#backOff = new BackOff(bridge.config.reconnect, bridge.random);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, state } = this.#bridge;
    while (!signal.aborted) {
      const delay_ms = await this.#connection(signal);
      if (signal.aborted) return;
      state.is('disconnected');
      log.debug('stream.waiting', { delay_ms });
      if (delay_ms > 0) await sleep(clock, delay_ms, signal);
    }
  }

  /** From its opening to its end; how long to wait before the next. */
  async #connection(signal: AbortSignal): Promise<number> {
    const stream = await this.#open(signal);
    if (!(stream instanceof WakeStream)) return stream;
    const { clock, state, log } = this.#bridge;
    state.connected(isoNow(this.#bridge));
    const openedAt = clock.now();
    let delivered = false;
    const over = (): void => this.#backOff.ended({ livedMs: clock.now() - openedAt, delivered });
    const quiet = this.#drained && this.#watchForQuiet(signal);
    try {
      for await (const frame of stream.events()) {
        if (signal.aborted) return 0;
        this.#heardAt = clock.now();
        const outcome = await handleFrame(this.#bridge, frame);
        delivered ||= outcome === 'delivered';
        if (outcome !== 'ignored') this.#worker.nudge();
        if (outcome !== 'again') continue;
        over();
        return this.#backOff.again();
      }
      log.info('stream.ended');
    } catch (error) {
      if (signal.aborted) return 0;
      // Whatever it was, the wake may be on disk already.
      this.#worker.nudge();
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
      return await WakeStream.open(this.#bridge, signal);
    } catch (error) {
      if (signal.aborted) return 0;
      this.#tell(error, false);
      if (this.#drained) {
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
    const { log } = this.#bridge;
    const everyday = error instanceof TransportError && !silent;
    log[everyday ? 'info' : 'warn'](silent ? 'stream.silent' : 'stream.lost', { reason: reasonOf(error) });
  }

  /** What waits is sent at once after the greeting: when nothing came for a moment, all of it is here. */
  #watchForQuiet(signal: AbortSignal): { stop(): void } {
    const { clock, queue } = this.#bridge;
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const watch = async (): Promise<void> => {
      while (!either.aborted) {
        await sleep(clock, QUIET_MS / 4, either);
        const quiet = this.#heardAt > 0 && clock.now() - this.#heardAt >= QUIET_MS;
        if (quiet && this.#worker.isIdle && queue.list().length === 0) this.#drained?.();
      }
    };
    void watch();
    return { stop: () => stop.abort() };
  }
}

const askedFor = (error: unknown): number => (error instanceof Refusal ? error.retryAfterMs : 0);
