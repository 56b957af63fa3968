import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../../packages/server/src/testing/postgres.ts';
import { Client } from 'pg';
import { Connection, rawRequest } from '../load/connection.ts';
import {
  addAgents,
  addMessages,
  type GrownStore,
  openGrownStore,
  removeStore,
} from '../load/fill/grown-store.ts';
import { json, sendRequest } from '../load/mail.ts';
import { openRoom, registerAgent } from '../load/room.ts';
import { type ServerProcess, startParley } from '../load/server-process.ts';
import { mayOpen, StreamCrowd } from '../load/stream-crowd.ts';
import { type Check, atMost, median, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const FLAT = 1.2;
const LOOKS = 300;
const WARM_UP = 40;
const IDLE_MS = 5_000;
const TEXT = 'x'.repeat(400);

/** `--most=`: a quick look goes no further. */
const most = Number(process.argv.find((arg) => arg.startsWith('--most='))?.slice('--most='.length) ?? 1e6);
const SIZES = [1e3, 1e4, 1e5, 1e6].filter((size) => size <= most);
/** In PostgreSQL, and of streams. */
const SHARED_SIZES = SIZES.filter((size) => size <= 1e5);

interface Found {
  readonly label: string;
  readonly sizes: readonly number[];
  readonly values: readonly number[];
  /** Whether it must not grow with the size; else it is only told. */
  readonly flat: boolean;
}

/** What one more agent, stream or message costs, the more there are: nothing more than the first did. */
export async function scale(): Promise<ScenarioResult> {
  const found = [
    ...(await idleAgents()),
    ...(await parkedStreams()),
    ...(await storedMessages('SQLite', SIZES, openSqlite)),
    ...(await onPostgres()),
  ];
  return {
    name: `scale: cost of one among ${SIZES.map(count).join(', ')}`,
    rows: found.map(({ label, sizes, values }) => ({
      label,
      value: values.map((value, at) => `${round(value)} (${count(sizes[at] ?? 0)})`).join(', '),
    })),
    checks: found.filter(({ flat }) => flat).map(flatness),
  };
}

const count = (size: number): string => size.toLocaleString('en');

function flatness({ label, values }: Found): Check {
  const [first = 0, ...rest] = values;
  return atMost(
    `${label}: the greatest against that of the first size`,
    Math.max(first, ...rest) / first,
    FLAT,
  );
}

/** Kept by a server on a file that nobody asks anything. */
async function idleAgents(): Promise<Found[]> {
  const bytes: number[] = [];
  const heap: number[] = [];
  const cpu: number[] = [];
  for (const size of SIZES) {
    const store = await openGrownStore();
    bytes.push(await addAgents(store, size));
    await store.close();
    const server = await startParley({ ...UNLIMITED, PARLEY_DATA_DIR: store.dataDir });
    await sleep(1000);
    heap.push((await server.heap()) / 2 ** 20);
    const before = server.cpu();
    await sleep(IDLE_MS);
    cpu.push(server.cpu() - before);
    await server.stop();
    removeStore(store);
  }
  return [
    { label: 'bytes of the store for an idle agent with its key', sizes: SIZES, values: bytes, flat: true },
    { label: 'heap of a server that keeps them, MB', sizes: SIZES, values: heap, flat: true },
    { label: `processor time of it in ${IDLE_MS / 1000} s, ms`, sizes: SIZES, values: cpu, flat: false },
  ];
}

/** Room streams that wait at one node. */
async function parkedStreams(): Promise<Found[]> {
  const all = SHARED_SIZES.at(-1) ?? 0;
  const server = await startParley(UNLIMITED, process.cwd(), mayOpen(all + 1000));
  const control = await Connection.open(server.url);
  const agents = [await registerAgent(control, 'harbour'), await registerAgent(control, 'pier')] as const;
  const room = await openRoom(control, agents);
  const path = `/v1/rooms/${room.id}/events`;
  const crowd = new StreamCrowd(server.url, rawRequest('GET', path, undefined, agents[0].session), all);
  const sizes: number[] = [];
  const kilobytes: number[] = [];
  try {
    // A first few, so that what the first stream loads is not counted as belonging to it.
    await crowd.reach(FIRST_STREAMS);
    const before = await settledMemory(server);
    for (const size of SHARED_SIZES) {
      await crowd.reach(size + FIRST_STREAMS);
      kilobytes.push(((await settledMemory(server)) - before) / size / 1024);
      sizes.push(size);
    }
  } catch (error) {
    console.error(`  no more than ${sizes.at(-1) ?? 0} streams: ${String(error)}`);
  } finally {
    await crowd.stop();
    control.close();
    await server.stop();
  }
  return [{ label: 'memory of the server for a parked stream, KB', sizes, values: kilobytes, flat: true }];
}

const FIRST_STREAMS = 50;

async function settledMemory(server: ServerProcess): Promise<number> {
  await server.memory();
  return await server.memory();
}

type OpenStore = (size: number) => Promise<GrownStore>;

const openSqlite: OpenStore = () => openGrownStore();

async function onPostgres(): Promise<Found[]> {
  const postgres = await startPostgres({ durable: true });
  try {
    return await storedMessages('PostgreSQL', SHARED_SIZES, async (size) => {
      const client = new Client({ connectionString: postgres.url });
      await client.connect();
      await client.query(`CREATE DATABASE scale_${size}`);
      await client.end();
      const url = new URL(postgres.url);
      url.pathname = `/scale_${size}`;
      return await openGrownStore(url.href);
    });
  } finally {
    await postgres.stop();
  }
}

/** Stores of all sizes stand side by side and are asked in turn, so that a busy moment of the machine favours none. */
async function storedMessages(dialect: string, sizes: readonly number[], open: OpenStore): Promise<Found[]> {
  const stages = [];
  for (const size of sizes) {
    const store = await open(size);
    const bytes = await addMessages(store, size, TEXT);
    stages.push({ store, bytes, sends: [] as number[], pages: [] as number[] });
  }
  for (let at = -WARM_UP; at < LOOKS; at++) {
    for (const { store, sends, pages } of at % 2 === 0 ? stages : stages.toReversed()) {
      const { connection, owner } = store;
      const start = performance.now();
      const message = sendRequest(owner, { to: 'box', body: TEXT });
      await json(connection.request(message));
      const sent = performance.now();
      await json(
        connection.request(rawRequest('GET', '/v1/agents/box/inbox?limit=20', undefined, owner.key)),
      );
      if (at < 0) continue;
      sends.push(sent - start);
      pages.push(performance.now() - sent);
    }
  }
  for (const { store } of stages) {
    await store.close();
    removeStore(store);
  }
  const name = (what: string): string => `${dialect}: ${what}`;
  return [
    {
      label: name('bytes of a stored message, with its execution and its event'),
      sizes,
      values: stages.map(({ bytes }) => bytes),
      flat: true,
    },
    {
      label: name('a message is taken in after ms (p50)'),
      sizes,
      values: stages.map(({ sends }) => median(sends)),
      flat: true,
    },
    {
      label: name('a page of an inbox comes after ms (p50)'),
      sizes,
      values: stages.map(({ pages }) => median(pages)),
      flat: true,
    },
  ];
}
