import type { AgentStatus } from '@parley/protocol/delivery/vocabulary';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { countOf, given, newestOf } from '../../platform/database/built.ts';
import type { AgentRef } from '../../wire/caller.ts';
import { LATE_BEAT_MS } from '../routing/freshness.ts';
import {
  type AgentDeliveryRow,
  agentDeliveryTable,
  type AgentRecord,
  type AgentSettings,
  settingsColumns,
  defaultSettings,
  recordOf,
} from './agent-record.ts';

export async function insertAgentRow(
  tx: Tx,
  { suffix, ownerId, slug }: Pick<AgentRef, 'suffix' | 'ownerId' | 'slug'>,
  now: number,
): Promise<void> {
  const row = {
    agent: suffix,
    owner_id: ownerId,
    created_at: now,
    deleted_at: null,
    ...settingsColumns(defaultSettings(slug)),
    webhook_secret: null,
    previous_webhook_secret: null,
    previous_webhook_secret_until: null,
    bg_beat_at: null,
    last_seen_at: null,
  };
  await tx.run(agentDeliveryTable.insert(row));
}

export async function hasAgentRows(reader: Reader): Promise<boolean> {
  return await reader.exists(sql`SELECT 1 AS one FROM agent_delivery LIMIT 1`);
}

/** Of any owner: whoever got the suffix from an address that leads across owners. */
export async function agentRecord(reader: Reader, suffix: string): Promise<AgentRecord | undefined> {
  const row = await reader.get<AgentDeliveryRow>(agentDeliveryTable.select`WHERE agent = ${suffix}`);
  return row && recordOf(row);
}

export interface AgentPage {
  readonly status: AgentStatus | undefined;
  readonly includeDeleted: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** Newest first, and how many there are in all. */
export async function listAgentRecords(
  reader: Reader,
  ownerId: string,
  { status, includeDeleted, ...page }: AgentPage,
): Promise<{ records: AgentRecord[]; total: number }> {
  const own = agentDeliveryTable.from(reader).where((is) => is.and(given({ owner_id: ownerId, status })));
  const query = includeDeleted ? own : own.where('deleted_at', 'is', null);
  const [rows, total] = await Promise.all([newestOf(query, 'agent', page), countOf(query)]);
  return { records: rows.map(recordOf), total };
}

/** Everything of an owner that is not deleted, for the directory and the roster. */
export async function allAgentRecords(reader: Reader, ownerId: string): Promise<AgentRecord[]> {
  const rows = await reader.all<AgentDeliveryRow>(
    agentDeliveryTable.select`WHERE owner_id = ${ownerId} AND deleted_at IS NULL`,
  );
  return rows.map(recordOf);
}

export async function writeSettings(
  tx: Tx,
  ownerId: string,
  suffix: string,
  settings: AgentSettings,
): Promise<void> {
  const columns = settingsColumns(settings);
  await tx.run(agentDeliveryTable.update(columns)`WHERE owner_id = ${ownerId} AND agent = ${suffix}`);
}

export async function markRowDeleted(tx: Tx, ownerId: string, suffix: string, now: number): Promise<void> {
  await tx.run(sql`
    UPDATE agent_delivery SET deleted_at = ${now} WHERE owner_id = ${ownerId} AND agent = ${suffix}`);
}

/** What is left of an agent whose time as a tombstone is over. */
export async function removeAgentRows(tx: Tx, suffix: string): Promise<undefined> {
  await tx.run(sql`DELETE FROM agent_delivery WHERE agent = ${suffix} AND deleted_at IS NOT NULL`);
  await tx.run(sql`DELETE FROM agent_former_slugs WHERE agent = ${suffix}`);
  await tx.run(sql`DELETE FROM live_sessions WHERE agent = ${suffix}`);
  await tx.run(sql`DELETE FROM wake_receipts WHERE agent = ${suffix}`);
}

/** By suffix, in Unix milliseconds. A later time that is stored stands. */
export async function touchSeen(tx: Tx, times: ReadonlyMap<string, number>): Promise<void> {
  const seen = JSON.stringify(Object.fromEntries(times));
  await tx.run(sql`
    UPDATE agent_delivery SET last_seen_at = seen.at
    FROM (SELECT key AS agent, CAST(CAST(value AS text) AS bigint) AS at FROM json_each(${seen})) AS seen
    WHERE agent_delivery.agent = seen.agent AND (last_seen_at IS NULL OR last_seen_at < seen.at)`);
}

export async function touchBackground(tx: Tx, suffix: string, now: number): Promise<void> {
  await tx.run(sql`
    UPDATE agent_delivery SET bg_beat_at = ${now}, last_seen_at = ${now}
    WHERE agent = ${suffix}
      AND (bg_beat_at IS NULL OR bg_beat_at < ${now} OR bg_beat_at > ${now + LATE_BEAT_MS})`);
}

/** Those of an owner's agents whose background pushes go out under one of the tasks. */
export async function agentsWithTask(
  reader: Reader,
  ownerId: string,
  tasks: readonly string[],
): Promise<string[]> {
  if (tasks.length === 0) return [];
  const rows = await agentDeliveryTable
    .from(reader)
    .select('agent')
    .where('owner_id', '=', ownerId)
    .where('bg_task', 'in', tasks)
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map(({ agent }) => agent);
}
