import type { Reader, Tx } from '../platform/database/database.ts';
import { sql } from '../platform/database/sql.ts';
import type { AgentRef } from './caller.ts';

interface AgentRow {
  readonly suffix: string;
  readonly owner_id: string;
  readonly slug: string;
  readonly display_name: string;
}

interface AgentTables {
  agents: AgentRow;
}

const agentOf = (row: AgentRow): AgentRef => ({
  suffix: row.suffix,
  ownerId: row.owner_id,
  name: row.display_name,
  slug: row.slug,
});

/** False when the owner has a live agent of this slug. */
export async function insertAgent(tx: Tx, agent: AgentRef, now: number): Promise<boolean> {
  const inserted = await tx.run(sql`
    INSERT INTO agents (suffix, owner_id, slug, display_name, created_at, updated_at)
    VALUES (${agent.suffix}, ${agent.ownerId}, ${agent.slug}, ${agent.name}, ${now}, ${now})
    ON CONFLICT DO NOTHING`);
  return inserted === 1;
}

export async function agentBySlug(
  reader: Reader,
  ownerId: string,
  slug: string,
): Promise<AgentRef | undefined> {
  const row = await reader.get<AgentRow>(sql`
    SELECT suffix, owner_id, slug, display_name FROM agents
    WHERE owner_id = ${ownerId} AND slug = ${slug} AND deleted_at IS NULL`);
  return row && agentOf(row);
}

/** Of any owner: an id names one agent in the whole server. */
export async function agentBySuffix(reader: Reader, suffix: string): Promise<AgentRef | undefined> {
  const row = await reader.get<AgentRow>(sql`
    SELECT suffix, owner_id, slug, display_name FROM agents WHERE suffix = ${suffix} AND deleted_at IS NULL`);
  return row && agentOf(row);
}

export async function agentsBySuffix(reader: Reader, suffixes: readonly string[]): Promise<AgentRef[]> {
  const rows = await reader
    .kysely<AgentTables>()
    .selectFrom('agents')
    .select(['suffix', 'owner_id', 'slug', 'display_name'])
    .where('suffix', 'in', suffixes)
    .execute();
  return rows.map(agentOf);
}
