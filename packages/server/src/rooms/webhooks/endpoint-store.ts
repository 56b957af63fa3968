import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export interface StoredEndpoint {
  readonly id: string;
  readonly agent: string;
  readonly url: string;
  readonly sealedSecret: string;
  readonly keyId: string;
  readonly enabled: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export async function insertEndpoint(tx: Tx, endpoint: StoredEndpoint): Promise<void> {
  const { id, agent, url, sealedSecret, keyId, enabled, createdAt, updatedAt } = endpoint;
  await tx.run(sql`
    INSERT INTO room_webhook_endpoints (id, agent, url, sealed_secret, key_id, enabled, created_at, updated_at)
    VALUES (${id}, ${agent}, ${url}, ${sealedSecret}, ${keyId}, ${enabled}, ${createdAt}, ${updatedAt})`);
}

/** Newest first. */
export function endpointsOf(reader: Reader, agent: string): Promise<StoredEndpoint[]> {
  return reader.all<StoredEndpoint>(sql`
    SELECT id AS "id", agent AS "agent", url AS "url", sealed_secret AS "sealedSecret", key_id AS "keyId",
           enabled AS "enabled", created_at AS "createdAt", updated_at AS "updatedAt"
    FROM room_webhook_endpoints WHERE agent = ${agent} ORDER BY seq DESC`);
}

export function findEndpoint(reader: Reader, id: string): Promise<StoredEndpoint | undefined> {
  return reader.get<StoredEndpoint>(sql`
    SELECT id AS "id", agent AS "agent", url AS "url", sealed_secret AS "sealedSecret", key_id AS "keyId",
           enabled AS "enabled", created_at AS "createdAt", updated_at AS "updatedAt"
    FROM room_webhook_endpoints WHERE id = ${id}`);
}

/** The ids of an agent's enabled endpoints, oldest first. */
export function enabledEndpoints(reader: Reader, agent: string): Promise<{ id: string }[]> {
  return reader.all<{ id: string }>(sql`
    SELECT id FROM room_webhook_endpoints WHERE agent = ${agent} AND enabled = 1 ORDER BY seq`);
}

export async function deleteEndpoint(tx: Tx, agent: string, id: string): Promise<boolean> {
  const deleted = await tx.run(sql`DELETE FROM room_webhook_endpoints WHERE agent = ${agent} AND id = ${id}`);
  return deleted > 0;
}
