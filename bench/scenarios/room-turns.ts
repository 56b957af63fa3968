import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@parley/server/platform/database/migrations';
import { openDatabase, SQLITE_FILE } from '@parley/server/platform/database/open-database';
import { openSqliteHandle } from '@parley/server/platform/database/sqlite/binding';
import { roomMigrations } from '@parley/server/rooms/migrations';
import { Connection } from '../load/connection.ts';
import { type BenchRoom, contextRequest, openRoom, registerAgent, takeTurn } from '../load/room.ts';
import { startParley } from '../load/server-process.ts';
import { atLeast, atMost, median, round, type ScenarioResult } from '../result.ts';
import { UNLIMITED } from './unlimited.ts';

const ROOMS = 200;
const TURNS_PER_SLICE = 6;
const SLICES = 10;
const BATCH = 32;
const SHORT_ROOM = 10;
const LONG_ROOM = 1_000;
const TEXT = 'How long may a tide entry live? I say one day. '.repeat(8);

/** Turns over HTTP, each durable before it is answered, against inserting the same rows by hand in batches. */
export async function roomTurns(): Promise<ScenarioResult> {
  const server = await startParley(UNLIMITED);
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const byHand = await handWrittenLoop(dataDir);
  try {
    const table = await setTable(server.url);
    const slices: { turns: number; hand: number }[] = [];
    for (let slice = -1; slice < SLICES; slice++) {
      const handFirst = slice % 2 === 0;
      const early = handFirst ? byHand.run() : 0;
      const turns = await table.play();
      const hand = handFirst ? early : byHand.run();
      // The first slice only warms up.
      if (slice >= 0) slices.push({ turns, hand });
    }
    const context = await contextCost(server.url);
    table.close();
    const rate = (value: number): string => Math.round(value).toLocaleString('en');
    return {
      name: `rooms: turns in ${ROOMS} rooms (SQLite, WAL, synchronous=FULL)`,
      rows: [
        { label: 'accepted turns per second', value: rate(median(slices.map(({ turns }) => turns))) },
        {
          label: `the rows of a turn by hand, ${BATCH} turns in a transaction, per second`,
          value: rate(median(slices.map(({ hand }) => hand))),
        },
        { label: `/context with ${SHORT_ROOM} turns, ms`, value: String(round(context.short, 3)) },
        { label: `/context with ${LONG_ROOM} turns, ms`, value: String(round(context.long, 3)) },
      ],
      checks: [
        atLeast('turns / rows by hand', round(median(slices.map(({ turns, hand }) => turns / hand))), 0.3),
        atMost(`/context with ${LONG_ROOM} turns against ${SHORT_ROOM}`, round(context.ratio), 1.1),
      ],
    };
  } finally {
    byHand.close();
    rmSync(dataDir, { recursive: true, force: true });
    await server.stop();
  }
}

/** A connection for each room, all taking turns at once. */
async function setTable(url: string): Promise<{ play: () => Promise<number>; close: () => void }> {
  const connections = await Promise.all(Array.from({ length: ROOMS }, () => Connection.open(url)));
  const rooms: BenchRoom[] = [];
  for (const [at, connection] of connections.entries()) {
    const agents = [
      await registerAgent(connection, `a ${at}`),
      await registerAgent(connection, `b ${at}`),
    ] as const;
    rooms.push(await openRoom(connection, agents));
  }
  let turn = 0;
  return {
    async play() {
      const start = performance.now();
      await Promise.all(
        connections.map(async (connection, at) => {
          const room = rooms[at];
          if (!room) return;
          for (let next = turn; next < turn + TURNS_PER_SLICE; next++)
            await takeTurn(connection, room, next, TEXT);
        }),
      );
      turn += TURNS_PER_SLICE;
      return (ROOMS * TURNS_PER_SLICE * 1000) / (performance.now() - start);
    },
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

/** What a turn leaves in the store, inserted with nothing around it. Returns turns per second. */
async function handWrittenLoop(dataDir: string): Promise<{ run: () => number; close: () => void }> {
  const database = await openDatabase({ dataDir });
  await migrate(database, [roomMigrations], () => 0);
  await database.close();
  const handle = openSqliteHandle(join(dataDir, SQLITE_FILE), { readOnly: false });
  for (const pragma of [
    'journal_mode = WAL',
    'synchronous = FULL',
    'foreign_keys = ON',
    'cache_size = -32000',
  ]) {
    handle.exec(`PRAGMA ${pragma}`);
  }
  const begin = handle.prepare('BEGIN IMMEDIATE');
  const message = handle.prepare(
    'INSERT INTO room_messages (room_id, turn, id, sender, sealed_text, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const event = handle.prepare(
    'INSERT INTO room_events (room_id, prev, type, created_at, sender, turn) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const delivery = handle.prepare(
    `INSERT INTO room_deliveries (id, agent, prev, room_id, type, status, turn, next_actor, room_state, reason,
       created_at, expires_at) VALUES (?, ?, ?, ?, 'room.turn_ready', 'superseded', ?, ?, 'ACTIVE', 'peer_message', ?, ?)`,
  );
  const commit = handle.prepare('COMMIT');
  const sealed = `v1.${'x'.repeat(Math.ceil(((TEXT.length + 28) * 4) / 3))}`;
  let made = 0;
  const insertTurn = (): void => {
    const room = `room_${String(made % ROOMS).padStart(16, '0')}`;
    const agent = `agent${String(made % (2 * ROOMS)).padStart(7, '0')}`;
    const turn = Math.floor(made / ROOMS);
    const name = String(made).padStart(16, '0');
    message.run(room, turn, `msg_${name}`, agent, sealed, made);
    event.run(room, made, 'message.created', made, agent, turn);
    delivery.run(`dly_${name}`, agent, made, room, turn, agent, made, made);
    made += 1;
  };
  return {
    run() {
      const start = performance.now();
      const turns = ROOMS * TURNS_PER_SLICE;
      for (let done = 0; done < turns; ) {
        begin.run();
        for (const end = Math.min(turns, done + BATCH); done < end; done++) insertTurn();
        commit.run();
      }
      return (turns * 1000) / (performance.now() - start);
    },
    close: () => handle.close(),
  };
}

const CONTEXT_READS = 400;

/** The median time of `/context` in a short and in a long room, read in turn. */
async function contextCost(url: string): Promise<{ short: number; long: number; ratio: number }> {
  const connection = await Connection.open(url);
  const agents = [
    await registerAgent(connection, 'reader'),
    await registerAgent(connection, 'writer'),
  ] as const;
  const rooms = { short: await openRoom(connection, agents), long: await openRoom(connection, agents) };
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
  const [short, long] = [median(times.short), median(times.long)];
  return { short, long, ratio: long / short };
}
