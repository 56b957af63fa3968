import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import { iso } from '../../wire/delivery/times.ts';
import { type AnnouncedFeed, type FeedContext, wakeFeed } from './wake-feed.ts';
import { party } from '../records/agent-names.ts';
import { previewOf } from '../messages/message-answer.ts';
import type { MessageView } from '../records/message-row.ts';
import { messageTo, missedMessages, waitingMessages } from './wake-store.ts';

/** Shown to an agent that connects; how many there are beyond these it is told with each. */
const BACKLOG = 100;
/** How much later than its time a message may be there to be seen: a slow commit, a node whose clock is behind. */
const LATE_MS = 30_000;
const NOT_SEEN_YET: ReadonlySet<MessageState> = new Set(['queued', 'delivering', 'retry_ready']);

/** Messages on the agent's own stream: what came while it was away, then each as it comes. */
export function messageWakes(context: FeedContext): AnnouncedFeed {
  const { read } = context.database;
  return wakeFeed<MessageView>(context, {
    subject: 'delivery.message-wake',
    failed: 'message_wake_failed',
    // A message that changes its way does not start the agent twice.
    idOf: ({ execution_id: id }) => id,
    tell: (agent, messages) => told(context, agent, messages),
    waiting: (agent) => waitingMessages(read, agent, BACKLOG),
    hinted: (agent, id) => messageTo(read, agent, id),
    missed: (agent, since) => missedMessages(read, agent, { since: since - LATE_MS, limit: BACKLOG }),
  });
}

async function told(
  { database, recipients, tallies, settings, clock }: FeedContext,
  agent: string,
  messages: readonly MessageView[],
) {
  const senders = [...new Set(messages.map(({ sender }) => sender))];
  const [addresses, waiting] = await Promise.all([
    recipients.addresses(database.read, senders),
    tallies.total(database.read, agent, 'inbox', NOT_SEEN_YET),
  ]);
  const { spellAgent } = settings;
  const now = clock.now();
  return messages.map((message) => ({
    type: 'message.wake',
    agent_id: spellAgent(agent),
    message_id: message.id,
    execution_id: message.execution_id,
    thread_id: message.thread_id,
    reply_to: message.reply_to,
    from: party({ addresses, spellAgent }, message.sender),
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
