import { DIGEST_PRIORITY } from '@parley/protocol/delivery/limits';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { AgentEvent, EventSink } from '../records/agent-event.ts';
import type { Platform } from '../../platform.ts';
import { Sweeps } from '../records/sweeps.ts';
import { type EventRow, insertEvent } from './event-store.ts';
import { HOUR } from '../../platform/units.ts';

/** Who has something to do when an event is written, in the same transaction. */
export interface EventFollower {
  /** There are endpoints to be told. */
  toPost(tx: Tx, event: EventRow): Promise<void>;
  toDigest(tx: Tx, event: EventRow): Promise<void>;
  /** After the commit. */
  announced(agent: string, id: number): void;
}

/**
 * Writes events. Those of one transaction are gathered and written at its end, in the order of their agents and under a lock of
 * each: ids of an agent become visible in their order, so whoever has read up to one has read everything before it, and two
 * transactions never wait for each other.
 */
export class AgentEvents implements EventSink {
  readonly #clock: Clock;
  readonly #retentionMs: number;
  readonly #sweeps: Sweeps;
  readonly #gathered = new WeakMap<Tx, AgentEvent[]>();
  #follower: EventFollower | undefined;

  constructor(platform: Pick<Platform, 'clock' | 'config' | 'jobs'>) {
    this.#clock = platform.clock;
    this.#retentionMs = platform.config.dlEventRetentionMs;
    this.#sweeps = new Sweeps(platform);
  }

  /** Once it exists: it needs what needs this. */
  followedBy(follower: EventFollower): void {
    this.#follower = follower;
  }

  note(tx: Tx, event: AgentEvent | undefined): void {
    if (!event) return;
    const gathered = this.#gathered.get(tx);
    if (gathered) {
      gathered.push(event);
      return;
    }
    const first = [event];
    this.#gathered.set(tx, first);
    tx.beforeCommit(() => this.#write(tx, first));
  }

  /** Nobody writes events of the agent before the commit. */
  async lock(tx: Tx, agent: string): Promise<void> {
    await tx.lock(`delivery.events ${agent}`);
  }

  async #write(tx: Tx, gathered: readonly AgentEvent[]): Promise<void> {
    const now = this.#clock.now();
    let locked: string | undefined;
    for (const event of gathered.toSorted((a, b) => (a.agent < b.agent ? -1 : a.agent > b.agent ? 1 : 0))) {
      // One way to the database for both; it takes them in their order.
      const held = event.agent === locked ? undefined : this.lock(tx, event.agent);
      locked = event.agent;
      await Promise.all([held, this.#writeOne(tx, event, now)]);
    }
    // By the hour: a sweep more or less does not matter to what was kept for days.
    await this.#sweeps.ensure(tx, Math.ceil((now + this.#retentionMs) / HOUR) * HOUR);
  }

  async #writeOne(
    tx: Tx,
    { agent, type, payload, messageId, priority }: AgentEvent,
    now: number,
  ): Promise<void> {
    const row = {
      agent,
      event_type: type,
      message_id: messageId ?? null,
      priority: priority ?? null,
      payload: JSON.stringify(payload),
      emitted_at: now,
    };
    const { id, hooks } = await insertEvent(tx, row);
    const follower = this.#follower;
    if (!follower) return;
    if (hooks > 0) await follower.toPost(tx, { ...row, id });
    if (priority !== undefined && priority <= DIGEST_PRIORITY) await follower.toDigest(tx, { ...row, id });
    tx.afterCommit(() => follower.announced(agent, id));
  }
}
