import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

export const endpointTable = table('room_webhook_endpoints', {
  id: column<string>(),
  agent: column<string>(),
  url: column<string>(),
  sealedSecret: column<string>(),
  keyId: column<string>(),
  enabled: column<number>(),
  createdAt: column<number>(),
  updatedAt: column<number>(),
});

export type StoredEndpoint = RowOf<typeof endpointTable>;

const newColumns = endpointTable.with({ ownerId: column<string>() });

export async function insertEndpoint(tx: Tx, endpoint: StoredEndpoint, ownerId: string): Promise<void> {
  await tx.run(newColumns.insert({ ...endpoint, ownerId }));
}

/** Newest first. */
export function endpointsOf(reader: Reader, agent: string): Promise<StoredEndpoint[]> {
  return reader.all<StoredEndpoint>(endpointTable.select`WHERE agent = ${agent} ORDER BY seq DESC`);
}

export const findEndpoint = endpointTable.finds('id');

/** The ids of an agent's enabled endpoints, oldest first. */
export function enabledEndpoints(reader: Reader, agent: string): Promise<{ id: string }[]> {
  return reader.all<{ id: string }>(sql`
    SELECT id FROM room_webhook_endpoints WHERE agent = ${agent} AND enabled = 1 ORDER BY seq`);
}

export async function saveSecret(tx: Tx, id: string, sealedSecret: string, now: number): Promise<void> {
  await tx.run(endpointTable.update({ sealedSecret, updatedAt: now })`WHERE id = ${id}`);
}

export async function deleteEndpoint(tx: Tx, agent: string, id: string): Promise<boolean> {
  return await tx.affects(sql`DELETE FROM room_webhook_endpoints WHERE agent = ${agent} AND id = ${id}`);
}

/** Secrets are not read. */
const listed = endpointTable.pick('id', 'agent', 'url', 'enabled', 'createdAt', 'updatedAt');

export type ListedEndpoint = RowOf<typeof listed>;

/** Newest first: of one account, or of all. */
export function endpointsLately(
  reader: Reader,
  ownerId: string | undefined,
  limit: number,
): Promise<ListedEndpoint[]> {
  return ownerId === undefined
    ? reader.all(listed.select`ORDER BY seq DESC LIMIT ${limit}`)
    : reader.all(listed.select`WHERE owner_id = ${ownerId} ORDER BY seq DESC LIMIT ${limit}`);
}
