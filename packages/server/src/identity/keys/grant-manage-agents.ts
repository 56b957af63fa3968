import { MANAGE_AGENTS_SCOPE } from '@parley/protocol/identity/scopes';
import { type Kysely, sql } from 'kysely';

interface StoredKey {
  readonly id: string;
  readonly owner_id: string;
  readonly agent_suffix: string | null;
  readonly scopes: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
  readonly rotated: number;
}

/** A key and the one it was replaced by were written in one transaction, so their times are this close. */
const ROTATION_MS = 5000;

/**
 * Until now every key of an owner could act on all of its agents. Owner-wide keys stay able to, and so does the key that
 * an owner began with who registered as an agent, or what it was rotated into: nobody else could manage that owner.
 */
export async function grantManageAgents(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<StoredKey>`
    SELECT id, owner_id, agent_suffix, scopes, created_at, revoked_at, rotated
    FROM api_keys ORDER BY owner_id, created_at, id`.execute(db);
  const owners = new Map<string, StoredKey[]>();
  for (const key of rows) {
    owners.set(key.owner_id, [...(owners.get(key.owner_id) ?? []), key]);
  }
  for (const [owner, keys] of owners) {
    const [first] = keys;
    const founding = first?.agent_suffix == null ? [] : successors(first, keys);
    for (const key of [...keys.filter((one) => one.agent_suffix === null), ...founding]) {
      await sql`UPDATE api_keys SET scopes = ${granted(key.scopes)}
        WHERE id = ${key.id} AND owner_id = ${owner}`.execute(db);
    }
  }
}

/** The key and those that followed it by rotation. */
function successors(key: StoredKey, keys: readonly StoredKey[]): StoredKey[] {
  const { agent_suffix: agent, revoked_at: at } = key;
  if (key.rotated !== 1 || at === null) return [key];
  const next = keys.find(
    (one) =>
      one.id !== key.id &&
      one.agent_suffix === agent &&
      one.scopes === key.scopes &&
      one.created_at >= at &&
      one.created_at <= at + ROTATION_MS,
  );
  return next ? [key, ...successors(next, keys)] : [key];
}

function granted(scopes: string): string {
  const list: string[] = JSON.parse(scopes);
  return JSON.stringify([...new Set([...list, MANAGE_AGENTS_SCOPE])]);
}
