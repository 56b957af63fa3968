import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createListing } from '@parley/protocol/rooms/schemas';
import { loadConfig } from '@parley/server/config/load';
import { createContext } from '@parley/server/context';
import type { SqliteHandle } from '@parley/server/platform/database/sqlite/binding';
import { createLog } from '@parley/server/platform/log';
import { sendInRoom } from '@parley/server/rooms/conversation/messages';
import { connectListing, openListing } from '@parley/server/rooms/listings/listings';
import { copyStore, inBatches } from './by-hand.ts';
import { registerAgent } from '@parley/server/identity/owners/registration';
import { readContext } from '@parley/server/rooms/conversation/context';

/** Many rooms of the real service on a temporary SQLite store, and a copy of that store to write to by hand. */
export interface RoomTable {
  /** Everyone takes one turn at once; returns accepted turns per second. Snapshots are fetched beforehand. */
  play(text: string): Promise<number>;
  /** Writes the rows of one turn in every room, so many in a transaction; returns turns per second. */
  write(text: string, batch: number): number;
  close(): Promise<void>;
}

export async function setRoomTable(count: number): Promise<RoomTable> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const { config } = loadConfig({ cwd: dataDir });
  const log = createLog({ level: 'error', secretPrefixes: [], stream: { write: () => undefined } });
  const context = await createContext({ ...config, dataDir, rateLimits: false }, { log });
  const { identity } = context;
  const { service: rooms } = context.rooms;
  const agent = async (name: string): Promise<string> => (await registerAgent(identity, name)).agent.suffix;
  const table: Seat[] = [];
  for (let at = 0; at < count; at++) {
    const agents = [await agent(`a ${at}`), await agent(`b ${at}`)] as const;
    const wanted = createListing.parse({
      topic: 'Plan a tide-table cache',
      max_turns: 1000,
      ttl_seconds: 86_400,
    });
    const listing = await openListing(rooms, agents[0], wanted);
    await connectListing(rooms, listing.id, agents[1]);
    table.push({ id: listing.room_id, agents });
  }
  const hand = copyStore(dataDir);

  let turn = 0;
  return {
    async play(text) {
      const speaker = ({ agents }: Seat): string => agents[turn % 2 === 0 ? 0 : 1];
      const sends = await Promise.all(
        table.map(async (seat) => ({
          roomId: seat.id,
          agent: speaker(seat),
          expected_turn: turn,
          ciphertext: text,
          bundle_hash: (await readContext(rooms, seat.id, speaker(seat))).bundle_hash,
          idempotencyKey: undefined,
        })),
      );
      const start = performance.now();
      await Promise.all(sends.map((send) => sendInRoom(rooms, send)));
      turn += 1;
      return (count * 1000) / (performance.now() - start);
    },
    write: writeTurns(hand, table),
    async close() {
      hand.close();
      await context.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export interface Seat {
  readonly id: string;
  readonly agents: readonly [string, string];
}

/** Every row that a turn inserts or changes, with prepared statements and nothing else around them. */
export function writeTurns(handle: SqliteHandle, table: readonly Seat[]): RoomTable['write'] {
  const message = handle.prepare(
    'INSERT INTO room_messages (room_id, turn, id, sender, sealed_text, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const supersede = handle.prepare(
    `UPDATE room_deliveries SET status = 'superseded'
     WHERE room_id = ? AND status = 'pending' AND type = 'room.turn_ready'`,
  );
  const delivery = handle.prepare(
    `INSERT INTO room_deliveries (id, agent, prev, room_id, type, status, turn, next_actor, room_state, reason,
       created_at, expires_at) VALUES (?, ?, ?, ?, 'room.turn_ready', 'pending', ?, ?, 'ACTIVE', 'peer_message', ?, ?)`,
  );
  const event = handle.prepare(
    'INSERT INTO room_events (room_id, prev, type, created_at, sender, turn) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const room = handle.prepare(
    'UPDATE rooms SET turn_index = ?, next_actor = ?, turn_started_at = ?, last_event = ? WHERE id = ?',
  );
  let turn = 0;
  let made = 0;
  const writeTurn = ({ id, agents }: Seat, name: string, sealed: string): void => {
    const [sender, next] = turn % 2 === 0 ? agents : agents.toReversed();
    if (sender === undefined || next === undefined) return;
    const now = ++made;
    message.run(id, turn, `msg_${name}`, sender, sealed, now);
    supersede.run(id);
    delivery.run(`dly_${name}`, next, now, id, turn + 1, next, now, now);
    event.run(id, now, 'message.created', now, sender, turn);
    room.run(turn + 1, next, now, now, id);
  };
  return (text, batch) => {
    const sealed = `v1.${'x'.repeat(Math.ceil(((text.length + 28) * 4) / 3))}`;
    const names = table.map(() => randomBytes(12).toString('base64url'));
    const run = inBatches(handle, (at) => {
      const seat = table[at];
      if (seat) writeTurn(seat, names[at] ?? '', sealed);
    });
    const perSecond = run(table.length, batch);
    turn += 1;
    return perSecond;
  };
}
