import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const echoTable = table('echoes', {
  token_hash: column<string>(),
  payload: column<string>(),
  headers: column<string>(),
  received_at: column<number>(),
});

export type EchoRow = RowOf<typeof echoTable>;

/** The latest under a token stands. */
export const putEcho = echoTable.upsert('token_hash');

export function echoOf(reader: Reader, tokenHash: string, since: number): Promise<EchoRow | undefined> {
  return reader.get<EchoRow>(echoTable.select`WHERE token_hash = ${tokenHash} AND received_at > ${since}`);
}

export async function countEchoes(reader: Reader): Promise<number> {
  return await reader.total(sql`SELECT count(*) AS n FROM echoes`);
}

export async function forgetEchoes(tx: Tx, before: number): Promise<void> {
  await tx.run(sql`DELETE FROM echoes WHERE received_at <= ${before}`);
}
