import type { Tx } from '../../../platform/database/database.ts';
import type { ExecutionRow } from '../../records/execution-row.ts';
import type { CueContext } from '../cue-context.ts';
import { type CueRow, onFailureOf } from '../record/cue-row.ts';
import { changeStatus } from '../record/status-changes.ts';

/**
 * A run came to a bad end and there is no further attempt: failed, missed, not claimed by a live session, or silent past its
 * deadline. In this order: a single run makes its cue failed, `on_failure.pause` pauses a recurring one, then the alarm is
 * raised. The cue is locked by the caller.
 */
export async function finalFailure(
  context: CueContext,
  tx: Tx,
  cue: CueRow,
  execution: ExecutionRow,
): Promise<void> {
  const changed = await consequence(context, tx, cue);
  await context.failures.cueFailed(tx, { cue: changed, execution });
}

async function consequence(context: CueContext, tx: Tx, cue: CueRow): Promise<CueRow> {
  if (cue.schedule_type === 'once') {
    // A single time that was set anew, or not fired yet, is still to come.
    return cue.next_run === null ? await changeStatus(context, tx, cue, 'once_failed') : cue;
  }
  if (cue.status === 'active' && onFailureOf(cue).pause) {
    return await changeStatus(context, tx, cue, 'paused');
  }
  return cue;
}
