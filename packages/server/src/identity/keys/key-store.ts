import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface KeyRow {
  readonly id: string;
  readonly owner_id: string;
  readonly agent_suffix: string | null;
  readonly prefix: string;
  readonly label: string | null;
  readonly scopes: string;
  readonly read_namespaces: string;
  readonly write_namespaces: string;
  readonly expires_at: number | null;
  readonly created_at: number;
  readonly last_used_at: number | null;
}

export async function insertKey(tx: Tx, key: KeyRow, hash: string): Promise<void> {
  await tx.run(sql`
    INSERT INTO api_keys (id, owner_id, agent_suffix, hash, prefix, label, scopes, read_namespaces,
      write_namespaces, expires_at, created_at)
    VALUES (${key.id}, ${key.owner_id}, ${key.agent_suffix}, ${hash}, ${key.prefix}, ${key.label}, ${key.scopes},
      ${key.read_namespaces}, ${key.write_namespaces}, ${key.expires_at}, ${key.created_at})`);
}

export function readKey(reader: Reader, ownerId: string, keyId: string): Promise<KeyRow | undefined> {
  return reader.get<KeyRow>(sql`
    SELECT id, owner_id, agent_suffix, prefix, label, scopes, read_namespaces, write_namespaces, expires_at,
      created_at, last_used_at
    FROM api_keys WHERE id = ${keyId} AND owner_id = ${ownerId} AND revoked_at IS NULL`);
}

export function listKeys(reader: Reader, ownerId: string, limit: number, offset: number): Promise<KeyRow[]> {
  return reader.all<KeyRow>(sql`
    SELECT id, owner_id, agent_suffix, prefix, label, scopes, read_namespaces, write_namespaces, expires_at,
      created_at, last_used_at
    FROM api_keys WHERE owner_id = ${ownerId} AND revoked_at IS NULL
    ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`);
}

export async function countKeys(reader: Reader, ownerId: string): Promise<number> {
  const row = await reader.get<{ total: number }>(sql`
    SELECT count(*) AS total FROM api_keys WHERE owner_id = ${ownerId} AND revoked_at IS NULL`);
  return row?.total ?? 0;
}

/** False when it is revoked already, or not this owner's. */
export async function markRevoked(
  tx: Tx,
  ownerId: string,
  keyId: string,
  { now, rotated }: { now: number; rotated: boolean },
): Promise<boolean> {
  const changed = await tx.run(sql`
    UPDATE api_keys SET revoked_at = ${now}, rotated = ${rotated ? 1 : 0}
    WHERE id = ${keyId} AND owner_id = ${ownerId} AND revoked_at IS NULL`);
  return changed === 1;
}

/** A later time that another node noted stays. */
/** By id, in Unix milliseconds. A later time that is stored stands. */
export async function setLastUsed(tx: Tx, times: ReadonlyMap<string, number>): Promise<void> {
  const used = JSON.stringify(Object.fromEntries(times));
  await tx.run(sql`
    UPDATE api_keys SET last_used_at = used.at
    FROM (SELECT key AS id, CAST(CAST(value AS text) AS bigint) AS at FROM json_each(${used})) AS used
    WHERE api_keys.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`);
}
