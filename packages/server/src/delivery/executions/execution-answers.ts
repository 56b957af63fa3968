import type { ClaimableAnswer, ExecutionAnswer, OutcomeAnswer } from '@parley/protocol/delivery/types';
import type { MessagingContext } from '../messaging-context.ts';
import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import type { Reader } from '../../platform/database/database.ts';
import { cueNames } from '../cues/record/cue-store.ts';
import type { MessageRow } from '../records/message-row.ts';
import { messagesById } from '../records/message-store.ts';
import type { ExecutionRow, OutcomeRow } from '../records/execution-row.ts';
import { outcomesOf } from '../records/execution-store.ts';
import { readTrace } from './journeys.ts';
import { type AgentNames, party } from '../records/agent-names.ts';

type Payload = Record<string, unknown>;
type Claimable = ClaimableAnswer['executions'][number];

/** Shows executions, with the payload that is made from the message behind them. */
export async function executionAnswers(
  context: MessagingContext,
  reader: Reader,
  rows: readonly ExecutionRow[],
): Promise<ExecutionAnswer[]> {
  const ids = rows.map(({ id }) => id);
  const [payloads, outcomes] = await Promise.all([
    payloadsOf(context, reader, rows),
    outcomesOf(reader, ids),
  ]);
  return rows.map((row) => executionAnswer(context, row, payloads.get(row.id) ?? {}, outcomes.get(row.id)));
}

export async function claimableAnswers(
  context: MessagingContext,
  reader: Reader,
  rows: readonly ExecutionRow[],
): Promise<Claimable[]> {
  const cueIds = rows.flatMap((row) => (row.source === 'cue' ? row.cue_id : []));
  const [payloads, names] = await Promise.all([
    takenPayloads(context, reader, rows),
    cueNames(reader, cueIds),
  ]);
  return rows.map((row) => ({
    execution_id: row.id,
    cue_id: row.cue_id,
    cue_name: names.get(row.cue_id) ?? null,
    task: row.task,
    scheduled_for: iso(row.scheduled_for),
    payload: payloads.get(row.id) ?? {},
    attempt: row.attempts + 1,
    agent_id: agentIdOf(context, row.agent),
    message_id: row.message_id,
    delivery_mode: row.delivery_mode,
    effective_delivery_mode: row.channel,
    delivery_route: row.route,
    live_claim_deadline_at: isoOrNull(row.live_deadline_at),
  }));
}

/** For whoever takes them: with what they are to be given beside it. By execution id. */
export async function takenPayloads(
  context: MessagingContext,
  reader: Reader,
  rows: readonly ExecutionRow[],
): Promise<Map<string, Payload>> {
  const payloads = await payloadsOf(context, reader, rows);
  for (const row of rows.filter(({ attach }) => attach === 'startup')) {
    const startup = await startupOf(context, reader, row);
    payloads.set(row.id, { ...payloads.get(row.id), startup });
  }
  return payloads;
}

/** What the agent it is for carries on from; null where it is for nobody, or there is nothing. */
export async function startupOf(
  { recipients, startup }: MessagingContext,
  reader: Reader,
  { agent, target }: Pick<ExecutionRow, 'agent' | 'target'>,
): Promise<object | null> {
  const recipient = await recipients.find(reader, target ?? agent);
  return recipient ? await startup.of(recipient) : null;
}

/** By execution id. */
async function payloadsOf(
  context: MessagingContext,
  reader: Reader,
  rows: readonly ExecutionRow[],
): Promise<Map<string, Payload>> {
  const { recipients, settings } = context;
  const messages = await messagesById(
    reader,
    rows.flatMap(({ message_id: id }) => id ?? []),
  );
  const agents = [...messages.values()].flatMap(({ sender, recipient }) => [sender, recipient]);
  const addresses = await recipients.addresses(reader, [...new Set(agents)]);
  const names = { addresses, spellAgent: settings.spellAgent };
  return new Map(rows.map((row) => [row.id, payloadOf(row, messages.get(row.message_id ?? ''), names)]));
}

function agentIdOf(context: MessagingContext, suffix: string | null): string | null {
  return suffix === null ? null : context.settings.spellAgent(suffix);
}

function executionAnswer(
  context: MessagingContext,
  row: ExecutionRow,
  payload: Payload,
  outcome: OutcomeRow | undefined,
): ExecutionAnswer {
  return {
    id: row.id,
    execution_id: row.id,
    source: row.source,
    cue_id: row.cue_id,
    message_id: row.message_id,
    agent_id: agentIdOf(context, row.agent),
    scheduled_for: iso(row.scheduled_for),
    status: row.status,
    triggered_by: row.triggered_by,
    attempts: row.attempts,
    http_status: row.http_status,
    response_body: row.response_body,
    next_retry: isoOrNull(row.next_retry_at),
    error_message: row.error_message,
    started_at: isoOrNull(row.started_at),
    delivered_at: isoOrNull(row.delivered_at),
    last_attempt_at: isoOrNull(row.last_attempt_at),
    claimed_by_worker: row.claimed_by,
    claimed_at: isoOrNull(row.claimed_at),
    lease_expires_at: isoOrNull(row.lease_expires_at),
    last_heartbeat_at: isoOrNull(row.last_heartbeat_at),
    payload,
    delivery_mode: row.delivery_mode,
    live_fallback_mode: row.live_fallback_mode,
    effective_delivery_mode: row.channel,
    delivery_route: row.route,
    executed_via: row.executed_via,
    live_claim_deadline_at: isoOrNull(row.live_deadline_at),
    live_claimed_at: isoOrNull(row.live_claimed_at),
    live_unclaimed_reason: row.live_unclaimed_reason,
    outcome: outcome ? outcomeAnswer(outcome) : null,
    outcome_success: row.outcome_success === null ? null : row.outcome_success === 1,
    outcome_state: row.outcome_state,
    evidence_external_id: outcome?.external_id ?? null,
    evidence_result_url: outcome?.result_url ?? null,
    evidence_result_ref: outcome?.result_ref ?? null,
    evidence_result_type: outcome?.result_type ?? null,
    evidence_summary: outcome?.summary ?? null,
    evidence_artifacts: artifactsOf(outcome),
    chain_parent_id: row.chain_parent_id,
    chain_depth: row.chain_depth,
    replayed_from: row.replayed_from,
    routing_trace: readTrace(row.trace).map((step) => ({ ...step, at: iso(step.at) })),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

function payloadOf(row: ExecutionRow, message: MessageRow | undefined, names: AgentNames): Payload {
  if (row.payload !== null) return JSON.parse(row.payload) as Payload;
  return message ? messagePayload(row, message, names) : {};
}

/** What whoever takes a message's push is given. */
function messagePayload(execution: ExecutionRow, message: MessageRow, names: AgentNames) {
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

/** Of one that a call has just made. */
export const begunAnswer = ({ id, cue_id, scheduled_for, status, triggered_by }: ExecutionRow) => ({
  id,
  execution_id: id,
  cue_id,
  scheduled_for: iso(scheduled_for),
  status,
  triggered_by,
});

export const artifactsOf = (outcome: Pick<OutcomeRow, 'artifacts'> | undefined): unknown[] | null =>
  outcome?.artifacts == null ? null : (JSON.parse(outcome.artifacts) as unknown[]);

export const objectOf = (text: string | null): Payload | null =>
  text === null ? null : (JSON.parse(text) as Payload);

function outcomeAnswer(outcome: OutcomeRow): OutcomeAnswer {
  return {
    success: outcome.success === 1,
    result: outcome.result,
    error: outcome.error,
    metadata: objectOf(outcome.metadata) ?? {},
    recorded_at: iso(outcome.recorded_at),
    recorded_by: outcome.recorded_by,
    executed_via: outcome.executed_via,
    executed_via_reported: outcome.executed_via_reported,
    delivery_route: outcome.route,
    external_id: outcome.external_id,
    result_url: outcome.result_url,
    result_ref: outcome.result_ref,
    result_type: outcome.result_type,
    summary: outcome.summary,
    artifacts: artifactsOf(outcome),
    assertions: objectOf(outcome.assertions),
    validation_state: outcome.state,
  };
}
