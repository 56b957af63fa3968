import type { Channel } from '@parley/protocol/delivery/vocabulary';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import type { ExecutionRow, OutcomeRow } from './execution-row.ts';
import type { MessageRow } from './message-row.ts';
import type { SessionRow } from '../sessions/session-store.ts';
import type { AgentEvent } from './agent-event.ts';

type Spell = (suffix: string) => string;

const about = (message: MessageRow, spell: Spell) => ({
  message_id: message.id,
  sender_agent_id: spell(message.sender),
  recipient_agent_id: spell(message.recipient),
  thread_id: message.thread_id,
  reply_to: message.reply_to,
  priority: message.priority,
  correlation_id: message.correlation_id,
  subject: message.subject,
});

/** To the recipient: its time has come, and it is in the inbox or on a way to be pushed. */
export const messageDelivered = (message: MessageRow, channel: Channel | null, spell: Spell): AgentEvent => ({
  agent: message.recipient,
  type: 'message.delivered',
  payload: { ...about(message, spell), effective_delivery_mode: channel },
  messageId: message.id,
  priority: message.priority,
});

const RECEIPTS = {
  read: 'message.read',
  acked: 'message.acked',
  failed: 'message.failed',
} as const;

const isReceipt = (state: string): state is keyof typeof RECEIPTS => Object.hasOwn(RECEIPTS, state);

/** To the sender: what became of its message; undefined where nothing did that it waits for. */
export function messageReceipt(message: MessageRow, spell: Spell): AgentEvent | undefined {
  const { state } = message;
  if (!isReceipt(state)) return undefined;
  return {
    agent: message.sender,
    type: RECEIPTS[state],
    payload: {
      ...about(message, spell),
      execution_id: message.execution_id,
      delivery_state: state,
      [`${state}_at`]: isoOrNull(message[`${state}_at`]),
      ...(state === 'failed' && { message_dispatch_error: message.dispatch_error }),
    },
    messageId: message.id,
  };
}

const aboutExecution = (execution: ExecutionRow, spell: Spell) => ({
  execution_id: execution.id,
  source: execution.source,
  cue_id: execution.cue_id,
  message_id: execution.message_id,
  agent_id: execution.agent === null ? null : spell(execution.agent),
});

/** To the agent whose session or handler can claim it now; undefined when nobody can. */
export function executionOffered(execution: ExecutionRow, spell: Spell): AgentEvent | undefined {
  const { agent, channel, held, session_id: session, status } = execution;
  const claimable = channel === 'bg' || (channel === 'live' && session !== null);
  if (agent === null || !claimable || held === 1 || status !== 'pending') return undefined;
  return {
    agent,
    type: 'execution.offered',
    payload: {
      ...aboutExecution(execution, spell),
      task: execution.task,
      scheduled_for: iso(execution.scheduled_for),
      effective_delivery_mode: channel,
      delivery_route: execution.route,
      live_claim_deadline_at: isoOrNull(execution.live_deadline_at),
    },
  };
}

/** To who waits for it: the sender of the message, or the agent that the cue is for. */
export function executionOutcome(
  execution: ExecutionRow,
  outcome: OutcomeRow,
  message: MessageRow | undefined,
  spell: Spell,
): AgentEvent | undefined {
  const agent = execution.source === 'message' ? (message?.sender ?? null) : execution.agent;
  if (agent === null) return undefined;
  return {
    agent,
    type: 'execution.outcome',
    payload: {
      ...aboutExecution(execution, spell),
      success: outcome.success === 1,
      outcome_state: outcome.state,
      result: outcome.result,
      error: outcome.error,
      summary: outcome.summary,
      executed_via: outcome.executed_via,
      delivery_route: outcome.route,
      recorded_by: outcome.recorded_by,
      recorded_at: iso(outcome.recorded_at),
    },
  };
}

const aboutSession = (session: SessionRow, spell: Spell) => ({
  agent_id: spell(session.agent),
  label: session.label,
  cue_id: session.cue_id,
  task_name: session.task_name,
  is_default: session.is_default === 1,
  monitor_version: session.monitor_version,
  attached_at: iso(session.attached_at),
});

/** Both to the agent itself; the token of the session stays where it is. */
export const sessionAttached = (session: SessionRow, spell: Spell): AgentEvent => ({
  agent: session.agent,
  type: 'agent.live_session.attached',
  payload: aboutSession(session, spell),
});

export const sessionDetached = (
  session: SessionRow,
  { at, reason }: { at: number; reason: string },
  spell: Spell,
): AgentEvent => ({
  agent: session.agent,
  type: 'agent.live_session.detached',
  payload: { ...aboutSession(session, spell), detached_at: iso(at), detached_reason: reason },
});
