import type { CueStatus, MessageState } from '@parley/protocol/delivery/vocabulary';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';

export type Box = 'inbox' | 'sent';

/** Executions are counted by owner, all in one; cues by owner and status. */
export interface Count {
  readonly agent: string;
  readonly box: Box | 'executions' | 'cues';
  readonly state: MessageState | CueStatus | '';
  readonly by: number;
}

/** PostgreSQL gives sums as text, for they may be larger than any number of ours. */
export type Sum = number | string;

/** How many there are in each state, over all shards. */
export async function countsOf(
  reader: Reader,
  agent: string,
  box: Count['box'],
): Promise<ReadonlyMap<Count['state'], number>> {
  const rows = await reader.all<{ state: Count['state']; count: Sum }>(sql`
    SELECT state, sum(count) AS count FROM message_tallies WHERE agent = ${agent} AND box = ${box} GROUP BY state`);
  return new Map(rows.map(({ state, count }) => [state, Number(count)]));
}

interface Tables {
  message_tallies: { agent: string; box: Count['box']; state: Count['state']; count: number };
}

/** How many messages in some states many agents have, in one statement; those without any are not named. */
export async function totalsOf(
  reader: Reader,
  agents: readonly string[],
  box: Box,
  states: readonly MessageState[],
): Promise<ReadonlyMap<string, number>> {
  if (agents.length === 0) return new Map();
  const rows = await reader
    .kysely<Tables>()
    .selectFrom('message_tallies')
    .select(['agent', (column) => column.fn.sum<Sum>('count').as('total')])
    .where('agent', 'in', [...new Set(agents)])
    .where('box', '=', box)
    .where('state', 'in', states)
    .groupBy('agent')
    .execute();
  return new Map(rows.map(({ agent, total }) => [agent, Number(total)]));
}

export async function addOne(tx: Tx, shard: number, { agent, box, state, by }: Count): Promise<void> {
  await tx.run(sql`
    INSERT INTO message_tallies (agent, box, state, shard, count) VALUES (${agent}, ${box}, ${state}, ${shard}, ${by})
    ON CONFLICT (agent, box, state, shard) DO UPDATE SET count = message_tallies.count + excluded.count`);
}

export async function addTwo(tx: Tx, shard: number, a: Count, b: Count): Promise<void> {
  await tx.run(sql`
    INSERT INTO message_tallies (agent, box, state, shard, count)
    VALUES (${a.agent}, ${a.box}, ${a.state}, ${shard}, ${a.by}), (${b.agent}, ${b.box}, ${b.state}, ${shard}, ${b.by})
    ON CONFLICT (agent, box, state, shard) DO UPDATE SET count = message_tallies.count + excluded.count`);
}

export async function addThree(tx: Tx, shard: number, a: Count, b: Count, c: Count): Promise<void> {
  await tx.run(sql`
    INSERT INTO message_tallies (agent, box, state, shard, count)
    VALUES (${a.agent}, ${a.box}, ${a.state}, ${shard}, ${a.by}), (${b.agent}, ${b.box}, ${b.state}, ${shard}, ${b.by}),
      (${c.agent}, ${c.box}, ${c.state}, ${shard}, ${c.by})
    ON CONFLICT (agent, box, state, shard) DO UPDATE SET count = message_tallies.count + excluded.count`);
}
