import type { Handoff } from '@parley/protocol/coordination/artifacts';
import type { Agents } from '../identity/agents/agents.ts';
import type { Bus } from '../platform/bus/bus.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Tx } from '../platform/database/database.ts';
import { errorFields, type Log } from '../platform/log.ts';
import { sseFrame } from '../platform/streams/sse-frame.ts';
import type { WakeFeed } from '../wire/wake-feed.ts';
import { pendingFor } from './artifact-store.ts';

export interface HandoffWakesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly log: Log;
  readonly directory: Agents;
  readonly spellAgent: (suffix: string) => string;
}

/** Shown to an agent at a look. */
const SHOWN = 100;

const subjectOf = (ownerId: string, peer: string): string => `coordination.handoff ${ownerId} ${peer}`;

/**
 * Handoffs on the agent's own stream: at every hint it looks for what the agent has not dealt with, and tells what it has not told
 * on this stream before.
 */
export class HandoffWakes implements WakeFeed {
  readonly #options: HandoffWakesOptions;

  constructor(options: HandoffWakesOptions) {
    this.#options = options;
  }

  announce(tx: Tx, ownerId: string, peer: string): void {
    tx.afterCommit(() => this.#options.bus.publish(subjectOf(ownerId, peer)));
  }

  open(agent: string, send: (frame: string) => void): () => void {
    const { log } = this.#options;
    const told = new Set<string>();
    const leaving: (() => void)[] = [];
    let open = true;
    const look = async (): Promise<void> => {
      if (!open) return;
      for (const { id, frame } of await this.#pending(agent)) {
        if (told.has(id)) continue;
        told.add(id);
        if (open) send(frame);
      }
    };
    // One after the other, so that nothing is told twice.
    let work: Promise<void> = Promise.resolve();
    const lookAgain = (): void => {
      work = work.then(look).catch((error: unknown) => log.error('handoff_wake_failed', errorFields(error)));
    };
    work = this.#listen(agent, lookAgain)
      .then((leave) => {
        if (open) leaving.push(leave);
        else leave();
      })
      .catch((error: unknown) => log.error('handoff_wake_failed', errorFields(error)));
    lookAgain();
    leaving.push(this.#options.bus.onGap(lookAgain));
    return () => {
      open = false;
      for (const leave of leaving) leave();
    };
  }

  async #listen(agent: string, look: () => void): Promise<() => void> {
    const { bus, directory } = this.#options;
    const known = (await directory.bySuffix([agent])).get(agent);
    return known ? bus.subscribe(subjectOf(known.ownerId, known.slug), look) : () => {};
  }

  async #pending(agent: string): Promise<{ id: string; frame: string }[]> {
    const { database, directory, clock, spellAgent } = this.#options;
    const known = (await directory.bySuffix([agent])).get(agent);
    if (!known) return [];
    const rows = await pendingFor(database.read, known.ownerId, known.slug, SHOWN);
    const now = clock.now();
    return rows.map(({ artifact_id: id, document, message_id: messageId }) => {
      const handoff = JSON.parse(document) as Handoff;
      const data = {
        type: 'handoff.wake',
        agent_id: spellAgent(agent),
        handoff_id: id,
        message_id: messageId,
        sender_peer: handoff.sender_peer,
        ...handoff.source_selector,
        task_id: handoff.task_id,
        thread_id: handoff.thread_id,
        note: handoff.note,
        created_at: handoff.created_at,
        lag_ms: Math.max(0, now - Date.parse(handoff.created_at)),
      };
      // Without an id: the stream's cursor is that of the rooms.
      return { id, frame: sseFrame({ event: data.type, data: JSON.stringify(data) }) };
    });
  }
}
