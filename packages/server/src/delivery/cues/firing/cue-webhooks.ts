import { signingSecrets } from '../../../identity/owners/account-secrets.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { type Json, signedJson } from '../../../wire/delivery/signed-json.ts';
import { iso } from '../../../wire/delivery/times.ts';
import { agentRecord } from '../../agents/agent-store.ts';
import { startupOf } from '../../executions/execution-answers.ts';
import { lockJourney, moveExecution } from '../../executions/journeys.ts';
import { type Accepted, recordAnswer } from '../../executions/outcomes.ts';
import type { ExecutionPatch, ExecutionRow } from '../../records/execution-row.ts';
import { takes } from '../../records/execution-states.ts';
import { executionById } from '../../records/execution-store.ts';
import { traceStep } from '../../routing/trace.ts';
import type { PushSource } from '../../webhooks/push-webhooks.ts';
import { cueRetries } from '../../webhooks/retry-schedule.ts';
import type { Outgoing, RunningDelivery } from '../../webhooks/webhook-kind.ts';
import type { CueContext } from '../cue-context.ts';
import { callbackOf, type CueRow, deliveryOf, retryOf } from '../record/cue-row.ts';
import { countRun, cueById } from '../record/cue-store.ts';

const OUTCOME_JOB = 'delivery.outcome_deadline';

export function defineOutcomeDeadline(context: CueContext): void {
  context.jobs.defineWrite<string>(OUTCOME_JOB, (tx, id) => giveUpWaiting(context, tx, id), {
    concurrency: 16,
  });
}

/** Fires of cues to their callbacks, or to the endpoint of their agent. */
export const cuePushes = (context: CueContext): PushSource => ({
  source: 'cue',
  refOf: ({ id }) => id,
  mostAttempts: (execution) => execution.max_attempts ?? 1,
  compose: (delivery) => compose(context, delivery),

  /** An outcome in the answer is the outcome. Without one it is awaited, where the cue says so. */
  async accept(tx, { execution }, accepted, said) {
    if (said && execution.outcome_success === null)
      await recordAnswer(context, tx, { execution, message: undefined }, said, accepted);
    else await awaitOutcome(context, tx, execution, accepted);
  },

  async followed(tx, { execution }, step) {
    if (step === 'attempt_started') await countRun(tx, execution.cue_id);
  },
});

async function compose(
  context: CueContext,
  { executionId, attempt }: RunningDelivery,
): Promise<Outgoing | undefined> {
  const { database, settings, identity } = context;
  const execution = await executionById(database.read, executionId ?? '');
  const cue = execution && (await cueById(database.read, execution.cue_id));
  const endpoint = cue && (await endpointOf(context, cue, execution));
  if (!endpoint) return undefined;
  const timeout = deliveryOf(cue)?.timeout_seconds;
  const scheduledFor = iso(execution.scheduled_for);
  const payload = await payloadOf(context, execution);
  return {
    url: endpoint.url,
    method: endpoint.method,
    secrets: await signingSecrets(identity, cue.owner_id, 'webhook_secret'),
    body: signedJson({
      execution_id: execution.id,
      cue_id: cue.id,
      name: cue.name,
      scheduled_for: scheduledFor,
      attempt,
      payload,
    }),
    headers: {
      ...allowed(endpoint.headers),
      'X-CueAPI-Cue-Id': cue.id,
      'X-CueAPI-Execution-Id': execution.id,
      'X-CueAPI-Scheduled-For': scheduledFor,
      'X-CueAPI-Attempt': String(attempt),
    },
    timeoutMs: timeout === undefined ? settings.webhookTimeoutMs : timeout * 1000,
    retries: cueRetries(retryOf(cue)),
  };
}

async function payloadOf(context: CueContext, execution: ExecutionRow): Promise<Json> {
  const payload = JSON.parse(execution.payload ?? '{}') as { readonly [key: string]: Json };
  if (execution.attach !== 'startup') return payload;
  const startup = await startupOf(context, context.database.read, execution);
  // It is made of JSON.
  return { ...payload, startup: startup as Json };
}

/** To its own callback, or to where the agent it was routed to takes webhooks. */
async function endpointOf(
  { database }: CueContext,
  cue: CueRow,
  execution: ExecutionRow,
): Promise<Endpoint | undefined> {
  if (execution.target === null) return callbackOf(cue) ?? undefined;
  const agent = await agentRecord(database.read, execution.agent ?? execution.target);
  if (agent?.webhookUrl == null || agent.deletedAt !== null) return undefined;
  return { url: agent.webhookUrl, method: 'POST', headers: {} };
}

async function awaitOutcome(
  context: CueContext,
  tx: Tx,
  execution: ExecutionRow,
  { patch, step }: Accepted,
): Promise<void> {
  const cue = await cueById(tx, execution.cue_id);
  const deadline = cue && deliveryOf(cue)?.outcome_deadline_seconds;
  if (deadline === undefined || execution.outcome_success !== null) {
    await moveExecution(context, tx, execution, 'accepted', patch, [step]);
    return;
  }
  const now = context.clock.now();
  const waits = traceStep(now, 'outcome', 'awaited', `${deadline} s`);
  await moveExecution(context, tx, execution, 'awaits_outcome', patch, [step, waits]);
  await context.jobs.enqueue(tx, OUTCOME_JOB, execution.id, { dueAt: now + deadline * 1000 });
}

const NO_OUTCOME = 'No outcome was reported within the deadline';

async function giveUpWaiting(context: CueContext, tx: Tx, executionId: string): Promise<undefined> {
  const execution = (await lockJourney(tx, executionId))?.execution;
  if (!execution || !takes(execution.status, 'outcome_deadline')) return;
  const patch: ExecutionPatch = { outcome_state: 'unknown', error_message: NO_OUTCOME };
  const step = traceStep(context.clock.now(), 'outcome', 'unknown', 'deadline_passed');
  await moveExecution(context, tx, execution, 'outcome_deadline', patch, [step]);
}

type Endpoint = Required<Pick<Outgoing, 'url' | 'method' | 'headers'>>;

/**
 * What a cue must not set: ours, which receivers trust, and those that say where a request goes and how long it is, with
 * which one request could be made to look like two.
 */
const RESERVED =
  /^(?:x-cueapi-.*|webhook-.*|host|content-.*|user-agent|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i;

const allowed = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !RESERVED.test(name)));
