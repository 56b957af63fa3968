import type { Reader, Tx } from '../../platform/database/database.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const messageTable = table('room_messages', {
  roomId: column<string>(),
  turn: column<number>(),
  id: column<string>(),
  sender: column<string>(),
  sealedText: column<string>(),
  createdAt: column<number>(),
});

export type StoredMessage = RowOf<typeof messageTable>;

/** False when the turn has been taken already. */
export async function insertRoomMessage(tx: Tx, message: StoredMessage): Promise<boolean> {
  return await tx.affects(messageTable.insertNew(message));
}

/** The newest messages before a turn, oldest first: as many as asked for, however long the room is. */
export async function recentMessages(
  reader: Reader,
  roomId: string,
  beforeTurn: number,
  limit: number,
): Promise<StoredMessage[]> {
  const rows = await reader.all<StoredMessage>(messageTable.select`
    WHERE room_id = ${roomId} AND turn < ${beforeTurn} ORDER BY turn DESC LIMIT ${limit}`);
  return rows.toReversed();
}

export function allMessages(reader: Reader, roomId: string, beforeTurn: number): Promise<StoredMessage[]> {
  return reader.all<StoredMessage>(messageTable.select`
    WHERE room_id = ${roomId} AND turn < ${beforeTurn} ORDER BY turn`);
}

const sendTable = table('room_idempotency', {
  roomId: column<string>(),
  agent: column<string>(),
  key: column<string>(),
  bodyHash: column<string>(),
  answer: column<string>(),
});

const remembered = sendTable.pick('bodyHash', 'answer');
type RememberedSend = RowOf<typeof remembered>;

export function findRememberedSend(
  reader: Reader,
  roomId: string,
  agent: string,
  key: string,
): Promise<RememberedSend | undefined> {
  return reader.get<RememberedSend>(
    remembered.select`WHERE room_id = ${roomId} AND agent = ${agent} AND key = ${key}`,
  );
}

export async function rememberSend(tx: Tx, send: RowOf<typeof sendTable>): Promise<void> {
  await tx.run(sendTable.insert(send));
}
