import type { Tx } from '../../../platform/database/database.ts';
import { cueFired } from '../../messages/loops/loop-breaker.ts';
import { bytesOf, countUsage } from '../../usage/usage-store.ts';
import { monthOf } from '../../../platform/month.ts';
import { budgetText } from '../../../config/budgets.ts';
import type { ExecutionRow } from '../../records/execution-row.ts';
import type { MessageRow } from '../../records/message-row.ts';
import { boxesOf } from '../../records/tallies.ts';
import type { Count } from '../../records/tally-store.ts';
import type { Recipient } from '../../routing/recipient.ts';
import type { TraceStep } from '../../routing/trace.ts';
import type { CueContext } from '../cue-context.ts';
import { bytesOfRuns } from '../runs/run-store.ts';

/** An agent that is fired at. */
export interface Started {
  readonly recipient: Recipient;
  /** That whoever it talks with may go on. */
  readonly step: TraceStep;
}

const QUOTA_USED_UP = 'Monthly execution limit reached';

const bytesOfRun = ({ payload }: ExecutionRow): number =>
  bytesOfRuns([{ size: Buffer.byteLength(payload ?? '') }]);

export interface Obstacle {
  readonly why: string;
  /** The payload that it is stored with all the same. */
  readonly keeps: string | null;
}

interface Sum {
  executions: number;
  bytes: number;
}

/**
 * What the fires of one transaction have in common. However many there are, an agent is held and looked up once, and what an
 * owner is shown and billed by is added up and written at the end.
 */
export class FireRound {
  readonly context: CueContext;
  readonly tx: Tx;
  readonly #agents = new Map<string, Started | undefined>();
  readonly #selves = new Map<string, string>();
  readonly #left = new Map<string, number>();
  readonly #sums = new Map<string, Sum>();
  readonly #counts: Count[] = [];

  constructor(context: CueContext, tx: Tx) {
    this.context = context;
    this.tx = tx;
  }

  /**
   * Undefined when the agent is gone. Else it stays until the commit: a delete takes the same lock, so no push is left behind
   * at an agent that is gone.
   */
  async startAgent(suffix: string): Promise<Started | undefined> {
    if (this.#agents.has(suffix)) return this.#agents.get(suffix);
    const { recipients, directory } = this.context;
    const held = await directory.hold(this.tx, suffix);
    const recipient = held ? await recipients.find(this.tx, suffix) : undefined;
    const started = recipient && { recipient, step: await cueFired(this.context, this.tx, suffix) };
    this.#agents.set(suffix, started);
    return started;
  }

  /** A session of it has detached since it was looked up. */
  async sessionsAnew({ recipient, step }: Started): Promise<Recipient> {
    const sessions = await this.context.recipients.sessions(this.tx, recipient.suffix);
    const anew = { ...recipient, sessions };
    this.#agents.set(recipient.suffix, { recipient: anew, step });
    return anew;
  }

  /** The owner's own identity, made on first use. */
  async selfOf(ownerId: string): Promise<string> {
    const known = this.#selves.get(ownerId);
    if (known !== undefined) return known;
    const { suffix } = await this.context.directory.selfIn(this.tx, ownerId);
    this.#selves.set(ownerId, suffix);
    return suffix;
  }

  /** Why a run must not set out: the owner's month is used up, by what was fired in this round too, or the store is. */
  async obstacle(execution: ExecutionRow): Promise<Obstacle | undefined> {
    const { quota, identity } = this.context;
    const { owner_id: ownerId } = execution;
    const left = this.#left.get(ownerId) ?? (await quota.left(this.tx, ownerId));
    this.#left.set(ownerId, left);
    const used = this.#sumOf(ownerId).executions >= left;
    if (used && !(await quota.inGrace(this.tx, ownerId)))
      return { why: QUOTA_USED_UP, keeps: execution.payload };
    const { storedBytes: stored } = identity;
    const current = await stored.take(this.tx, ownerId, bytesOfRun(execution));
    if (current === undefined) return undefined;
    return { why: budgetText(stored.budget, current), keeps: '{}' };
  }

  countExecution(execution: ExecutionRow): void {
    const sum = this.#sumOf(execution.owner_id);
    sum.executions += 1;
    sum.bytes += bytesOfRun(execution);
  }

  countLetter(message: MessageRow): void {
    this.#sumOf(message.sender_owner).bytes += bytesOf(message);
    this.#counts.push(...boxesOf(message, 1));
  }

  /** After the last fire. */
  async close(): Promise<void> {
    const { tallies, clock } = this.context;
    const sums = [...this.#sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const fired = sums.map(
      ([agent, { executions: by }]) => ({ agent, box: 'executions', state: '', by }) as const,
    );
    await tallies.add(this.tx, [...this.#counts, ...fired.filter(({ by }) => by > 0)]);
    const month = monthOf(clock.now());
    for (const [ownerId, { executions, bytes }] of sums) {
      if (executions === 0 && bytes === 0) continue;
      await countUsage(this.tx, { ownerId, month, shard: tallies.shard(), executions, bytes });
    }
  }

  #sumOf(ownerId: string): Sum {
    const known = this.#sums.get(ownerId);
    if (known) return known;
    const sum = { executions: 0, bytes: 0 };
    this.#sums.set(ownerId, sum);
    return sum;
  }
}
