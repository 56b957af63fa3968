import type { Agents } from '../../identity/agents/agents.ts';
import type { Database } from '../../platform/database/database.ts';
import { hasAgentRows, insertAgentRow } from './agent-store.ts';

/**
 * Agents that are older than this module get their row at its first start, all in one transaction. From then on every agent
 * is made together with its row, so rows mean that this has happened.
 */
export async function adoptAgents(database: Database, directory: Agents): Promise<void> {
  if (await hasAgentRows(database.read)) return;
  await database.write(async (tx) => {
    await tx.lock('delivery.adoption');
    // Another node may have been here first.
    if (await hasAgentRows(tx)) return;
    for await (const agent of directory.everyone(tx)) await insertAgentRow(tx, agent, agent.createdAt);
  });
}
