import { createChannelService } from './channels/create-service.ts';
import type { ChannelService } from './channels/service.ts';
import type { Config } from './config/settings.ts';
import type { Bus } from './platform/bus/bus.ts';
import { MemoryBus } from './platform/bus/memory-bus.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { openDataDirectory } from './platform/database/data-directory.ts';
import type { Database } from './platform/database/database.ts';
import { migrate } from './platform/database/migrations.ts';
import { openDatabase } from './platform/database/open-database.ts';
import { sql } from './platform/database/sql.ts';
import { Health } from './platform/health.ts';
import { TrustedProxies } from './platform/http/client-address.ts';
import { checkPublicUrl } from './platform/http/public-base.ts';
import { type Random, systemRandom } from './platform/ids.ts';
import { Limits } from './platform/limits/limits.ts';
import { createLog, errorFields, type Log } from './platform/log.ts';
import { Metrics } from './platform/metrics.ts';
import { TimerWheel } from './platform/timer-wheel.ts';

/** Every dependency of the server, wired here by hand and nowhere else. */
export interface AppContext {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly proxies: TrustedProxies;
  readonly limits: Limits;
  readonly wheel: TimerWheel;
  readonly bus: Bus;
  readonly database: Database;
  readonly channels: ChannelService;
  /** Answers everything that waits, so that connections can end. */
  release(): void;
  close(): Promise<void>;
}

/** What a test may replace. */
export interface ContextOverrides {
  log?: Log;
  clock?: Clock;
  random?: Random;
}

export async function createContext(config: Config, overrides: ContextOverrides = {}): Promise<AppContext> {
  checkPublicUrl(config.publicUrl);
  const proxies = new TrustedProxies(config.trustedProxies);
  const log = overrides.log ?? createLog({ level: config.logLevel, pretty: wantsPretty(config) });
  const clock = overrides.clock ?? systemClock;
  const random = overrides.random ?? systemRandom;
  const metrics = new Metrics();
  const health = new Health();
  const limits = new Limits({ clock, enabled: config.rateLimits });
  const wheel = new TimerWheel(clock);
  const bus = new MemoryBus((error, subject) =>
    log.error('bus_listener_failed', { subject, ...errorFields(error) }),
  );

  const directory = openDataDirectory(config.dataDir);
  const onHookError = (error: unknown): void => log.error('after_commit_failed', errorFields(error));
  const onConnectionError = (error: unknown): void =>
    log.warn('database_connection_lost', errorFields(error));
  const location = config.databaseUrl ? { url: config.databaseUrl } : { dataDir: directory.path };
  const database = await openDatabase(location, { onHookError, onConnectionError }).catch(
    (error: unknown) => {
      directory.release();
      throw error;
    },
  );
  await migrate(database, [], () => clock.now());
  health.check('database', async () => void (await database.read.get(sql`SELECT 1 AS one`)));

  const channels = createChannelService({ config, log, clock, random, metrics, health, limits, wheel });

  return {
    config,
    log,
    clock,
    random,
    metrics,
    health,
    proxies,
    limits,
    wheel,
    bus,
    database,
    channels,
    release: () => channels.release(),
    async close() {
      await channels.close();
      await bus.close();
      await database.close();
      directory.release();
      log.flush();
    },
  };
}

function wantsPretty(config: Config): boolean {
  return config.logFormat === 'pretty' || (config.logFormat === 'auto' && process.stdout.isTTY === true);
}
