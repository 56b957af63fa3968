import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';
import type { AgentRef } from '../../wire/caller.ts';
import type { AgentDetails, AgentName } from './agent-details.ts';

const agentTable = table('agents', {
  suffix: column<string>(),
  owner_id: column<string>(),
  slug: column<string>(),
  display_name: column<string>(),
  created_at: column<number>(),
  updated_at: column<number>(),
  deleted_at: column<number | null>(),
});

type AgentRow = RowOf<typeof agentTable>;

const agentOf = (row: AgentRow): AgentDetails => ({
  suffix: row.suffix,
  ownerId: row.owner_id,
  name: row.display_name,
  slug: row.slug,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  deletedAt: row.deleted_at,
});

/** False when the owner has a live agent of this slug. */
export async function insertAgent(tx: Tx, agent: AgentRef, now: number): Promise<boolean> {
  const { suffix, ownerId, slug, name } = agent;
  const times = { created_at: now, updated_at: now, deleted_at: null };
  const row = { suffix, owner_id: ownerId, slug, display_name: name, ...times };
  return await tx.affects(agentTable.insertNew(row));
}

export async function agentBySlug(
  reader: Reader,
  ownerId: string,
  slug: string,
): Promise<AgentRef | undefined> {
  const row = await reader.get<AgentRow>(agentTable.select`
    WHERE owner_id = ${ownerId} AND slug = ${slug} AND deleted_at IS NULL`);
  return row && agentOf(row);
}

/** By the index of slugs: everything from the text up to what no longer begins with it. */
export async function agentsStartingWith(
  reader: Reader,
  text: string,
  ownerId: string | undefined,
  limit: number,
): Promise<AgentRef[]> {
  const end = `${text}\u{10ffff}`;
  const rows =
    ownerId === undefined
      ? await reader.all<AgentRow>(agentTable.select`
          WHERE slug >= ${text} AND slug < ${end} AND deleted_at IS NULL ORDER BY slug, suffix LIMIT ${limit}`)
      : await reader.all<AgentRow>(agentTable.select`
          WHERE owner_id = ${ownerId} AND slug >= ${text} AND slug < ${end} AND deleted_at IS NULL
          ORDER BY slug LIMIT ${limit}`);
  return rows.map(agentOf);
}

/** Of any owner: an id names one agent in the whole server. */
export async function agentBySuffix(reader: Reader, suffix: string): Promise<AgentRef | undefined> {
  const row = await reader.get<AgentRow>(agentTable.select`
    WHERE suffix = ${suffix} AND deleted_at IS NULL`);
  return row && agentOf(row);
}

/** False when the agent was deleted; else nobody deletes it before the commit. */
export async function holdAgent(tx: Tx, suffix: string): Promise<boolean> {
  const held = agentTable.lock(tx, 'SHARE')`WHERE suffix = ${suffix} AND deleted_at IS NULL`;
  return await tx.exists(held);
}

export async function agentName(reader: Reader, suffix: string): Promise<AgentName | undefined> {
  return await reader.get<AgentName>(sql`
    SELECT a.slug, o.slug AS "ownerSlug" FROM agents a JOIN owners o ON o.id = a.owner_id
    WHERE a.suffix = ${suffix} AND a.deleted_at IS NULL`);
}

/** Of any owner, deleted ones too: whoever spoke keeps a name. */
export async function agentsBySuffix(reader: Reader, suffixes: readonly string[]): Promise<AgentDetails[]> {
  return (await agentTable.among(reader, 'suffix', suffixes)).map(agentOf);
}

/** Live agents of all owners by suffix, a page at a time. */
export async function agentsAfter(reader: Reader, suffix: string, limit: number): Promise<AgentDetails[]> {
  const rows = await reader.all<AgentRow>(agentTable.select`
    WHERE suffix > ${suffix} AND deleted_at IS NULL ORDER BY suffix LIMIT ${limit}`);
  return rows.map(agentOf);
}

export async function agentsBySlug(
  reader: Reader,
  ownerId: string,
  slugs: readonly string[],
): Promise<AgentRef[]> {
  if (slugs.length === 0) return [];
  const rows = await agentTable
    .from(reader)
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where('slug', 'in', slugs)
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map(agentOf);
}

/** The one of this slug that was deleted last. */
export async function deletedBySlug(
  reader: Reader,
  ownerId: string,
  slug: string,
): Promise<AgentRef | undefined> {
  const row = await reader.get<AgentRow>(agentTable.select`
    WHERE owner_id = ${ownerId} AND slug = ${slug} AND deleted_at IS NOT NULL
    ORDER BY deleted_at DESC LIMIT 1`);
  return row && agentOf(row);
}

/** False when another agent of the owner has the slug. */
export async function setAgentSlug(tx: Tx, agent: AgentRef, slug: string, now: number): Promise<boolean> {
  return await tx.affects(sql`
    UPDATE agents SET slug = ${slug}, updated_at = ${now}
    WHERE owner_id = ${agent.ownerId} AND suffix = ${agent.suffix} AND deleted_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM agents other
      WHERE other.owner_id = ${agent.ownerId} AND other.slug = ${slug} AND other.deleted_at IS NULL
        AND other.suffix <> ${agent.suffix})`);
}

export async function changeAgent(tx: Tx, agent: AgentRef, change: Partial<AgentRow>): Promise<void> {
  await tx.run(agentTable.update(change)`
    WHERE owner_id = ${agent.ownerId} AND suffix = ${agent.suffix}`);
}

/** False when it was deleted already. */
export async function markAgentDeleted(tx: Tx, agent: AgentRef, now: number): Promise<boolean> {
  return await tx.affects(sql`
    UPDATE agents SET deleted_at = ${now}, updated_at = ${now}
    WHERE owner_id = ${agent.ownerId} AND suffix = ${agent.suffix} AND deleted_at IS NULL`);
}

/** The keys and sessions that act as the agent. */
export async function credentialsOfAgent(reader: Reader, suffix: string): Promise<string[]> {
  return await reader.values<string>(sql`
    SELECT id FROM api_keys WHERE agent_suffix = ${suffix} AND revoked_at IS NULL
    UNION ALL SELECT id FROM sessions WHERE agent_suffix = ${suffix} AND ended_at IS NULL`);
}

export async function countAgents(reader: Reader, ownerId: string): Promise<number> {
  return await reader.total(sql`
    SELECT count(*) AS total FROM agents WHERE owner_id = ${ownerId} AND deleted_at IS NULL`);
}
