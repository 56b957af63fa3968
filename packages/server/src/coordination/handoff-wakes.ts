import type { Handoff } from '@parley/protocol/coordination/artifacts';
import type { Agents } from '../identity/agents/agents.ts';
import type { Tx } from '../platform/database/database.ts';
import type { Platform } from '../platform.ts';
import { wakeLine } from '../wire/wake-line.ts';
import { pendingHandoffs } from './artifact-store.ts';

interface HandoffWakesOptions extends Pick<Platform, 'database' | 'clock' | 'bus' | 'log'> {
  readonly directory: Agents;
  readonly spellAgent: (suffix: string) => string;
}

/** Shown to an agent at a look. */
const SHOWN = 100;

const subjectOf = (ownerId: string, peer: string): string => `coordination.handoff ${ownerId} ${peer}`;

/** Handoffs on the agent's own stream: at every hint it looks for what the agent has not dealt with. */
export function handoffWakes(options: HandoffWakesOptions) {
  const { bus, log, database, directory } = options;
  const { read } = database;
  const named = async (agent: string) => (await directory.bySuffix([agent])).get(agent);

  return {
    announce(tx: Tx, ownerId: string, peer: string): void {
      tx.afterCommit(() => bus.publish(subjectOf(ownerId, peer)));
    },
    open(agent: string, send: (frame: string) => void): () => void {
      const leaving: (() => void)[] = [];
      let open = true;
      const line = wakeLine<Pending>({
        log,
        failed: 'handoff_wake_failed',
        idOf: ({ artifact_id: id }) => id,
        tell: async (rows) => told(options, agent, rows),
        send,
        // What waits is shown again and again.
        remembered: Number.POSITIVE_INFINITY,
      });
      const look = (): void =>
        line.look(async () => {
          const known = await named(agent);
          return known ? await pendingHandoffs(read, known.ownerId, known.slug, SHOWN) : [];
        });
      // It listens before it looks, so that nothing falls in between.
      line.look(async () => {
        const known = await named(agent);
        if (known && open) leaving.push(bus.subscribe(subjectOf(known.ownerId, known.slug), look));
        return [];
      });
      look();
      leaving.push(bus.onGap(look));
      return () => {
        open = false;
        line.close();
        for (const leave of leaving) leave();
      };
    },
  };
}

type Pending = Awaited<ReturnType<typeof pendingHandoffs>>[number];

function told({ clock, spellAgent }: HandoffWakesOptions, agent: string, rows: readonly Pending[]) {
  const now = clock.now();
  return rows.map(({ artifact_id: id, document, message_id: messageId }) => {
    const handoff = JSON.parse(document) as Handoff;
    return {
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
  });
}
