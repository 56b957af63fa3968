import type { CueCreate } from '@parley/protocol/delivery/types';
import type { Caller } from '../../../wire/caller.ts';
import { budgetText } from '../../../config/budgets.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { DeliveryError } from '../../../wire/delivery/errors.ts';
import { latestWorkerBeat } from '../../executions/worker-store.ts';
import type { CueContext } from '../cue-context.ts';
import { checkNext, checkUrls, checkWays, namedAgent, scheduleToCome } from './cue-input.ts';
import type { CueRow } from '../record/cue-row.ts';
import { insertCue } from '../record/cue-store.ts';
import { newCue } from './new-cue.ts';
import { startTimer } from '../firing/timers.ts';

const NO_WORKERS =
  'No active workers found. The cue will fire, but nothing will run until a worker sends a heartbeat.';

export interface StoredCue {
  readonly cue: CueRow;
  readonly warning: string | null;
}

export async function createCue(context: CueContext, caller: Caller, body: CueCreate): Promise<StoredCue> {
  const { clock, database, random } = context;
  const { ownerId } = caller;
  const now = clock.now();
  const schedule = scheduleToCome(body.schedule, now);
  const agent = await namedAgent(context, caller, body.agent);
  const cue = newCue(body, { owner_id: ownerId, schedule, agent, now }, random);
  checkWays(cue, body.payload ?? {});
  const unresolved = await checkUrls(context, [body.callback?.url, body.on_failure?.webhook]);
  await checkNext(context, ownerId, cue.on_success_fire, cue.id);
  await database.write(async (tx) => {
    await lockCuesOf(tx, ownerId);
    await mustFit(context, tx, caller);
    if (!(await insertCue(tx, cue))) throw new DeliveryError('duplicate_cue_name');
    await context.tallies.addCues(tx, ownerId, cue.status, 1);
    await startTimer(context, tx, cue);
  });
  return { cue, warning: unresolved ?? (await workerWarning(context, cue)) };
}

/** Names and the number of cues are checked and changed by one at a time. */
export const lockCuesOf = (tx: Tx, ownerId: string): Promise<void> => tx.lock(`cues of ${ownerId}`);

/** The plan says how many may be active or paused; the operator, how many there may be at all. */
async function mustFit(context: CueContext, tx: Tx, caller: Caller): Promise<void> {
  await mayLive(context, tx, caller);
  const { cues: budget } = context.settings.budgets;
  if (budget.limit === null) return;
  const { all } = await context.tallies.cues(tx, caller.ownerId);
  if (all >= budget.limit) {
    const extra = { limit: budget.limit, current: all };
    throw new DeliveryError('cue_limit_exceeded', budgetText(budget, all), { extra });
  }
}

/** Whether one more may be active, be it new or one that was over. */
export async function mayLive(
  { tallies, settings }: CueContext,
  tx: Tx,
  { ownerId, plan }: Caller,
): Promise<void> {
  const { activeCues } = settings.plans[plan];
  if (activeCues === null) return;
  const { active, paused } = await tallies.cues(tx, ownerId);
  const living = active + paused;
  if (living < activeCues) return;
  const message = `${living} of ${activeCues} cues of the plan are active or paused`;
  throw new DeliveryError('cue_limit_exceeded', message, { extra: { limit: activeCues, current: living } });
}

async function workerWarning(context: CueContext, cue: CueRow): Promise<string | null> {
  if (cue.transport !== 'worker' || cue.agent !== null) return null;
  const { database, clock, settings } = context;
  const beatAt = await latestWorkerBeat(database.read, cue.owner_id);
  const there = beatAt !== undefined && clock.now() - beatAt < settings.workerBeatTimeoutMs;
  return there ? null : NO_WORKERS;
}
