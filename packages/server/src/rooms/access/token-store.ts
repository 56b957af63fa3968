import type { Credential } from '../../wire/caller.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const tokenTable = table('room_tokens', {
  roomId: column<string>(),
  agent: column<string>(),
  hash: column<string>(),
  expiresAt: column<number>(),
  /** What minted it, and ends it. */
  credentialKind: column<Credential['kind']>(),
  credentialId: column<string>(),
});

export type RoomTokenRow = RowOf<typeof tokenTable>;

const replaceToken = tokenTable.upsert('roomId', 'agent');

/** Takes the place of the token the agent had for this room. */
export async function putToken(tx: Tx, token: RoomTokenRow): Promise<void> {
  await tx.run(replaceToken(token));
}

/** Whose token it is; undefined when it is unknown, expired or revoked. */
export function findToken(reader: Reader, hash: string, now: number): Promise<RoomTokenRow | undefined> {
  return reader.get<RoomTokenRow>(
    tokenTable.select`WHERE hash = ${hash} AND expires_at > ${now} AND credential_id IS NOT NULL`,
  );
}

export async function deleteTokens(tx: Tx, roomId: string): Promise<void> {
  await tx.run(sql`DELETE FROM room_tokens WHERE room_id = ${roomId}`);
}
