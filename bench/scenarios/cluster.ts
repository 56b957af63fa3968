import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '@parley/server/config/load';
import { createContext } from '@parley/server/context';
import { createLog } from '@parley/server/platform/log';
import { openBareAppend } from '../load/bare-append.ts';
import { openChannel, sendRequest } from '../load/channel.ts';
import { closedLoop } from '../load/closed-loop.ts';
import { Connection, rawRequest } from '../load/connection.ts';
import { createAgent, json, OfferListener, registerOwner, send } from '../load/mail.ts';
import { setPostgresMail } from '../load/mail-on-postgres.ts';
import { CROWD, connectionsUnderLoad } from '../load/node-connections.ts';
import { startStores, startTwoNodes, type Stores } from '../load/two-nodes.ts';
import type { ServerProcess } from '../load/server-process.ts';
import { atLeast, atMost, median, percentile, round, type ScenarioResult } from '../result.ts';

const SENDERS = 32;
const EACH = 20;
const ROUNDS = 9;
const WARM_UP = 30;
const WAKES = 300;
const OUTSTANDING = 256;
const CHANNELS = 32;
const SLICE_MS = 1000;
/** Until a poll has found nothing and waits. */
const PARK_MS = 20;
const TEXT = 'x'.repeat(400);

/** What a node on PostgreSQL and Redis adds to what these two take themselves. */
export async function cluster(): Promise<ScenarioResult> {
  const accepted = await withStores(acceptRounds);
  const channels = await withStores(channelRounds);
  const nodes = await withStores(betweenNodes);
  const { connections, rounds } = accepted;
  return {
    name: 'cluster: nodes on PostgreSQL (fsync on) and Redis',
    rows: [
      {
        label: `accepted messages per second of one node, ${SENDERS} senders, in the process`,
        value: rate(median(rounds.map((one) => one.sent))),
      },
      {
        label: `their rows by hand, ${connections} connections as the node has, a transaction for each, per second`,
        value: rate(median(rounds.map((one) => one.hand))),
      },
      { label: 'POST at one node to offer at another, ms (p50 / p99)', value: spread(nodes.offers) },
      { label: 'POST at one node to poll answered at another, ms (p50 / p99)', value: spread(nodes.polls) },
      {
        label: `channel sends per second, ${OUTSTANDING} under way, in the process`,
        value: rate(median(channels.map((one) => one.sent))),
      },
      {
        label: `bare Lua append per second, ${OUTSTANDING} under way`,
        value: rate(median(channels.map((one) => one.bare))),
      },
      { label: `channel sends per second over HTTP, ${CHANNELS} connections`, value: rate(nodes.httpSends) },
      {
        label: `most PostgreSQL connections of each node while ${CROWD} clients send to it`,
        value: nodes.connections.join(', '),
      },
    ],
    checks: [
      atLeast('messages / rows by hand', median(rounds.map((one) => one.sent / one.hand)), 0.5),
      atMost('POST at one node to offer at another, p50, ms', round(median(nodes.offers)), 10),
      atMost('POST at one node to offer at another, p99, ms', round(percentile(nodes.offers, 0.99)), 50),
      atMost('POST at one node to poll answered at another, p50, ms', round(median(nodes.polls)), 10),
      atMost(
        'POST at one node to poll answered at another, p99, ms',
        round(percentile(nodes.polls, 0.99)),
        50,
      ),
      atLeast('channel sends / bare Lua append', median(channels.map((one) => one.sent / one.bare)), 0.5),
      atMost('PostgreSQL connections of a node', Math.max(...nodes.connections), 20),
    ],
  };
}

const rate = (value: number): string => Math.round(value).toLocaleString('en');
const spread = (values: readonly number[]): string =>
  `${round(median(values))} / ${round(percentile(values, 0.99))}`;

async function withStores<Result>(work: (stores: Stores) => Promise<Result>): Promise<Result> {
  const stores = await startStores();
  try {
    return await work(stores);
  } finally {
    await stores.stop();
  }
}

/** Both take turns, in changing order, so that a busy moment of the machine does not favour one of them. */
async function inTurns<Name extends string>(
  first: readonly [Name, () => Promise<number>],
  second: readonly [Name, () => Promise<number>],
): Promise<Record<Name, number>[]> {
  const rounds: Record<Name, number>[] = [];
  for (let at = -1; at < ROUNDS; at++) {
    const made: Partial<Record<Name, number>> = {};
    for (const [name, run] of at % 2 === 0 ? [first, second] : [second, first]) made[name] = await run();
    // The first round only warms up.
    if (at >= 0) rounds.push(made as Record<Name, number>);
  }
  return rounds;
}

async function acceptRounds({ postgres }: Stores) {
  const mail = await setPostgresMail(postgres, SENDERS, TEXT);
  const rounds = await inTurns<'sent' | 'hand'>(
    ['sent', () => mail.play(EACH)],
    ['hand', () => mail.write(SENDERS * EACH)],
  );
  await mail.close();
  return { connections: mail.connections, rounds };
}

/** The server's own store of channels and a bare script, each with as many calls under way. */
async function channelRounds({ postgres, redis }: Stores) {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const context = await createContext(
    {
      ...config,
      dataDir,
      databaseUrl: postgres,
      redisUrl: redis,
      rateLimits: false,
      chMaxMessages: 100_000_000,
      chMaxBytes: 100_000_000_000,
      chGlobalMaxBytes: 100_000_000_000,
    },
    { log },
  );
  const seats: { channelId: string; token: string; participantId: string }[] = [];
  for (let at = 0; at < CHANNELS; at++) {
    const { channelId, token } = await context.channels.create('127.0.0.1');
    const { participantId } = await context.channels.join(channelId, {
      token,
      name: 'a',
      keyFp: undefined,
      resume: undefined,
    });
    seats.push({ channelId, token, participantId });
  }
  const bare = await openBareAppend(redis, TEXT);
  const rounds = await inTurns<'sent' | 'bare'>(
    [
      'sent',
      () =>
        perSecond(async (at) => {
          const seat = seats[at % CHANNELS];
          if (seat) await context.channels.send(seat.channelId, { ...seat, text: TEXT, clientId: undefined });
        }),
    ],
    ['bare', () => perSecond((at) => bare.append(at % CHANNELS))],
  );
  bare.close();
  await context.close();
  rmSync(dataDir, { recursive: true, force: true });
  return rounds;
}

/** So many under way, each followed by the next, for a slice. */
async function perSecond(one: (at: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  const end = start + SLICE_MS;
  let done = 0;
  await Promise.all(
    Array.from({ length: OUTSTANDING }, async (_, at) => {
      for (; performance.now() < end; done++) await one(at);
    }),
  );
  return (done * 1000) / (performance.now() - start);
}

interface BetweenNodes {
  readonly offers: number[];
  readonly polls: number[];
  readonly httpSends: number;
  readonly connections: number[];
}

async function betweenNodes(stores: Stores): Promise<BetweenNodes> {
  const nodes = await startTwoNodes(stores);
  try {
    const offers = await offerTimes(nodes);
    const polls = await pollTimes(nodes);
    const httpSends = await sendsOverHttp(nodes[0]);
    return { offers, polls, httpSends, connections: await connectionsUnderLoad(stores, nodes) };
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

type Nodes = readonly [ServerProcess, ServerProcess];

async function offerTimes([here, there]: Nodes): Promise<number[]> {
  const connection = await Connection.open(here.url);
  const owner = await registerOwner(connection);
  await createAgent(connection, owner, { slug: 'app', delivery_capabilities: ['live', 'inbox'] });
  const session = { label: 'main', task_name: 'app-live' };
  await json(connection.request(rawRequest('POST', '/v1/agents/app/live-sessions', session, owner.key)));
  const path = '/v1/agents/app/live-sessions/main/stream';
  const monitor = await OfferListener.open(there.url, path, owner.key);
  const times: number[] = [];
  for (let at = -WARM_UP; at < WAKES; at++) {
    const start = performance.now();
    const { id } = await send(connection, owner, { to: 'app', body: 'now', delivery_mode: 'live' });
    const came = await monitor.came(id);
    if (at >= 0) times.push(came - start);
    await json(connection.request(rawRequest('POST', `/v1/messages/${id}/ack`, {}, owner.key)));
  }
  monitor.close();
  connection.close();
  return times;
}

async function pollTimes([here, there]: Nodes): Promise<number[]> {
  const [sending, polling] = [await Connection.open(here.url), await Connection.open(there.url)];
  const owner = await registerOwner(sending);
  await createAgent(sending, owner, { slug: 'box' });
  const poll = rawRequest('GET', '/v1/agents/box/inbox?wait=25&delivery_state=queued', undefined, owner.key);
  const times: number[] = [];
  for (let at = -WARM_UP; at < WAKES; at++) {
    const answered = polling.request(poll).then((answer) => ({ answer, at: performance.now() }));
    await sleep(PARK_MS);
    const start = performance.now();
    const { id } = await send(sending, owner, { to: 'box', body: 'now' });
    const { answer, at: came } = await answered;
    if (!answer.body.includes(id)) throw new Error(`a parked poll was answered with ${answer.status}`);
    if (at >= 0) times.push(came - start);
    await json(sending.request(rawRequest('POST', `/v1/messages/${id}/ack`, {}, owner.key)));
  }
  sending.close();
  polling.close();
  return times;
}

async function sendsOverHttp({ url }: ServerProcess): Promise<number> {
  const connections = await Promise.all(Array.from({ length: CHANNELS }, () => Connection.open(url)));
  const sends: string[] = [];
  for (const connection of connections) sends.push(sendRequest(await openChannel(connection, 1), TEXT));
  const slices: number[] = [];
  for (let at = -1; at < 3; at++) {
    const { perSecond: found } = await closedLoop(connections, (index) => sends[index] ?? '', SLICE_MS);
    if (at >= 0) slices.push(found);
  }
  for (const connection of connections) connection.close();
  return median(slices);
}
