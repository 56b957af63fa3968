import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { closedLoop } from './closed-loop.ts';
import { Connection, rawRequest } from './connection.ts';
import { createAgent, registerOwner, sendRequest } from './mail.ts';
import type { ServerProcess } from './server-process.ts';
import { NODE_NAMES, type Stores } from './two-nodes.ts';

/** More clients than a node has connections. */
export const CROWD = 64;
const CROWD_MS = 3_000;
const TEXT = 'x'.repeat(400);

/** The most that each node had open at once. */
export async function connectionsUnderLoad(
  { postgres }: Stores,
  nodes: readonly ServerProcess[],
): Promise<number[]> {
  const watching = new Client({ connectionString: postgres });
  await watching.connect();
  const most = NODE_NAMES.map(() => 0);
  const state = { over: false };
  const watched = (async () => {
    while (!state.over) {
      const { rows } = await watching.query<{ name: string; open: string }>(
        `SELECT application_name AS name, count(*) AS open FROM pg_stat_activity
         WHERE datname = current_database() GROUP BY application_name`,
      );
      // The place of a node has a name of its own, each one.
      const places = rows.filter(({ name }) => name.startsWith('parley ')).length / NODE_NAMES.length;
      for (const { name, open } of rows) {
        const at = NODE_NAMES.indexOf(name);
        if (at >= 0) most[at] = Math.max(most[at] ?? 0, Number(open) + places);
      }
      await sleep(20);
    }
  })();
  await Promise.all(nodes.map((node) => crowdAt(node)));
  state.over = true;
  await watched;
  await watching.end();
  return most;
}

async function crowdAt({ url }: ServerProcess): Promise<void> {
  const crowd = await Promise.all(Array.from({ length: CROWD }, () => Connection.open(url)));
  const [first] = crowd;
  if (!first) return;
  const owner = await registerOwner(first);
  await createAgent(first, owner, { slug: 'box' });
  const message = sendRequest(owner, { to: 'box', from: 'box', body: TEXT });
  const inbox = rawRequest('GET', '/v1/agents/box/inbox', undefined, owner.key);
  await closedLoop(crowd, (index) => (index % 2 === 0 ? message : inbox), CROWD_MS);
  for (const connection of crowd) connection.close();
}
