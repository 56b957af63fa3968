import type { MessageRow } from '../records/message-row.ts';
import type { ExecutionRow } from '../records/execution-row.ts';

export interface PayloadNames {
  /** `slug@owner` by suffix. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly spellAgent: (suffix: string) => string;
}

/** What whoever takes a message's push is given. */
export function messagePayload(execution: ExecutionRow, message: MessageRow, names: PayloadNames) {
  const { addresses, spellAgent } = names;
  return {
    task: execution.task,
    kind: 'message',
    agent: addresses.get(message.recipient) ?? '',
    message_id: message.id,
    thread_id: message.thread_id,
    reply_to: message.reply_to,
    from: { agent_id: spellAgent(message.sender), slug: addresses.get(message.sender) ?? '' },
    subject: message.subject,
    message: message.body,
    priority: message.priority,
    expects_reply: message.expects_reply === 1,
    correlation_id: message.correlation_id,
    metadata: JSON.parse(message.metadata) as Record<string, unknown>,
    routing: execution.channel,
    live_fallback_mode: execution.live_fallback_mode,
  };
}
