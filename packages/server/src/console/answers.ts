import type {
  AgentRouteAnswer,
  ListedExecutionAnswer,
  ListedMessageAnswer,
  ListedThreadAnswer,
  ReachedAgentAnswer,
} from '@parley/protocol/console/view-routes';
import type {
  ListedExecution,
  ListedMessage,
  ListedThread,
  ReachedAgent,
} from '../delivery/overview/lately.ts';
import { iso, isoOrNull } from '../wire/delivery/times.ts';
import type { namesOf } from './scope.ts';
import { addressOf } from '../identity/agents/agent-details.ts';

type Spelling = (suffix: string) => string;

export function agentAnswer(spell: Spelling, agent: ReachedAgent, now: number): ReachedAgentAnswer {
  const { recipient, plan, name, status, lastSeenAt, waiting } = agent;
  return {
    id: spell(recipient.suffix),
    address: addressOf(recipient, recipient.ownerSlug),
    owner: recipient.ownerSlug,
    name,
    reach: status === 'away' ? 'away' : plan.channel,
    heard_at: plan.beatAgeMs === null ? null : iso(now - plan.beatAgeMs),
    last_seen_at: isoOrNull(lastSeenAt),
    status,
    waiting,
    warning: plan.warning,
  };
}

export const routeAnswer = (spell: Spelling, agent: ReachedAgent, now: number): AgentRouteAnswer => ({
  agent: agentAnswer(spell, agent, now),
  route: agent.plan.route,
  action: agent.plan.action,
  steps: agent.plan.trace.map(({ step, result, reason }) => ({ step, result, reason })),
});

export interface Names extends Awaited<ReturnType<typeof namesOf>> {
  /** Whether the person may read texts between these two owners. */
  readonly texts: (row: Pick<ListedMessage, 'sender_owner' | 'recipient_owner'>) => boolean;
}

/** `owner` is whose the object is for the person: the recipient's, or the sender's where only that is theirs. */
export const messageAnswer = (
  row: ListedMessage,
  ownerId: string | undefined,
  { addresses, slugs, texts }: Names,
): ListedMessageAnswer => ({
  id: row.id,
  owner: slugs.get(ownerId ?? row.recipient_owner) ?? '',
  from: addresses.get(row.sender) ?? row.sender,
  to: addresses.get(row.recipient) ?? row.recipient,
  thread_id: row.thread_id,
  subject: texts(row) ? row.subject : null,
  priority: row.priority,
  expects_reply: row.expects_reply === 1,
  state: row.state,
  proven_stage: row.proven_stage,
  error: row.dispatch_error,
  execution_id: row.execution_id,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** Replies mostly have no subject of their own; the thread has. */
export const threadAnswer = (
  row: ListedThread,
  ownerId: string | undefined,
  names: Names,
): ListedThreadAnswer => ({
  ...messageAnswer(row, ownerId, names),
  subject: names.texts(row) ? (row.subject ?? row.opened_as) : null,
  messages: row.messages,
  unread: row.unread,
  stopped_at: isoOrNull(row.tripped_at),
});

export const executionAnswer = (
  row: ListedExecution,
  { addresses, slugs }: Omit<Names, 'texts'>,
): ListedExecutionAnswer => ({
  id: row.id,
  owner: slugs.get(row.owner_id) ?? '',
  source: row.source,
  cue_id: row.cue_id,
  message_id: row.message_id,
  agent: row.agent === null ? null : (addresses.get(row.agent) ?? row.agent),
  task: row.task,
  status: row.status,
  outcome_state: row.outcome_state,
  triggered_by: row.triggered_by,
  attempts: row.attempts,
  claimed_by: row.claimed_by,
  lease_expires_at: isoOrNull(row.lease_expires_at),
  error: row.error_message,
  scheduled_for: iso(row.scheduled_for),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
