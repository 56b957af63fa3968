import type { CliError } from '../cli-error.ts';
import { type Bridge, isoNow } from './bridge.ts';
import { handleFrame } from './frames.ts';
import { Listening } from './listening.ts';
import { Stopping } from './stopping.ts';
import { TokenRenewal } from './token-renewal.ts';
import { WakeStream } from './wake-stream.ts';
import { WakeWorker } from './wake-worker.ts';

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
  const { clock, random, log, config, session, transport, state, queue } = bridge;
  const end = new AbortController();
  const stopped = AbortSignal.any([signal, end.signal]);
  const stopping = new Stopping(stopped, bridge);
  let failure: CliError | undefined;
  const worker = new WakeWorker(bridge, {
    ...(bootedAt !== undefined && { bootedAt }),
    fatal(error) {
      failure ??= error;
      end.abort();
    },
  });
  const renewal = new TokenRenewal(bridge);
  const listener = {
    clock,
    random,
    log,
    reconnect: config.reconnect,
    open: (until: AbortSignal) => WakeStream.open({ session, transport, clock, cursor: state.cursor }, until),
    handle: (frame: Parameters<typeof handleFrame>[1]) => handleFrame(bridge, frame),
    nudge: () => worker.nudge(),
    connected: () => state.connected(isoNow(bridge)),
    disconnected: () => state.is('disconnected'),
  };
  const drain = {
    isEmpty: () => worker.isIdle && queue.list().length === 0,
    emptied: () => end.abort(),
  };
  worker.nudge();
  renewal.start();
  try {
    await new Listening(listener, once ? drain : undefined).run(stopped);
  } finally {
    renewal.stop();
    await worker.stop(stopping.graceMs);
    stopping.over();
    state.is('disconnected');
  }
  if (failure) throw failure;
}
