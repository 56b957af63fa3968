import { systemClock } from '@parley/sdk/channels/clock';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { uptime } from 'node:os';
import { openBridge } from '../bridge/bridge.ts';
import { requireConfig } from '../bridge/kept/config.ts';
import { wrongConfiguration } from '../bridge/failures.ts';
import { createLog, type LogLevel } from '../bridge/log.ts';
import { makeFolders, tidyFolders } from '../bridge/kept/places.ts';
import { serve as serveBridge } from '../bridge/serving.ts';
import { printJson } from '../output.ts';
import { holdLock } from './lock.ts';
import { type ConfigOptions, homeOf } from './options.ts';

export interface ServeOptions extends ConfigOptions {
  readonly logLevel: LogLevel;
  readonly jsonLogs?: true;
  readonly once?: true;
}

export async function serve(options: ServeOptions): Promise<void> {
  const config = requireConfig(homeOf(options), options);
  if (config.hook.token === undefined) {
    throw wrongConfiguration('there is no openclaw.hook_token', 'set it, or make one: aya init --force');
  }
  makeFolders(config.places);
  const lock = await holdLock(config.places.lock);
  const clock = systemClock;
  const transport = new NodeTransport(config.apiBaseUrl);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  try {
    tidyFolders(config.places, clock.now());
    const log = createLog({
      clock,
      write: (line) => void process.stderr.write(line),
      level: options.logLevel,
      json: options.jsonLogs ?? false,
    });
    const bridge = openBridge({ config, transport, clock, random: Math.random, log });
    for (const problem of bridge.queue.broken()) log.error('queue.broken', { reason: problem });
    printJson({ ok: true, serving: true, pid: process.pid, home: config.places.base });
    await serveBridge(bridge, stop.signal, {
      bootedAt: clock.now() - uptime() * 1000,
      once: options.once ?? false,
    });
  } finally {
    transport.close();
    lock.release();
  }
}
