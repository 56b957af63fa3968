import { MAX_CHAIN_DEPTH } from '@parley/protocol/delivery/limits';
import type { JobRun } from '../../../platform/jobs/job.ts';
import { changeExecution, lockJourney } from '../../executions/journeys.ts';
import type { ExecutionRow } from '../../records/execution-row.ts';
import { executionById } from '../../records/execution-store.ts';
import { traceStep } from '../../routing/trace.ts';
import type { CueContext } from '../cue-context.ts';
import type { CueRow } from '../record/cue-row.ts';
import { mayFire } from '../record/cue-states.ts';
import { countFire, cueById, lockCue, readCue } from '../record/cue-store.ts';
import { type Fire, scheduledFire } from '../firing/fire.ts';
import { FireRound } from '../firing/fire-round.ts';
import { fireNow } from '../firing/firing.ts';
import { chainOf } from './run-store.ts';
import { targetOfFire } from '../firing/targets.ts';

export const CHAIN_JOB = 'delivery.cue_chain';

/** A success of one cue fires another: once, and never in a circle. */
export function defineChains(context: CueContext): void {
  context.jobs.define<string>(CHAIN_JOB, {
    concurrency: 8,
    handler: ({ payload }, run) => fireLink(context, payload, run),
  });
}

async function fireLink(context: CueContext, executionId: string, run: JobRun): Promise<void> {
  const { database } = context;
  const parent = await executionById(database.read, executionId);
  const from = parent && (await cueById(database.read, parent.cue_id));
  if (!parent || from?.on_success_fire == null) return;
  const next = await readCue(database.read, from.owner_id, from.on_success_fire);
  const obstacle = await obstacleTo(context, parent, next);
  if (!next || obstacle !== null) return await note(context, executionId, obstacle ?? 'cue_deleted', run);
  const fire = linkOf(context, next, parent);
  const target = await targetOfFire(context, fire);
  await database.write(async (tx) => {
    const cue = await lockCue(tx, next.owner_id, next.id);
    const round = new FireRound(context, tx);
    if (cue && mayFire(cue.status) && (await fireNow(round, { ...fire, cue }, target))) {
      await countFire(tx, cue.id, { fired: 0, executions: 1 });
    }
    await round.close();
    await run.complete(tx);
  });
}

async function obstacleTo(
  context: CueContext,
  parent: ExecutionRow,
  next: CueRow | undefined,
): Promise<string | null> {
  if (!next) return 'cue_deleted';
  if (!mayFire(next.status)) return `cue_${next.status}`;
  if (parent.chain_depth >= MAX_CHAIN_DEPTH) return 'chain_too_deep';
  const before = await chainOf(context.database.read, parent);
  return before.has(next.id) ? 'chain_is_a_circle' : null;
}

function linkOf({ clock }: CueContext, next: CueRow, parent: ExecutionRow): Fire {
  return {
    ...scheduledFire(next, clock.now()),
    trigger: 'chain',
    chain: { parentId: parent.id, depth: parent.chain_depth + 1 },
  };
}

/** Why nothing followed is said where somebody will look for it. */
async function note(context: CueContext, executionId: string, reason: string, run: JobRun): Promise<void> {
  await context.database.write(async (tx) => {
    const journey = await lockJourney(tx, executionId);
    const step = traceStep(context.clock.now(), 'chain', 'not_fired', reason);
    if (journey) await changeExecution(context, tx, journey.execution, {}, [step]);
    await run.complete(tx);
  });
}
