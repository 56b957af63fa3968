import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Platform } from '../../platform.ts';
import type { WakeFeed } from '../../wire/wake-feed.ts';
import { wakeLine } from '../../wire/wake-line.ts';
import type { MessageWake, WakeSink } from '../records/transport.ts';
import { previewOf } from '../messages/message-answer.ts';
import type { MessageView } from '../records/message-row.ts';
import { messageTo, recentMessages, waitingMessages } from './wake-store.ts';

export type MessageWakesOptions = MessagingContext & Pick<Platform, 'bus' | 'log'>;

/** Shown to an agent that connects; how many there are beyond these it is told with each. */
const BACKLOG = 100;
/** How much later than its time a message may be there to be seen: a slow commit, a node whose clock is behind. */
const LATE_MS = 30_000;
const NOT_SEEN_YET: ReadonlySet<MessageState> = new Set(['queued', 'delivering', 'retry_ready']);

const subjectOf = (agent: string): string => `delivery.message-wake ${agent}`;

export type MessageWakes = WakeSink & WakeFeed;

/** Messages on the agent's own stream: what came while it was away, then each as it comes. */
export function messageWakes(options: MessageWakesOptions): MessageWakes {
  const { bus, clock, log, database } = options;
  const { read } = database;
  return {
    wake(tx: Tx, { agent, messageId }: MessageWake): void {
      tx.afterCommit(() => bus.publish(subjectOf(agent), messageId));
    },
    open(agent, send) {
      const line = wakeLine<MessageView>({
        log,
        failed: 'message_wake_failed',
        // A message that changes its way does not start the agent twice.
        idOf: ({ execution_id: id }) => id,
        tell: (messages) => told(options, agent, messages),
        send,
      });
      const leave = bus.subscribe(subjectOf(agent), (id) => line.look(() => messageTo(read, agent, id)));
      line.look(() => waitingMessages(read, agent, BACKLOG));
      let lookedAt = clock.now();
      const stopLooking = bus.onGap(() => {
        const since = lookedAt - LATE_MS;
        lookedAt = clock.now();
        line.look(() => recentMessages(read, agent, { since, limit: BACKLOG }));
      });
      return () => {
        line.close();
        leave();
        stopLooking();
      };
    },
  };
}

async function told(
  { database, recipients, tallies, settings, clock }: MessageWakesOptions,
  agent: string,
  messages: readonly MessageView[],
) {
  const senders = [...new Set(messages.map(({ sender }) => sender))];
  const [addresses, waiting] = await Promise.all([
    recipients.addresses(database.read, senders),
    tallies.total(database.read, agent, 'inbox', NOT_SEEN_YET),
  ]);
  const now = clock.now();
  return messages.map((message) => ({
    type: 'message.wake',
    agent_id: settings.spellAgent(agent),
    message_id: message.id,
    execution_id: message.execution_id,
    thread_id: message.thread_id,
    reply_to: message.reply_to,
    from: { agent_id: settings.spellAgent(message.sender), slug: addresses.get(message.sender) ?? '' },
    subject: message.subject,
    preview: previewOf(message.body),
    priority: message.priority,
    expects_reply: message.expects_reply === 1,
    effective_delivery_mode: message.channel,
    delivery_route: message.route,
    created_at: iso(message.created_at),
    lag_ms: Math.max(0, now - (message.queued_at ?? now)),
    inbox_waiting: waiting,
  }));
}
