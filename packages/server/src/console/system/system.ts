import type { SystemAnswer } from '@parley/protocol/console/system-routes';
import { getHeapStatistics } from 'node:v8';
import { GONE_MS, listNodes, type NodeRow } from '../../platform/cluster/membership.ts';
import { MIB } from '../../platform/storage/free-disk.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { ConsoleContext } from '../create-module.ts';
import { SAMPLED_EVERY_MS, type Sample } from './history.ts';
import { storeBytes } from './store-bytes.ts';

const SLOWEST = 10;

/** How the process that answers is, and what it shares with others. */
export async function systemOf(context: ConsoleContext, version: string): Promise<SystemAnswer> {
  const { clock, jobs, disk, config, log, database, identity, channels, console } = context;
  const now = clock.now();
  const { system } = console;
  const [depths, dead, nodes, bytes, latest] = await Promise.all([
    jobs.depths(),
    jobs.deadCount(),
    nodesOf(context, version),
    storeBytes(context),
    system.history.sample(),
  ]);
  const { rss, heapUsed } = process.memoryUsage();
  const loop = system.history.loop();
  return {
    version,
    node_version: process.version,
    started_at: iso(system.startedAt),
    log_level: log.level,
    registration: identity.registrationMode,
    database: {
      kind: database.dialect,
      bytes,
      slowest: database.slow.slowest(SLOWEST).map(({ text, count, totalMs, longestMs, lastAt }) => ({
        text,
        count,
        mean_ms: rounded(totalMs / count),
        longest_ms: rounded(longestMs),
        last_at: iso(Math.round(lastAt)),
      })),
    },
    queues: depths.map(({ kind, waiting, due, nextAt }) => ({ kind, waiting, due, next_at: iso(nextAt) })),
    dead_jobs: dead,
    nodes,
    memory: { rss, heap_used: heapUsed, heap_limit: getHeapStatistics().heap_size_limit },
    loop: { delay_p99_ms: loop.p99Ms, delay_max_ms: loop.maxMs, busy: rounded(loop.busy) },
    disk: { free_bytes: disk.free ?? null, least_bytes: config.minFreeDiskMb * MIB, low: disk.isLow },
    channels: channels.held(),
    history: historyOf([...system.history.samples, latest], now),
  };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

function historyOf(samples: readonly Sample[], now: number): SystemAnswer['history'] {
  return {
    since: iso(samples[0]?.at ?? now),
    step_seconds: SAMPLED_EVERY_MS / 1000,
    memory: samples.map(({ rss }) => rss),
    delay: samples.map(({ delayMs }) => delayMs),
    waiting: samples.map(({ waiting }) => waiting),
    disk: samples.map(({ disk }) => disk),
    database: samples.map(({ database }) => database),
  };
}

/** On a file there is one: it. */
async function nodesOf(context: ConsoleContext, version: string): Promise<SystemAnswer['nodes']> {
  const { database, cluster, clock, console, config } = context;
  const now = clock.now();
  const alone: NodeRow = {
    id: cluster.node,
    url: config.publicUrl ?? `http://${config.host}:${config.port}`,
    version,
    started_at: console.system.startedAt,
    seen_at: now,
  };
  const listed = database.dialect === 'postgres' ? await listNodes(database.read) : [];
  const rows = listed.some(({ id }) => id === cluster.node) ? listed : [...listed, alone];
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    version: row.version,
    started_at: iso(row.started_at),
    seen_at: iso(row.seen_at),
    alive: row.id === cluster.node || now - row.seen_at < GONE_MS,
    self: row.id === cluster.node,
  }));
}
