import type { CueStatus, MessageState } from '@parley/protocol/delivery/vocabulary';
import type { Dialect, Reader, Tx } from '../../platform/database/database.ts';
import type { Random } from '../../platform/ids.ts';
import type { MessageRow } from './message-row.ts';
import { addCounts, type Box, type Count, countsOf } from './tally-store.ts';

type Boxed = Pick<MessageRow, 'sender' | 'recipient' | 'state' | 'queued_at'>;
type Owned = Boxed & Pick<MessageRow, 'sender_owner' | 'recipient_owner'>;

/** A message is in the sender's box at once, in the recipient's when it is due: what ended before that was never there. */
export function boxesOf({ sender, recipient, state, queued_at: queuedAt }: Boxed, by: number): Count[] {
  const sent: Count = { agent: sender, box: 'sent', state, by };
  return queuedAt === null ? [sent] : [{ agent: recipient, box: 'inbox', state, by }, sent];
}

/** What is not due yet is nobody's business but the sender's. */
const showsExecution = ({ queued_at: queuedAt, sender_owner: from, recipient_owner: to }: Owned): boolean =>
  queuedAt !== null || from === to;

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

  async addNew(tx: Tx, message: Owned): Promise<void> {
    const counts = boxesOf(message, 1);
    const { recipient_owner: owner } = message;
    if (showsExecution(message)) counts.push({ agent: owner, box: 'executions', state: '', by: 1 });
    await this.add(tx, counts);
  }

  /** Its time has come: the recipient sees it from now on. */
  async addDue(tx: Tx, message: Owned): Promise<void> {
    const { recipient, recipient_owner: owner, state } = message;
    await this.add(tx, [{ agent: recipient, box: 'inbox', state, by: 1 }]);
    if (!showsExecution(message)) await this.addExecutions(tx, owner, 1);
  }

  async remove(tx: Tx, message: Owned, executions: number): Promise<void> {
    await this.add(tx, boxesOf(message, -1));
    if (showsExecution(message)) await this.addExecutions(tx, message.recipient_owner, -executions);
  }

  async addExecutions(tx: Tx, ownerId: string, by: number): Promise<void> {
    await addCounts(tx, this.shard(), [{ agent: ownerId, box: 'executions', state: '', by }]);
  }

  async executions(reader: Reader, ownerId: string): Promise<number> {
    const counts = await countsOf(reader, ownerId, 'executions');
    return counts.get('') ?? 0;
  }

  /** Cues of an owner that came into a status, or left it. */
  async addCues(tx: Tx, ownerId: string, status: CueStatus, by: number): Promise<void> {
    await addCounts(tx, this.shard(), [{ agent: ownerId, box: 'cues', state: status, by }]);
  }

  /** By status, and `all` in every one. */
  async cues(reader: Reader, ownerId: string): Promise<Readonly<Record<CueStatus | 'all', number>>> {
    const counts = await countsOf(reader, ownerId, 'cues');
    const of = (status: CueStatus): number => counts.get(status) ?? 0;
    return {
      active: of('active'),
      paused: of('paused'),
      completed: of('completed'),
      failed: of('failed'),
      all: [...counts.values()].reduce((sum, count) => sum + count, 0),
    };
  }

  /** Always in the same order, so that two writers who meet do not wait for each other. */
  async add(tx: Tx, deltas: readonly Count[]): Promise<void> {
    const shard = this.shard();
    const sums = new Map<string, Count>();
    for (const delta of deltas) {
      const key = keyOf(delta);
      sums.set(key, { ...delta, by: delta.by + (sums.get(key)?.by ?? 0) });
    }
    const sorted = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, delta]) => delta);
    // By threes at most: so few statements are kept prepared, however many are counted.
    for (let at = 0; at < sorted.length; at += 3) await addCounts(tx, shard, sorted.slice(at, at + 3));
  }

  async total(reader: Reader, agent: string, box: Box, states: ReadonlySet<MessageState>): Promise<number> {
    const counts = await countsOf(reader, agent, box);
    return [...states].reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
  }
}

const keyOf = ({ agent, box, state }: Count): string => `${agent} ${box} ${state}`;
