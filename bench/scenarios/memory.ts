import { continuityCapsule } from '@parley/protocol/continuity/capsule';
import { checkCapsule } from '@parley/server/continuity/rules/capsule-check';
import { refuseFirst } from '@parley/server/wire/memory/errors';
import { capsuleFrom } from '@parley/server/continuity/capsule/incoming';
import { compiled } from '@parley/server/platform/http/schema';
import { Connection, rawRequest } from '../load/connection.ts';
import { json, type MailOwner, registerOwner } from '../load/mail.ts';
import { fillMemory } from '../load/fill/memory-fill.ts';
import { FIRST, setMemoryTable, timeOf, upsertText } from '../load/fill/memory-table.ts';
import { startParley } from '../load/server-process.ts';
import { atLeast, atMost, median, percentile, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const AGENTS = 32;
const EACH = 30;
const BATCH = 32;
/** Rounds that are not counted, until the service is compiled as it is on a server that has run for a while. */
const WARM = 4;
const ROUNDS = 15;
const HTTP_MS = 5_000;
const LONELY = 300;
const CAPSULES = 100_000;
const LISTED = 10_000;
const READS = 500;
const LISTS = 60;
const CHECKS = 5_000;

/** Capsules taken in with a durable answer, and read and listed where there are very many. */
export async function memory(): Promise<ScenarioResult> {
  const rounds = await interleave();
  const http = await upsertsOverHttp();
  const filled = await readAndList();
  const checking = validation();
  const upserts = rounds.map(({ play }) => play);
  const ratio = median(rounds.map(({ play, hand }) => play / hand));
  const bareRatio = median(rounds.map(({ play, bare }) => play / bare));
  return {
    name: `memory: capsules of 14 KB from ${AGENTS} agents (SQLite, WAL, synchronous=FULL)`,
    rows: [
      { label: 'upserts per second, in the process', value: rate(median(upserts)) },
      {
        label: `their rows by hand, ${BATCH} capsules in a transaction, per second`,
        value: rate(median(rounds.map(({ hand }) => hand))),
      },
      {
        label: `bare rows of 14 KB, ${BATCH} in a transaction, without an index, per second`,
        value: `${rate(median(rounds.map(({ bare }) => bare)))} (upserts reach ${round(bareRatio)} of it)`,
      },
      { label: 'upserts per second over HTTP', value: rate(http.perSecond) },
      { label: 'the same, answer after ms (p50 / p99)', value: spread(http.latencies) },
      { label: 'upsert on an idle server, ms (p50 / p99)', value: spread(http.lonely) },
      {
        label: `startup read with graph and schedule among ${rate(CAPSULES)} capsules, ms (p50 / p99)`,
        value: spread(filled.reads),
      },
      { label: `list by salience of ${rate(LISTED)} capsules, ms (p50 / p99)`, value: spread(filled.lists) },
      { label: 'validation of a rich capsule, µs', value: String(round(checking, 1)) },
    ],
    checks: [
      atLeast('upserts / their rows by hand', round(ratio), 0.3),
      atMost('upsert on an idle server, p50, ms', round(median(http.lonely)), 5),
      atMost(
        `startup read with graph and schedule among ${rate(CAPSULES)}, p99, ms`,
        round(percentile(filled.reads, 0.99)),
        5,
      ),
      atMost(`list by salience of ${rate(LISTED)}, p50, ms`, round(median(filled.lists)), 20),
      atMost('validation of a rich capsule, µs', round(checking, 1), 50),
    ],
  };
}

const rate = (value: number): string => Math.round(value).toLocaleString('en');
const spread = (values: readonly number[]): string =>
  `${round(median(values))} / ${round(percentile(values, 0.99))}`;

interface Round {
  readonly play: number;
  readonly hand: number;
  readonly bare: number;
}

/** All take turns, in changing order, so that a busy moment of the machine does not favour one of them. */
async function interleave(): Promise<Round[]> {
  const table = await setMemoryTable(AGENTS);
  const rounds: Round[] = [];
  for (let at = -WARM; at < ROUNDS; at++) {
    const byHand = () => ({
      hand: table.write(AGENTS * EACH, BATCH),
      bare: table.writeBare(AGENTS * EACH, BATCH),
    });
    const early = at % 2 === 0 ? byHand() : undefined;
    const play = await table.play(EACH);
    if (at >= 0) rounds.push({ play, ...(early ?? byHand()) });
  }
  await table.close();
  return rounds;
}

async function upsertsOverHttp(): Promise<{ perSecond: number; latencies: number[]; lonely: number[] }> {
  const server = await startParley(UNLIMITED);
  const agents = await Promise.all(Array.from({ length: AGENTS }, () => Connection.open(server.url)));
  const [first] = agents;
  if (!first) throw new Error('there is no connection');
  const owner = await registerOwner(first);
  const lonely: number[] = [];
  const alone = upserter(owner, 'alone');
  for (let at = 0; at < LONELY; at++) lonely.push(await timed(first, alone(at)));
  const latencies: number[] = [];
  const begin = performance.now();
  const warm = begin + 1_000;
  const end = warm + HTTP_MS;
  await Promise.all(
    agents.map(async (connection, agent) => {
      const next = upserter(owner, `work-${agent}`);
      for (let at = 0; performance.now() < end; at++) {
        const raw = next(at);
        const start = performance.now();
        const took = await timed(connection, raw);
        if (start >= warm) latencies.push(took);
      }
    }),
  );
  for (const connection of agents) connection.close();
  await server.stop();
  return { perSecond: (latencies.length * 1000) / HTTP_MS, latencies, lonely: lonely.slice(LONELY / 3) };
}

/** The requests of one agent, ready to send. */
function upserter(owner: MailOwner, id: string): (at: number) => string {
  const raw = rawRequest('POST', '/v1/continuity/upsert', JSON.parse(upsertText(id)), owner.key);
  return (at) => raw.replaceAll(FIRST, timeOf(at));
}

async function timed(connection: Connection, raw: string): Promise<number> {
  const start = performance.now();
  await json(connection.request(raw));
  return performance.now() - start;
}

async function readAndList(): Promise<{ reads: number[]; lists: number[] }> {
  const store = await fillMemory({ many: CAPSULES, listed: LISTED });
  const connection = await Connection.open(store.url);
  const reads: number[] = [];
  // All over the place, so that hardly anything is read twice.
  const idAt = (at: number): string => `work-${(Math.abs(at) * 7919) % CAPSULES}`;
  for (let at = 0; at < READS; at++) await linkTo(connection, idAt(at), store.manyKey);
  for (let at = -100; at < READS; at++) {
    const id = idAt(at);
    const body = { subject_kind: 'thread', subject_id: id, view: 'startup', allow_fallback: true };
    const took = await timed(connection, rawRequest('POST', '/v1/continuity/read', body, store.manyKey));
    if (at >= 0) reads.push(took);
  }
  const lists: number[] = [];
  const list = rawRequest('POST', '/v1/continuity/list', { sort: 'salience' }, store.listedKey);
  for (let at = -10; at < LISTS; at++) {
    const took = await timed(connection, list);
    if (at >= 0) lists.push(took);
  }
  connection.close();
  await store.close();
  return { reads, lists };
}

/** A task and a reminder, for the sections of a startup read. */
async function linkTo(connection: Connection, thread: string, key: string): Promise<void> {
  const task = { task_id: `of-${thread}`, title: 't', owner_peer: 'self', thread_id: thread };
  await json(connection.request(rawRequest('POST', '/v1/tasks', task, key)));
  const due = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)}Z`;
  const item = { kind: 'reminder', title: 't', due_at: due, thread_id: thread };
  await json(connection.request(rawRequest('POST', '/v1/schedule/items', item, key)));
}

/** Microseconds from a parsed request to a capsule that every rule has passed. */
function validation(): number {
  const check = compiled(continuityCapsule);
  const { capsule } = JSON.parse(upsertText('checked')) as { capsule: unknown };
  const rounds: number[] = [];
  for (let at = -3; at < 9; at++) {
    const start = performance.now();
    for (let count = 0; count < CHECKS; count++) {
      const { data } = check(capsule);
      if (!data) throw new Error('the capsule does not fit its schema');
      checkCapsule(capsuleFrom(data), refuseFirst);
    }
    if (at >= 0) rounds.push(((performance.now() - start) * 1000) / CHECKS);
  }
  return median(rounds);
}
