import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { Tx } from '../../platform/database/database.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import { sseFrame } from '../../platform/streams/sse-frame.ts';
import type { WakeFeed } from '../../wire/wake-feed.ts';
import type { MessageWake, WakeSink } from '../records/transport.ts';
import { previewOf } from '../messages/message-answer.ts';
import type { MessageView } from '../records/message-row.ts';
import { messageTo, recentMessages, waitingMessages } from './wake-store.ts';

export interface MessageWakesOptions extends MessagingContext {
  readonly bus: Bus;
  readonly log: Log;
}

/** Shown to an agent that connects; how many there are beyond these it is told with each. */
const BACKLOG = 100;
/** Wakes a stream remembers having sent, so that a message that changes its way does not start the agent twice. */
const REMEMBERED = 1_000;
/** How much later than its time a message may be there to be seen: a slow commit, a node whose clock is behind. */
const LATE_MS = 30_000;
const NOT_SEEN_YET: ReadonlySet<MessageState> = new Set(['queued', 'delivering', 'retry_ready']);

const subjectOf = (agent: string): string => `delivery.message-wake ${agent}`;

/** Messages on the agent's own stream: what came while it was away, then each as it comes. */
export class MessageWakes implements WakeSink, WakeFeed {
  readonly #options: MessageWakesOptions;

  constructor(options: MessageWakesOptions) {
    this.#options = options;
  }

  wake(tx: Tx, { agent, messageId }: MessageWake): void {
    tx.afterCommit(() => this.#options.bus.publish(subjectOf(agent), messageId));
  }

  open(agent: string, send: (frame: string) => void): () => void {
    const { bus, clock, log } = this.#options;
    const { read } = this.#options.database;
    const sent = new Set<string>();
    let open = true;
    const show = async (messages: readonly MessageView[]): Promise<void> => {
      const fresh = messages.filter(({ execution_id: id }) => !sent.has(id));
      if (fresh.length === 0) return;
      const frames = await this.#frames(agent, fresh);
      for (const [at, frame] of frames.entries()) {
        if (!open) return;
        remember(sent, fresh[at]?.execution_id ?? '');
        send(frame);
      }
    };
    // One after the other, so that the backlog comes first and everything in its order.
    let work: Promise<void> = Promise.resolve();
    const then = (messages: () => Promise<readonly MessageView[]>): void => {
      work = work
        .then(async () => (open ? await show(await messages()) : undefined))
        .catch((error: unknown) => log.error('message_wake_failed', errorFields(error)));
    };
    const leave = bus.subscribe(subjectOf(agent), (id) => then(() => messageTo(read, agent, id)));
    then(() => waitingMessages(read, agent, BACKLOG));
    let lookedAt = clock.now();
    const stopLooking = bus.onGap(() => {
      const since = lookedAt - LATE_MS;
      lookedAt = clock.now();
      then(() => recentMessages(read, agent, { since, limit: BACKLOG }));
    });
    return () => {
      open = false;
      leave();
      stopLooking();
    };
  }

  async #frames(agent: string, messages: readonly MessageView[]): Promise<string[]> {
    const { database, recipients, tallies, settings, clock } = this.#options;
    const senders = [...new Set(messages.map(({ sender }) => sender))];
    const [addresses, waiting] = await Promise.all([
      recipients.addresses(database.read, senders),
      tallies.total(database.read, agent, 'inbox', NOT_SEEN_YET),
    ]);
    const now = clock.now();
    return messages.map((message) => {
      const data = {
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
      };
      // Without an id: the stream's cursor is that of the rooms.
      return sseFrame({ event: data.type, data: JSON.stringify(data) });
    });
  }
}

function remember(sent: Set<string>, id: string): void {
  sent.add(id);
  if (sent.size <= REMEMBERED) return;
  const [oldest] = sent;
  if (oldest !== undefined) sent.delete(oldest);
}
