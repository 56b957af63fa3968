import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, rawRequest } from '../load/connection.ts';
import { createAgent, json, type MailOwner, registerOwner } from '../load/mail.ts';
import { type ParleyProcess, startParley } from '../load/server-process.ts';
import { atMost, median, percentile, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const DUE_TOGETHER = 1000;
const FEW = 100;
const MANY = 100_000;
const CREATES = 300;
const CONNECTIONS = 16;
const LOOK_EVERY_MS = 5;
const IDLE_MS = 10_000;

/** Cues that fall due in the same moment, and many that do not. */
export async function cues(): Promise<ScenarioResult> {
  const server = await startParley(UNLIMITED);
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => Connection.open(server.url)),
  );
  const [first] = connections;
  if (!first) throw new Error('there is no connection');
  const crowd = await crowded(server, connections);
  const owner = await registerOwner(first);
  await fill(connections, owner, FEW);
  const few = await creates(first, owner);
  await fill(connections, owner, MANY - FEW - CREATES);
  const many = await creates(first, owner);
  const before = server.cpu();
  await sleep(IDLE_MS);
  const idle = server.cpu() - before;
  const alone = await lateness(first, owner, [once('alone', { worker: true })]);
  for (const connection of connections) connection.close();
  await server.stop();
  return {
    name: `cues: ${DUE_TOGETHER} due in the same moment, ${MANY} kept (SQLite, WAL, synchronous=FULL)`,
    rows: [
      ...crowd.map(({ kind, late }) => ({
        label: `${DUE_TOGETHER} ${kind}, seen by a client after ms (p50 / p99)`,
        value: `${round(median(late), 0)} / ${round(percentile(late, 0.99), 0)}`,
      })),
      { label: `create with ${FEW} kept, ms (p50 / p99)`, value: shown(few) },
      { label: `create with ${MANY} kept, ms (p50 / p99)`, value: shown(many) },
      { label: `one cue among ${MANY}, seen after ms`, value: String(round(alone[0] ?? Number.NaN, 0)) },
      {
        label: `processor time with ${MANY} kept, ${IDLE_MS / 1000} s without a fire, ms`,
        value: String(idle),
      },
    ],
    checks: [
      ...crowd.map(({ kind, late }) =>
        atMost(`${DUE_TOGETHER} ${kind}: p99 of lateness, ms`, round(percentile(late, 0.99), 0), 250),
      ),
      atMost(`create with ${MANY} against ${FEW} kept, p50`, round(median(many) / median(few)), 1.2),
      atMost(`processor time in ${IDLE_MS / 1000} idle seconds, ms`, idle, 50),
    ],
  };
}

const shown = (times: readonly number[]): string =>
  `${round(median(times))} / ${round(percentile(times, 0.99))}`;

interface Crowd {
  readonly kind: string;
  readonly late: readonly number[];
}

/** Each kind with an owner of its own, whose executions are counted. */
async function crowded({ url }: ParleyProcess, connections: readonly Connection[]): Promise<Crowd[]> {
  const [first = await Connection.open(url)] = connections;
  const found: Crowd[] = [];
  for (const [kind, target] of [
    ['for workers', { worker: true }],
    ['for an agent', { agent: 'sleeper' }],
  ] as const) {
    const owner = await registerOwner(first);
    await createAgent(first, owner, { slug: 'sleeper' });
    const bodies = Array.from({ length: DUE_TOGETHER }, (_, at) => once(`cue ${at}`, target));
    found.push({ kind, late: await lateness(first, owner, bodies, connections) });
  }
  return found;
}

type Body = Readonly<Record<string, unknown>>;

const once = (name: string, target: object): Body => ({ name, payload: { task: 'bench' }, ...target });

/** Makes cues for one moment; for each how long after that moment a client could see its execution. */
async function lateness(
  watcher: Connection,
  owner: MailOwner,
  bodies: readonly Body[],
  connections: readonly Connection[] = [watcher],
): Promise<number[]> {
  const moment = Math.ceil((Date.now() + 1000 + bodies.length * 8) / 1000) * 1000;
  const at = new Date(moment).toISOString();
  await create(
    connections,
    owner,
    bodies.map((body) => ({ ...body, at })),
  );
  if (Date.now() > moment) throw new Error('the cues were not made in time');
  const start = await count(watcher, owner);
  await sleep(moment - Date.now());
  const late: number[] = [];
  while (late.length < bodies.length) {
    const seen = (await count(watcher, owner)) - start;
    const after = Date.now() - moment;
    while (late.length < seen) late.push(after);
    await sleep(LOOK_EVERY_MS);
  }
  return late;
}

async function count(connection: Connection, { key }: MailOwner): Promise<number> {
  const request = rawRequest('GET', '/v1/executions?limit=1&source=cue', undefined, key);
  return (await json<{ total: number }>(connection.request(request))).total;
}

async function create(
  connections: readonly Connection[],
  { key }: MailOwner,
  bodies: readonly Body[],
): Promise<void> {
  const rest = bodies.values();
  await Promise.all(
    connections.map(async (connection) => {
      for (const body of rest) await json(connection.request(rawRequest('POST', '/v1/cues', body, key)));
    }),
  );
}

let made = 0;
const far = (): Body => {
  const at = new Date(Date.UTC(2090, 0, 1) + ((made * 7919) % MANY) * 1000).toISOString();
  return { name: `far ${++made}`, at, worker: true };
};

const fill = (connections: readonly Connection[], owner: MailOwner, cuesToMake: number): Promise<void> =>
  create(connections, owner, Array.from({ length: cuesToMake }, far));

async function creates(connection: Connection, owner: MailOwner): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < CREATES; at += 1) {
    const begun = performance.now();
    await create([connection], owner, [far()]);
    times.push(performance.now() - begun);
  }
  return times;
}
