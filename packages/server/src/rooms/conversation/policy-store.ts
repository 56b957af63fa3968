import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export async function blockedUntil(reader: Reader, agent: string): Promise<number | undefined> {
  return await reader.value<number>(sql`
    SELECT blocked_until AS until FROM room_policy_blocks WHERE agent = ${agent}`);
}

export async function insertRefusal(tx: Tx, agent: string, now: number): Promise<void> {
  await tx.run(sql`INSERT INTO room_policy_refusals (agent, refused_at) VALUES (${agent}, ${now})`);
}

export async function countRefusals(reader: Reader, agent: string, since: number): Promise<number> {
  return await reader.total(sql`
    SELECT COUNT(*) AS refusals FROM room_policy_refusals WHERE agent = ${agent} AND refused_at > ${since}`);
}

export async function forgetRefusals(tx: Tx, agent: string, until: number): Promise<void> {
  await tx.run(sql`DELETE FROM room_policy_refusals WHERE agent = ${agent} AND refused_at <= ${until}`);
}

export async function saveBlock(tx: Tx, agent: string, until: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO room_policy_blocks (agent, blocked_until) VALUES (${agent}, ${until})
    ON CONFLICT (agent) DO UPDATE SET blocked_until = excluded.blocked_until`);
}
