import { Connection } from '../load/connection.ts';
import { type BenchRoom, contextRequest, openRoom, registerAgent, takeTurn } from '../load/room.ts';
import { setRoomTable } from '../load/fill/room-table.ts';
import { startParley } from '../load/server-process.ts';
import { atLeast, atMost, median, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const ROOMS = 200;
const ROUNDS = 40;
const WARM_UP = 10;
const BATCH = 32;
const HTTP_TURNS = 20;
const SHORT_ROOM = 10;
const LONG_ROOM = 1_000;
const CONTEXT_READS = 400;
const TEXT = 'How long may a tide entry live? I say one day. '.repeat(8);

/** Turns, each durable before it is answered, against writing the same rows by hand; and what `/context` costs. */
export async function roomTurns(): Promise<ScenarioResult> {
  const rounds = await interleave();
  const server = await startParley(UNLIMITED);
  const http = await turnsOverHttp(server.url);
  const context = await contextCost(server.url);
  await server.stop();
  return {
    name: `rooms: turns in ${ROOMS} rooms at once (SQLite, WAL, synchronous=FULL)`,
    rows: [
      {
        label: 'accepted turns per second, in the process',
        value: rate(median(rounds.map(({ turns }) => turns))),
      },
      {
        label: `the rows of a turn by hand, ${BATCH} turns in a transaction, per second`,
        value: rate(median(rounds.map(({ hand }) => hand))),
      },
      { label: 'turns per second over HTTP, each with a fresh /context before it', value: rate(http) },
      { label: `/context with ${SHORT_ROOM} turns, ms`, value: String(round(context.short, 3)) },
      { label: `/context with ${LONG_ROOM} turns, ms`, value: String(round(context.long, 3)) },
    ],
    checks: [
      atLeast('turns / rows by hand', round(median(rounds.map(({ turns, hand }) => turns / hand))), 0.3),
      // Equal but for noise.
      atMost(
        `/context with ${LONG_ROOM} turns against ${SHORT_ROOM}`,
        round(context.long / context.short),
        1.1,
      ),
    ],
  };
}

const rate = (value: number): string => Math.round(value).toLocaleString('en');

/** Both take turns, in changing order, so that a busy moment of the machine does not favour one of them. */
async function interleave(): Promise<{ turns: number; hand: number }[]> {
  const table = await setRoomTable(ROOMS);
  const rounds: { turns: number; hand: number }[] = [];
  for (let at = -WARM_UP; at < ROUNDS; at++) {
    const handFirst = at % 2 === 0;
    const early = handFirst ? table.write(TEXT, BATCH) : 0;
    const turns = await table.play(TEXT);
    const hand = handFirst ? early : table.write(TEXT, BATCH);
    if (at >= 0) rounds.push({ turns, hand });
  }
  await table.close();
  return rounds;
}

/** A connection for each room, all talking at once. */
async function turnsOverHttp(url: string): Promise<number> {
  const connections = await Promise.all(Array.from({ length: ROOMS }, () => Connection.open(url)));
  const seats: { connection: Connection; room: BenchRoom }[] = [];
  for (const [at, connection] of connections.entries()) {
    const agents = [
      await registerAgent(connection, `a ${at}`),
      await registerAgent(connection, `b ${at}`),
    ] as const;
    seats.push({ connection, room: await openRoom(connection, agents) });
  }
  const talk = (from: number, to: number): Promise<unknown> =>
    Promise.all(
      seats.map(async ({ connection, room }) => {
        for (let turn = from; turn < to; turn++) await takeTurn(connection, room, turn, TEXT);
      }),
    );
  await talk(0, WARM_UP);
  const start = performance.now();
  await talk(WARM_UP, WARM_UP + HTTP_TURNS);
  const perSecond = (ROOMS * HTTP_TURNS * 1000) / (performance.now() - start);
  for (const connection of connections) connection.close();
  return perSecond;
}

/** The median time of `/context` in a short and in a long room, read by turns. */
async function contextCost(url: string): Promise<{ short: number; long: number }> {
  const connection = await Connection.open(url);
  const agents = [
    await registerAgent(connection, 'reader'),
    await registerAgent(connection, 'writer'),
  ] as const;
  const rooms = {
    short: await openRoom(connection, agents, LONG_ROOM),
    long: await openRoom(connection, agents, LONG_ROOM),
  };
  for (let turn = 0; turn < SHORT_ROOM; turn++) await takeTurn(connection, rooms.short, turn, TEXT);
  // One turn before the last, which would close the room.
  for (let turn = 0; turn < LONG_ROOM - 1; turn++) await takeTurn(connection, rooms.long, turn, TEXT);
  const times = { short: [] as number[], long: [] as number[] };
  for (let read = 0; read < 2 * CONTEXT_READS; read++) {
    const side = read % 2 === 0 ? 'short' : 'long';
    const start = performance.now();
    const { status } = await connection.request(contextRequest(rooms[side], agents[0]));
    times[side].push(performance.now() - start);
    if (status !== 200) throw new Error(`unexpected answer ${status}`);
  }
  connection.close();
  return { short: median(times.short), long: median(times.long) };
}
