import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import type { Config } from './config/settings.ts';
import { type AppContext, type ContextOverrides, createContext } from './context.ts';
import { listeningUrl } from './listening-url.ts';
import { Membership } from './platform/cluster/membership.ts';
import { codeOf } from './platform/error-words.ts';
import { gracefulStop } from './platform/http/graceful-stop.ts';
import { VERSION } from './version.ts';

export interface RunningServer {
  readonly url: string;
  readonly context: AppContext;
  /** Settled when it has stopped by itself, because another uses its store alone. */
  readonly stoppedItself: Promise<void> | undefined;
  /** Stops accepting, answers what waits, flushes; after the grace time open connections are cut. */
  stop(): Promise<void>;
}

/** Connections that may wait to be accepted: thousands of clients reconnect at once after a restart. */
const BACKLOG = 4096;

/** Boots the whole server: context, routes, socket. */
export async function startParley(config: Config, overrides: ContextOverrides = {}): Promise<RunningServer> {
  const context = await createContext(config, overrides);
  try {
    return await listen(context);
  } catch (error) {
    await context.close();
    throw error;
  }
}

async function listen(context: AppContext): Promise<RunningServer> {
  const { config, log } = context;
  const app = await createApp(context);
  await context.start();
  const drain = gracefulStop(app, () => context.release());
  await app.listen({ host: config.host, port: config.port, backlog: BACKLOG }).catch((error: unknown) => {
    throw codeOf(error) === 'EADDRINUSE' ? new PortTakenError(config) : error;
  });
  const { port } = app.server.address() as AddressInfo;
  const url = listeningUrl(config.host, port);
  const { cluster, health } = context;
  const membership =
    cluster.place &&
    new Membership({
      ...context,
      id: cluster.node,
      before: cluster.nodeBefore,
      url: config.nodeUrl ?? url,
      version: VERSION,
      place: cluster.place,
      gone: (node) => context.jobs.release(node),
    });
  cluster.leave = () => membership?.close();
  cluster.others = () => membership?.others ?? [];
  await membership?.start();
  if (membership) health.contribute(() => ({ nodes: membership.others.length + 1 }));
  log.info('listening', { url, host: config.host, version: VERSION, pid: process.pid });

  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    log.info('stopping');
    // Told to the others at once, while what is under way here ends.
    void membership?.close();
    health.check('stopping', () => Promise.reject(new Error('this server is stopping')));
    // Real time on purpose, as the draining that follows.
    if (config.stopDelayMs > 0) await new Promise((resolve) => void setTimeout(resolve, config.stopDelayMs));
    try {
      await drain();
      log.info('stopped');
    } finally {
      await context.close();
    }
  };
  const stopOnce = (): Promise<void> => (stopping ??= stop());
  return { url, context, stop: stopOnce, stoppedItself: cluster.place?.taken.then(stopOnce) };
}

class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
  constructor({ host, port }: Pick<Config, 'host' | 'port'>) {
    super(
      `port ${port} of ${host} is in use by another program; stop it, or choose another port with --port or PARLEY_PORT`,
    );
  }
}
