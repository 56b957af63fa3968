import { closedLoop, type LoopResult } from './closed-loop.ts';
import { Connection, rawRequest } from './connection.ts';
import { copyStore, type WriteByHand } from './fill/by-hand.ts';
import { createAgent, json, registerOwner, sendRequest } from './mail.ts';
import { writeMessages } from './fill/mail-table.ts';
import { FIRST, timeOf, upsertText, writeCapsules } from './fill/memory-table.ts';
import { type BenchRoom, messageRequest, openRoom, readContext, registerAgent, speakerOf } from './room.ts';
import { type Seat, writeTurns } from './fill/room-table.ts';
import type { ParleyProcess } from './server-process.ts';

/** One of the busiest requests, as 32 clients send it. */
export interface Path {
  /** What a bare server gets, and sends back: as large as the request, or as the answer where there is no body. */
  readonly echo: string;
  /** Everyone sends as fast as the answers come, for about `ms`. */
  play(ms: number): Promise<LoopResult>;
  /** The same rows by hand, on a copy of the store. Undefined where nothing is written. */
  readonly byHand?: WriteByHand;
  close(): void;
}

export type PathMaker = (server: ParleyProcess, connections: readonly Connection[]) => Promise<Path>;

const TEXT = 'How long may a tide entry live? I say one day. '.repeat(8);
/** Rooms of each connection: so many turns are taken before fresh snapshots are needed. */
const ROOMS_EACH = 12;
const MOST_TURNS = 1000;

export const whoami: PathMaker = async (_server, connections) => {
  const owner = await registerOwner(first(connections));
  const raw = rawRequest('GET', '/v1/whoami', undefined, owner.key);
  const answer = await json<object>(first(connections).request(raw));
  return {
    echo: rawRequest('POST', '/', answer),
    play: (ms) => closedLoop(connections, () => raw, ms),
    close: () => undefined,
  };
};

/** Each client to an agent of its own, which reads its box some other time. */
export const messages: PathMaker = async (server, connections) => {
  const requests: string[] = [];
  for (const connection of connections) {
    const owner = await registerOwner(connection);
    await createAgent(connection, owner, { slug: 'box' });
    const raw = sendRequest(owner, { to: 'box', from: 'box', body: TEXT });
    await json(connection.request(raw));
    requests.push(raw);
  }
  const copy = copyStore(server.dataDir);
  return {
    echo: rawRequest('POST', '/', { to: 'box', from: 'box', body: TEXT }),
    play: (ms) => closedLoop(connections, (index) => requests[index] ?? '', ms),
    byHand: writeMessages(copy),
    close: () => copy.close(),
  };
};

export const upserts: PathMaker = async (server, connections) => {
  const owner = await registerOwner(first(connections));
  const clients = connections.map((_, at) => {
    const raw = rawRequest('POST', '/v1/continuity/upsert', JSON.parse(upsertText(`work-${at}`)), owner.key);
    let count = 0;
    return () => raw.replaceAll(FIRST, timeOf(count++));
  });
  for (const [at, connection] of connections.entries()) await json(connection.request(clients[at]?.() ?? ''));
  const copy = copyStore(server.dataDir);
  return {
    echo: rawRequest('POST', '/', JSON.parse(upsertText('work-0'))),
    play: (ms) => closedLoop(connections, (index) => clients[index]?.() ?? '', ms),
    byHand: writeCapsules(copy),
    close: () => copy.close(),
  };
};

/** The snapshots that a turn needs are fetched before the time is taken. */
export const turns: PathMaker = async (server, connections) => {
  const pairs = await Promise.all(
    connections.map(async (one) => [await registerAgent(one, 'a'), await registerAgent(one, 'b')] as const),
  );
  const openTables = (): Promise<BenchRoom[][]> =>
    Promise.all(
      pairs.map(async (agents, at) => {
        const rooms: BenchRoom[] = [];
        for (let count = 0; count < ROOMS_EACH; count++)
          rooms.push(await openRoom(connections[at] ?? first(connections), agents, MOST_TURNS));
        return rooms;
      }),
    );
  let tables = await openTables();
  const seats: Seat[] = tables.flat().map(({ id, agents: [one, other] }) => ({
    id,
    agents: [suffixOf(one.id), suffixOf(other.id)],
  }));
  const copy = copyStore(server.dataDir);
  const write = writeTurns(copy, seats);
  let turn = 0;
  const round = async (): Promise<LoopResult> => {
    // The last turn closes a room.
    if (turn === MOST_TURNS - 1) {
      tables = await openTables();
      turn = 0;
    }
    const requests = await Promise.all(
      connections.map(async (connection, at) => {
        const ready: string[] = [];
        for (const room of tables[at] ?? []) {
          const agent = speakerOf(room, turn);
          ready.push(messageRequest(room, agent, await readContext(connection, room, agent), TEXT));
        }
        return ready;
      }),
    );
    turn += 1;
    const latencies: number[] = [];
    const start = performance.now();
    await Promise.all(
      connections.map(async (connection, at) => {
        for (const raw of requests[at] ?? []) {
          const asked = performance.now();
          await json(connection.request(raw));
          latencies.push(performance.now() - asked);
        }
      }),
    );
    return { perSecond: (latencies.length * 1000) / (performance.now() - start), latencies };
  };
  return {
    echo: rawRequest('POST', '/', { expected_turn: 100, ciphertext: TEXT, bundle_hash: 'x'.repeat(64) }),
    async play(ms) {
      const rounds: LoopResult[] = [];
      for (let spent = 0; spent < ms; ) {
        const one = await round();
        rounds.push(one);
        spent += (one.latencies.length * 1000) / one.perSecond;
      }
      const latencies = rounds.flatMap((one) => one.latencies);
      const seconds = rounds.reduce((sum, one) => sum + one.latencies.length / one.perSecond, 0);
      return { perSecond: latencies.length / seconds, latencies };
    },
    byHand: (_total, batch) => write(TEXT, batch),
    close: () => copy.close(),
  };
};

function first(connections: readonly Connection[]): Connection {
  const [connection] = connections;
  if (!connection) throw new Error('there is no connection');
  return connection;
}

const suffixOf = (id: string): string => id.slice(id.lastIndexOf('_') + 1);
