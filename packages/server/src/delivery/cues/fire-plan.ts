import { MAX_TASK_NAME } from '@parley/protocol/delivery/limits';
import type { Tx } from '../../platform/database/database.ts';
import { columnsOf } from '../executions/pushes.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { planPush, type PushPlan, type PushRequest } from '../routing/push-plan.ts';
import { type TraceStep, traceStep } from '../routing/trace.ts';
import type { CueContext } from './cue-context.ts';
import type { CueRow, Payload } from './cue-row.ts';

/** The way of a fire: as that of a message to its agent, or the plain transport of the cue. */
export interface FirePlan extends Pick<PushPlan, 'action' | 'missReason'> {
  readonly columns: Omit<ReturnType<typeof columnsOf>, 'cue_id' | 'agent'> & Pick<ExecutionRow, 'agent'>;
  readonly trace: readonly TraceStep[];
}

/**
 * Undefined when the agent is gone. Under the locks that a delete and a detach take too: no push is left behind at an agent
 * or a session that is gone.
 */
export async function planForAgent(
  context: CueContext,
  tx: Tx,
  agent: string,
  request: PushRequest,
): Promise<FirePlan | undefined> {
  const { recipients, clock, settings } = context;
  if (!(await recipients.hold(tx, agent))) return undefined;
  const recipient = await recipients.find(tx, agent);
  if (!recipient) return undefined;
  const times = { now: clock.now(), ...settings };
  const plan = planPush(recipient, request, times);
  if (plan.action !== 'offer' || (await recipients.holdSession(tx, plan.sessionId ?? ''))) return shown(plan);
  const sessions = await recipients.sessions(tx, agent);
  return shown(planPush({ ...recipient, sessions }, request, times));
}

function shown(plan: PushPlan): FirePlan {
  const { cue_id: _implicit, ...columns } = columnsOf(plan);
  return { action: plan.action, missReason: plan.missReason, columns, trace: plan.trace };
}

const NOBODY = {
  agent: null,
  session_id: null,
  held: 0,
  via_parent: 0,
  beat_age_ms: null,
  live_deadline_at: null,
} as const;

/** To the callback, or to whichever worker comes for it. */
export function plainPlan({ transport }: Pick<CueRow, 'transport'>, payload: Payload, now: number): FirePlan {
  const trace = [traceStep(now, 'requested', transport, 'no_agent')];
  if (transport === 'webhook') {
    const columns = { ...NOBODY, task: null, channel: 'webhook', route: 'webhook_direct' } as const;
    return { action: 'post_webhook', missReason: null, columns, trace };
  }
  const { task } = payload;
  const named = typeof task === 'string' && task.length <= MAX_TASK_NAME ? task : null;
  const columns = { ...NOBODY, task: named, channel: 'bg', route: 'background_direct' } as const;
  return { action: 'push_bg', missReason: null, columns, trace };
}
