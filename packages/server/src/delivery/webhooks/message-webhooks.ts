import type { Platform } from '../../platform.ts';
import { type Json, signedJson } from '../../wire/delivery/signed-json.ts';
import { agentRecord } from '../agents/agent-store.ts';
import { webhookSecrets } from '../agents/webhook-secrets.ts';
import { startupOf } from '../executions/execution-answers.ts';
import type { Taken } from '../executions/hand-over.ts';
import { type Journey, moveExecution } from '../executions/journeys.ts';
import { recordAnswer } from '../executions/outcomes.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { type AgentNames, party } from '../records/agent-names.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { executionById } from '../records/execution-store.ts';
import { advanceMessage } from '../records/message-moves.ts';
import type { MessageRow } from '../records/message-row.ts';
import { messagesById } from '../records/message-store.ts';
import type { PushSource } from './push-webhooks.ts';
import { MESSAGE_RETRIES } from './retry-schedule.ts';
import type { Outgoing, RunningDelivery } from './webhook-kind.ts';

type MessagePushes = MessagingContext & Pick<Platform, 'secrets'>;

/** Messages to the endpoints of agents. */
export const messagePushes = (context: MessagePushes): PushSource => ({
  source: 'message',
  refOf: ({ message_id: id }) => id,
  mostAttempts: () => MESSAGE_RETRIES.maxAttempts,
  takenSince,
  compose: (delivery) => compose(context, delivery),

  async accept(tx, { execution, message }, { patch, step }, said) {
    const accepted = await moveExecution(context, tx, execution, 'accepted', patch, [step]);
    // A failure that is reported at once is what the message ends in: its text was delivered, its state never so.
    const moved =
      message && said?.success !== false
        ? await advanceMessage(context, tx, message, 'attempt_delivered')
        : message;
    if (said) await recordAnswer(context, tx, { execution: accepted, message: moved }, said);
  },

  async followed(tx, { message }, step, error) {
    const patch = error === undefined ? {} : { dispatch_error: error };
    if (message) await advanceMessage(context, tx, message, step, patch);
  },
});

async function compose(
  context: MessagePushes,
  { executionId, ref, attempt }: RunningDelivery,
): Promise<Outgoing | undefined> {
  const { database, recipients, settings } = context;
  const { read } = database;
  const message = (await messagesById(read, [ref])).get(ref);
  const execution = await executionById(read, executionId ?? '');
  if (!message || !execution) return undefined;
  const recipient = await agentRecord(read, message.recipient);
  const secrets = await webhookSecrets(context, read, message.recipient);
  if (recipient?.webhookUrl == null || recipient.deletedAt !== null || !secrets) return undefined;
  const addresses = await recipients.addresses(read, [message.sender, message.recipient]);
  const { spellAgent } = settings;
  const carried = execution.attach === 'startup' ? await startupOf(context, read, execution) : undefined;
  // It is made of JSON.
  const startup = carried === undefined ? {} : { startup: carried as Json };
  return {
    url: recipient.webhookUrl,
    secrets,
    body: signedJson({ ...messageBody(message, execution, { addresses, spellAgent }), ...startup }),
    headers: {
      'X-CueAPI-Event-Type': 'message.created',
      'X-CueAPI-Message-Id': message.id,
      'X-CueAPI-Agent-Id': spellAgent(message.recipient),
      'X-CueAPI-Thread-Id': message.thread_id,
      'X-CueAPI-Attempt': String(attempt),
    },
    timeoutMs: settings.webhookTimeoutMs,
    retries: MESSAGE_RETRIES,
  };
}

/** What a message's webhook is posted. */
function messageBody(
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

/** By another way. What a replay sends once more the recipient may have had before; only since then does it matter. */
function takenSince({ execution, message }: Journey): Taken | undefined {
  if (message?.state !== 'read' && message?.state !== 'acked') return undefined;
  const at = message.acked_at ?? message.read_at;
  const before = execution.triggered_by === 'replay' && at !== null && at < execution.created_at;
  return before ? undefined : message.state;
}
