import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const keyTable = table('api_keys', {
  id: column<string>(),
  owner_id: column<string>(),
  agent_suffix: column<string | null>(),
  prefix: column<string>(),
  label: column<string | null>(),
  scopes: column<string>(),
  read_namespaces: column<string>(),
  write_namespaces: column<string>(),
  expires_at: column<number | null>(),
  created_at: column<number>(),
  last_used_at: column<number | null>(),
});
/** The hash is written and looked for, never read. */
const newKeyTable = keyTable.with({ hash: column<string>() });

export type KeyRow = RowOf<typeof keyTable>;

export async function insertKey(tx: Tx, key: KeyRow, hash: string): Promise<void> {
  await tx.run(newKeyTable.insert({ ...key, hash }));
}

export function readKey(reader: Reader, ownerId: string, keyId: string): Promise<KeyRow | undefined> {
  return reader.get<KeyRow>(
    keyTable.select`WHERE id = ${keyId} AND owner_id = ${ownerId} AND revoked_at IS NULL`,
  );
}

export function listKeys(reader: Reader, ownerId: string, limit: number, offset: number): Promise<KeyRow[]> {
  return reader.all<KeyRow>(keyTable.select`
    WHERE owner_id = ${ownerId} AND revoked_at IS NULL
    ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`);
}

export async function countKeys(reader: Reader, ownerId: string): Promise<number> {
  return await reader.total(sql`
    SELECT count(*) AS total FROM api_keys WHERE owner_id = ${ownerId} AND revoked_at IS NULL`);
}

/** False when it is revoked already, or not this owner's. */
export async function markRevoked(
  tx: Tx,
  ownerId: string,
  keyId: string,
  { now, rotated }: { now: number; rotated: boolean },
): Promise<boolean> {
  return await tx.affects(sql`
    UPDATE api_keys SET revoked_at = ${now}, rotated = ${rotated ? 1 : 0}
    WHERE id = ${keyId} AND owner_id = ${ownerId} AND revoked_at IS NULL`);
}

/** By id, in Unix milliseconds. A later time that is stored stands. */
export async function setLastUsed(tx: Tx, times: ReadonlyMap<string, number>): Promise<void> {
  const used = JSON.stringify(Object.fromEntries(times));
  await tx.run(sql`
    UPDATE api_keys SET last_used_at = used.at
    FROM (SELECT key AS id, CAST(CAST(value AS text) AS bigint) AS at FROM json_each(${used})) AS used
    WHERE api_keys.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`);
}

/** The agents that hold a key now; null stands for an owner-wide one. */
export function liveHolders(
  reader: Reader,
  ownerId: string,
  now: number,
): Promise<{ slug: string | null }[]> {
  return reader.all(sql`
    SELECT DISTINCT a.slug AS slug
    FROM api_keys k LEFT JOIN agents a ON a.suffix = k.agent_suffix
    WHERE k.owner_id = ${ownerId} AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${now})
      AND (k.agent_suffix IS NULL OR a.deleted_at IS NULL)`);
}
