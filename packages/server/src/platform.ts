import { SECRET_PREFIXES } from '@parley/protocol/secret-prefixes';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config/settings.ts';
import { checkKey } from './platform/auth/key-check.ts';
import { loadMasterKey } from './platform/auth/master-key.ts';
import { SecretBox } from './platform/auth/secret-box.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { Closing } from './platform/closing.ts';
import { type Cluster, joinCluster, takePlace } from './platform/cluster/join-cluster.ts';
import { StoreClock } from './platform/cluster/store-clock.ts';
import { KEY_FILE, openDataDirectory } from './platform/database/data-directory.ts';
import { migrate, type ModuleMigrations } from './platform/database/migrations.ts';
import { openDatabase, SQLITE_FILE } from './platform/database/open-database.ts';
import { createStorage } from './platform/storage/create-storage.ts';
import { type FreeBytes, type FreeDisk, freeBytesAt, MIB } from './platform/storage/free-disk.ts';
import { refuseLostStore } from './platform/storage/lost-store.ts';
import { Health } from './platform/health.ts';
import { TrustedProxies } from './platform/http/client-address.ts';
import { Entrance } from './platform/http/entrance.ts';
import { type Random, systemRandom } from './platform/ids.ts';
import { Jobs } from './platform/jobs/jobs.ts';
import { Limits } from './platform/limits/limits.ts';
import { LIMITS } from './platform/limits/library.ts';
import { SharedLimits } from './platform/limits/shared-limits.ts';
import { createLog, type Log } from './platform/log.ts';
import { createMailer, type Mailer } from './platform/mail/mailer.ts';
import { Metrics } from './platform/metrics.ts';
import type { AddressRules } from './platform/outbound/address-rules.ts';
import { CallbackAllow } from './platform/outbound/callback-allow.ts';
import type { SharedRedis } from './platform/redis/shared-redis.ts';
import { GuardedClient } from './platform/outbound/guarded-client.ts';
import type { Parts } from './platform/parts.ts';
import { type Resolver, systemResolver } from './platform/outbound/resolver.ts';
import { EventLog, type LoggedEvent } from './platform/streams/event-log.ts';
import { StreamHub } from './platform/streams/hub.ts';
import { StreamBusBridge } from './platform/streams/topics.ts';
import { TimerWheel } from './platform/timer-wheel.ts';
import { DAY } from './platform/units.ts';

/** What every module may use. Knows no module. */
export interface Platform extends Parts {
  readonly config: Config;
  readonly disk: FreeDisk;
  readonly proxies: TrustedProxies;
  readonly entrance: Entrance;
  readonly limits: Limits;
  readonly cluster: Cluster;
  readonly secrets: SecretBox;
  readonly jobs: Jobs;
  readonly hub: StreamHub<LoggedEvent>;
  readonly events: EventLog;
  readonly outbound: GuardedClient;
  /** Undefined where the operator named no program that sends mail. */
  readonly mailer: Mailer | undefined;
  readonly addressRules: AddressRules;
  readonly resolve: Resolver;
  /** Closed in reverse order when the server stops, or when it cannot start. */
  readonly closing: Closing;
}

/** What a test may replace. */
export interface PlatformOverrides {
  log?: Log;
  clock?: Clock;
  random?: Random;
  resolve?: Resolver;
  freeBytes?: FreeBytes;
  redis?: SharedRedis;
}

/** Opens the store and everything that needs no module, and brings the tables up to date. */
export async function createPlatform(
  config: Config,
  migrations: readonly ModuleMigrations[],
  overrides: PlatformOverrides = {},
): Promise<Platform> {
  const closing = new Closing();
  try {
    return await open(config, migrations, overrides, closing);
  } catch (error) {
    await closing.run();
    throw error;
  }
}

async function open(
  config: Config,
  migrations: readonly ModuleMigrations[],
  overrides: PlatformOverrides,
  closing: Closing,
): Promise<Platform> {
  const proxies = new TrustedProxies(config.trustedProxies);
  const addressRules = { production: config.production, allow: new CallbackAllow(config.callbackAllow) };
  const entrance = new Entrance({ ...config, allowedOrigins: config.corsOrigins });
  const { random = systemRandom, resolve = systemResolver } = overrides;
  const clock = overrides.clock ?? (config.databaseUrl ? new StoreClock() : systemClock);
  const log =
    overrides.log ??
    createLog({ level: config.logLevel, pretty: wantsPretty(config), secretPrefixes: SECRET_PREFIXES });
  closing.add(() => log.flush());
  const metrics = new Metrics();
  const health = new Health(clock);
  const wheel = new TimerWheel(clock, { onError: log.failed('timer_failed') });
  const first = { config, log, clock, random, metrics, health, wheel, closing };

  const { directory, database, place, secrets } = await openStore(first, migrations);
  const { node, nodeBefore } = directory;
  const disk = createStorage({
    ...first,
    database,
    node,
    freeBytes: overrides.freeBytes ?? freeBytesAt(directory.path),
    least: config.minFreeDiskMb * MIB,
    wasLeftOpen: nodeBefore !== undefined,
  });
  closing.add(await disk.start());
  const { redis } = overrides;
  const cluster = await joinCluster({ ...first, node, nodeBefore, database, place, redis });
  const { bus } = cluster;
  closing.add(() => cluster.leave());
  if (config.redisUrl !== undefined) database.changes.shareOver(bus);
  if (cluster.redis) await LIMITS.load(cluster.redis.commands);
  const shared =
    cluster.redis &&
    new SharedLimits({ ...first, redis: cluster.redis, node, others: () => cluster.others() });
  const hub = new StreamHub<LoggedEvent>({ wheel, onError: log.failed('stream_failed') });
  const bridge = new StreamBusBridge(hub, bus);
  closing.add(() => bridge.close());
  const outbound = new GuardedClient({ rules: addressRules, clock, resolve });
  closing.add(() => outbound.close());
  const jobs = new Jobs({
    database,
    clock,
    random,
    log,
    holder: node,
    isAlone: cluster.isAlone,
    bus,
    hasOthers: () => cluster.others().length > 0,
    leaseMs: config.jobLeaseMs,
    keepDeadMs: config.deadJobDays * DAY,
  });
  return {
    ...first,
    disk,
    proxies,
    entrance,
    limits: new Limits({
      clock,
      enabled: config.rateLimits,
      shared,
      localFactor: entrance.isLocal ? config.rlLocalFactor : 1,
    }),
    cluster,
    bus,
    database,
    secrets,
    jobs,
    hub,
    events: new EventLog({
      db: database,
      hub,
      random,
      announce: (topic, seq) => bridge.announce(topic, seq),
    }),
    outbound,
    mailer:
      config.mailProgram === undefined
        ? undefined
        : createMailer({ program: config.mailProgram, from: config.mailFrom, clock }),
    addressRules,
    resolve,
  };
}

/** What is made before the store is opened. */
type First = Pick<
  Platform,
  'config' | 'log' | 'clock' | 'random' | 'metrics' | 'health' | 'wheel' | 'closing'
>;

/** The folder and the key in it, the database with its tables brought up to date, and the place of this node there. */
async function openStore(first: First, migrations: readonly ModuleMigrations[]) {
  const { config, log, clock, random, closing } = first;
  const directory = openDataDirectory(config.dataDir);
  closing.add(() => directory.release());
  const store = join(directory.path, SQLITE_FILE);
  const keyFile = join(directory.path, KEY_FILE);
  if (config.databaseUrl === undefined) refuseLostStore(store, keyFile);
  const masterKey = await loadMasterKey({
    configured: config.secretKey,
    file: keyFile,
    storeExists: config.databaseUrl === undefined && !config.acceptNewKey && existsSync(store),
    random,
  });
  const location = config.databaseUrl ? { url: config.databaseUrl } : { dataDir: directory.path };
  const database = await openDatabase(location, {
    onHookError: log.failed('after_commit_failed'),
    onConnectionError: log.failed('database_connection_lost'),
    // One more holds this node's place.
    poolSize: Math.floor((config.dbConnections - 1) / 2),
    // Who names a way past a pooler has one.
    pooled: config.databaseDirectUrl !== undefined,
    patience: {
      statementMs: config.dbStatementTimeoutMs,
      lockMs: config.dbLockTimeoutMs,
      idleInTransactionMs: config.dbIdleTransactionTimeoutMs,
    },
  });
  closing.add(() => database.close());
  if (clock instanceof StoreClock) {
    const stop = await clock.follow(database, log);
    closing.add(stop);
  }
  const place = await takePlace(first);
  const taken = await migrate(database, migrations, () => clock.now());
  if (taken.length > 0) log.info('migrated', { steps: taken });
  const secrets = new SecretBox(masterKey, random);
  const replaced = await checkKey(database, secrets, { acceptNew: config.acceptNewKey });
  if (replaced) log.warn('secret_key_replaced');
  return { directory, database, place, secrets };
}

function wantsPretty(config: Config): boolean {
  return config.logFormat === 'pretty' || (config.logFormat === 'auto' && process.stdout.isTTY);
}
