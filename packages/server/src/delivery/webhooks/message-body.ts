import { iso } from '../../wire/delivery/times.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import type { MessageRow } from '../records/message-row.ts';
import type { Json } from '../../wire/delivery/signed-json.ts';

export interface BodyNames {
  /** `slug@owner` by suffix. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly spellAgent: (suffix: string) => string;
}

/** What a message's webhook is posted. */
export function messageBody(
  message: MessageRow,
  execution: Pick<ExecutionRow, 'id' | 'route'>,
  { addresses, spellAgent }: BodyNames,
): { readonly [key: string]: Json } {
  const party = (suffix: string) => ({ agent_id: spellAgent(suffix), slug: addresses.get(suffix) ?? '' });
  return {
    id: message.id,
    from: party(message.sender),
    to: party(message.recipient),
    thread_id: message.thread_id,
    reply_to: message.reply_to,
    subject: message.subject,
    body: message.body,
    priority: message.priority,
    expects_reply: message.expects_reply === 1,
    reply_to_agent_id: message.reply_to_agent === null ? null : spellAgent(message.reply_to_agent),
    metadata: JSON.parse(message.metadata) as Json,
    correlation_id: message.correlation_id,
    created_at: iso(message.created_at),
    execution_id: execution.id,
    delivery_mode: message.delivery_mode,
    delivery_route: execution.route,
  };
}
