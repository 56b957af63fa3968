import { type AgentNames, party } from '../records/agent-names.ts';
import type { MessageRow } from '../records/message-row.ts';
import type { ExecutionRow } from '../records/execution-row.ts';

/** What whoever takes a message's push is given. */
export function messagePayload(execution: ExecutionRow, message: MessageRow, names: AgentNames) {
  return {
    task: execution.task,
    kind: 'message',
    agent: party(names, message.recipient).slug,
    message_id: message.id,
    thread_id: message.thread_id,
    reply_to: message.reply_to,
    from: party(names, message.sender),
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
