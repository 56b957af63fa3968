import type { Reader } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { headed } from '../../platform/database/table.ts';

/** A key or a session with everything that is asked about it on every request, in one row. */
export interface CredentialRow {
  readonly session_id: string | null;
  readonly key_id: string;
  readonly owner_id: string;
  readonly owner_slug: string;
  readonly plan: string;
  readonly prefix: string;
  readonly scopes: string;
  readonly read_namespaces: string;
  readonly write_namespaces: string;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly rotated: number;
  readonly suffix: string | null;
  readonly agent_slug: string | null;
  readonly display_name: string | null;
  readonly agent_deleted_at: number | null;
}

/** What a credential row is put together from. */
export const CREDENTIAL_TABLES: readonly string[] = ['api_keys', 'sessions', 'owners', 'agents'];

const keyRows = headed(`
    SELECT NULL AS session_id, k.id AS key_id, k.owner_id, o.slug AS owner_slug, o.plan, k.prefix, k.scopes,
      k.read_namespaces, k.write_namespaces, k.expires_at, k.revoked_at, k.rotated,
      a.suffix, a.slug AS agent_slug, a.display_name, a.deleted_at AS agent_deleted_at
    FROM api_keys k JOIN owners o ON o.id = k.owner_id LEFT JOIN agents a ON a.suffix = k.agent_suffix`);

export function findKey(reader: Reader, hash: string): Promise<CredentialRow | undefined> {
  return reader.get<CredentialRow>(keyRows`WHERE k.hash = ${hash}`);
}

export function findKeyById(reader: Reader, id: string): Promise<CredentialRow | undefined> {
  return reader.get<CredentialRow>(keyRows`WHERE k.id = ${id}`);
}

/** An ended session reads as revoked, and so does one whose key is revoked. */
export function findSession(reader: Reader, hash: string): Promise<CredentialRow | undefined> {
  return reader.get<CredentialRow>(sql`
    SELECT s.id AS session_id, k.id AS key_id, s.owner_id, o.slug AS owner_slug, o.plan, k.prefix, k.scopes,
      k.read_namespaces, k.write_namespaces, s.expires_at, COALESCE(s.ended_at, k.revoked_at) AS revoked_at,
      0 AS rotated, a.suffix, a.slug AS agent_slug, a.display_name, a.deleted_at AS agent_deleted_at
    FROM sessions s JOIN api_keys k ON k.id = s.key_id JOIN owners o ON o.id = s.owner_id
      JOIN agents a ON a.suffix = s.agent_suffix
    WHERE s.hash = ${hash}`);
}

/** Ids as both databases take a list of any length: the names of an object. */
export const idList = (ids: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(ids.map((id) => [id, 1])));

/** Those of the keys that are good now. */
export function standingKeys(reader: Reader, ids: readonly string[], now: number): Promise<string[]> {
  return reader.values<string>(sql`
    SELECT k.id FROM api_keys k LEFT JOIN agents a ON a.suffix = k.agent_suffix
    WHERE k.id IN (SELECT key FROM json_each(${idList(ids)}))
      AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ${now}) AND a.deleted_at IS NULL`);
}

export function standingSessions(reader: Reader, ids: readonly string[], now: number): Promise<string[]> {
  return reader.values<string>(sql`
    SELECT s.id FROM sessions s JOIN api_keys k ON k.id = s.key_id JOIN agents a ON a.suffix = s.agent_suffix
    WHERE s.id IN (SELECT key FROM json_each(${idList(ids)})) AND s.ended_at IS NULL AND s.expires_at > ${now}
      AND k.revoked_at IS NULL AND a.deleted_at IS NULL`);
}
