import type { CueStatus, MessageState } from '@parley/protocol/delivery/vocabulary';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, table } from '../../platform/database/table.ts';

export type Box = 'inbox' | 'sent';

/** Executions are counted by owner, all in one; cues by owner and status. */
export interface Count {
  readonly agent: string;
  readonly box: Box | 'executions' | 'cues';
  readonly state: MessageState | CueStatus | '';
  readonly by: number;
}

const tallyTable = table('message_tallies', {
  agent: column<string>(),
  box: column<Count['box']>(),
  state: column<Count['state']>(),
  shard: column<number>(),
  count: column<number>(),
});

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

/** How many messages in some states many agents have, in one statement; those without any are not named. */
export async function totalsOf(
  reader: Reader,
  agents: readonly string[],
  box: Box,
  states: readonly MessageState[],
): Promise<ReadonlyMap<string, number>> {
  if (agents.length === 0) return new Map();
  const rows = await tallyTable
    .from(reader)
    .select(['agent', (count) => count.fn.sum<Sum>('count').as('total')])
    .where('agent', 'in', [...new Set(agents)])
    .where('box', '=', box)
    .where('state', 'in', states)
    .groupBy('agent')
    .execute();
  return new Map(rows.map(({ agent, total }) => [agent, Number(total)]));
}

export async function addCounts(tx: Tx, shard: number, counts: readonly Count[]): Promise<void> {
  const rows = counts.map(({ agent, box, state, by }) => ({ agent, box, state, shard, count: by }));
  await tx.run(tallyTable.inserting(...rows)`
    ON CONFLICT (agent, box, state, shard) DO UPDATE SET count = message_tallies.count + excluded.count`);
}
