import { resolve } from 'node:path';
import type { Config } from '../config/settings.ts';
import { systemClock } from '../platform/clock.ts';
import { GONE_MS, listNodes, type NodeRow } from '../platform/cluster/membership.ts';
import { storeTime } from '../platform/cluster/store-clock.ts';
import { LOCK_FILE } from '../platform/database/data-directory.ts';
import { readHolder } from '../platform/database/lock-file.ts';
import { takenSteps } from '../platform/database/migrations.ts';
import { openDatabase } from '../platform/database/open-database.ts';

export interface ListedNode extends NodeRow {
  /** Silent ones were killed, stand still, or cannot reach the database. */
  readonly state: 'up' | 'silent';
}

/** The processes that serve the store of a configuration; of one that is a file, the pid of the one server there may be. */
export async function nodesOf(
  config: Config,
): Promise<{ nodes: ListedNode[] } | { serverPid: number | undefined }> {
  const { databaseUrl: url } = config;
  if (url === undefined) {
    return { serverPid: readHolder(`${resolve(config.dataDir)}/${LOCK_FILE}`)?.pid };
  }
  const database = await openDatabase({ url });
  try {
    if ((await takenSteps(database)).size === 0) return { nodes: [] };
    // Nodes go by it; that of this machine may be minutes off.
    const now = (await storeTime(database.read)) ?? systemClock.now();
    const nodes = await listNodes(database.read);
    return {
      nodes: nodes.map((node) => ({ ...node, state: now - node.seen_at < GONE_MS ? 'up' : 'silent' })),
    };
  } finally {
    await database.close();
  }
}
