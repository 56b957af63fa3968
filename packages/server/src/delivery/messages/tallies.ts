import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import type { Dialect, Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import type { Random } from '../../platform/ids.ts';

export type Box = 'inbox' | 'sent';

export interface Delta {
  readonly agent: string;
  readonly box: Box;
  readonly state: MessageState;
  readonly by: number;
}

/** Enough that writers on PostgreSQL seldom meet. SQLite has one writer. */
const SHARDS = 32;

/** How many messages each box holds in each state, kept as they change, so that no list has to count. */
export class Tallies {
  readonly #shards: number;
  readonly #random: Random;

  constructor(dialect: Dialect, random: Random) {
    this.#shards = dialect === 'sqlite' ? 1 : SHARDS;
    this.#random = random;
  }

  /** For what is counted beside the tallies, by the same reasoning. */
  shard(): number {
    return this.#shards === 1 ? 0 : Math.floor(this.#random.unit() * this.#shards);
  }

  /** Always in the same order, so that two writers who meet do not wait for each other. */
  async add(tx: Tx, deltas: readonly Delta[]): Promise<void> {
    const shard = this.shard();
    const sums = new Map<string, Delta>();
    for (const delta of deltas) {
      const key = keyOf(delta);
      sums.set(key, { ...delta, by: delta.by + (sums.get(key)?.by ?? 0) });
    }
    const sorted = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, delta]) => delta);
    for (let at = 0; at < sorted.length; at += 2) {
      const [first, second] = sorted.slice(at, at + 2);
      if (first && second) await addTwo(tx, shard, first, second);
      else if (first) await addOne(tx, shard, first);
    }
  }

  async total(reader: Reader, agent: string, box: Box, states: ReadonlySet<MessageState>): Promise<number> {
    const rows = await reader.all<{ state: MessageState; count: number }>(sql`
      SELECT state, sum(count) AS count FROM message_tallies WHERE agent = ${agent} AND box = ${box} GROUP BY state`);
    const wanted = rows.filter(({ state }) => states.has(state));
    return wanted.reduce((sum, { count }) => sum + Number(count), 0);
  }
}

const keyOf = ({ agent, box, state }: Delta): string => `${agent} ${box} ${state}`;

async function addOne(tx: Tx, shard: number, { agent, box, state, by }: Delta): Promise<void> {
  await tx.run(sql`
    INSERT INTO message_tallies (agent, box, state, shard, count) VALUES (${agent}, ${box}, ${state}, ${shard}, ${by})
    ON CONFLICT (agent, box, state, shard) DO UPDATE SET count = message_tallies.count + excluded.count`);
}

async function addTwo(tx: Tx, shard: number, a: Delta, b: Delta): Promise<void> {
  await tx.run(sql`
    INSERT INTO message_tallies (agent, box, state, shard, count)
    VALUES (${a.agent}, ${a.box}, ${a.state}, ${shard}, ${a.by}), (${b.agent}, ${b.box}, ${b.state}, ${shard}, ${b.by})
    ON CONFLICT (agent, box, state, shard) DO UPDATE SET count = message_tallies.count + excluded.count`);
}
