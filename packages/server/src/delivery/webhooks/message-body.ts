import { iso } from '../../wire/delivery/times.ts';
import { type AgentNames, party } from '../records/agent-names.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import type { MessageRow } from '../records/message-row.ts';
import type { Json } from '../../wire/delivery/signed-json.ts';

/** What a message's webhook is posted. */
export function messageBody(
  message: MessageRow,
  execution: Pick<ExecutionRow, 'id' | 'route'>,
  names: AgentNames,
): { readonly [key: string]: Json } {
  return {
    id: message.id,
    from: party(names, message.sender),
    to: party(names, message.recipient),
    thread_id: message.thread_id,
    reply_to: message.reply_to,
    subject: message.subject,
    body: message.body,
    priority: message.priority,
    expects_reply: message.expects_reply === 1,
    reply_to_agent_id: message.reply_to_agent === null ? null : names.spellAgent(message.reply_to_agent),
    metadata: JSON.parse(message.metadata) as Json,
    correlation_id: message.correlation_id,
    created_at: iso(message.created_at),
    execution_id: execution.id,
    delivery_mode: message.delivery_mode,
    delivery_route: execution.route,
  };
}
