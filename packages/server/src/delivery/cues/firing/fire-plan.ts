import { MAX_TASK_NAME } from '@parley/protocol/delivery/limits';
import { UNROUTED } from '../../executions/pushes.ts';
import type { ExecutionRow } from '../../records/execution-row.ts';
import { planPush, type PushPlan, type PushRequest } from '../../routing/push-plan.ts';
import { type TraceStep, traceStep } from '../../routing/trace.ts';
import { holdAttached } from '../../sessions/session-store.ts';
import type { CueRow, Payload } from '../record/cue-row.ts';
import type { FireRound } from './fire-round.ts';

/** The way of a fire: as that of a message to its agent, or the plain transport of the cue. */
export interface FirePlan extends Pick<PushPlan, 'action' | 'missReason'> {
  readonly columns: Omit<PushPlan['columns'], 'cue_id' | 'agent'> & Pick<ExecutionRow, 'agent'>;
  readonly trace: readonly TraceStep[];
}

/**
 * Undefined when the agent is gone. A session is held as a detach would hold it: no push is left behind at one that is gone.
 */
export async function planForAgent(
  round: FireRound,
  agent: string,
  request: PushRequest,
): Promise<FirePlan | undefined> {
  const { clock, settings } = round.context;
  const started = await round.startAgent(agent);
  if (!started) return undefined;
  const times = { now: clock.now(), ...settings };
  const plan = planPush(started.recipient, request, times);
  if (plan.action !== 'offer' || (await holdAttached(round.tx, plan.columns.session_id ?? ''))) {
    return shown(plan, started.step);
  }
  return shown(planPush(await round.sessionsAnew(started), request, times), started.step);
}

function shown(plan: PushPlan, first: TraceStep): FirePlan {
  const { cue_id: _implicit, ...columns } = plan.columns;
  return { action: plan.action, missReason: plan.missReason, columns, trace: [first, ...plan.trace] };
}

/** To the callback, or to whichever worker comes for it. */
export function plainPlan({ transport }: Pick<CueRow, 'transport'>, payload: Payload, now: number): FirePlan {
  const trace = [traceStep(now, 'requested', transport, 'no_agent')];
  const nobody = { ...UNROUTED, agent: null };
  if (transport === 'webhook') {
    const columns = { ...nobody, channel: 'webhook', route: 'webhook_direct' } as const;
    return { action: 'post_webhook', missReason: null, columns, trace };
  }
  const { task } = payload;
  const named = typeof task === 'string' && task.length <= MAX_TASK_NAME ? task : null;
  const columns = { ...nobody, task: named, channel: 'bg', route: 'background_direct' } as const;
  return { action: 'push_bg', missReason: null, columns, trace };
}
