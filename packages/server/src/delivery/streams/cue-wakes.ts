import { iso, isoOrNull } from '../../wire/delivery/times.ts';
import { cueNames } from '../cues/record/cue-store.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import { type AnnouncedFeed, type FeedContext, wakeFeed } from './wake-feed.ts';
import { runTo, waitingRuns } from './wake-store.ts';

/** Shown to an agent that connects. */
const BACKLOG = 100;
/** A larger payload is left to be fetched with the execution. */
const SHOWN_PAYLOAD = 16_384;

/** Fires of cues on the stream of the agent they are for. */
export function cueWakes(context: FeedContext): AnnouncedFeed {
  const { read } = context.database;
  const waiting = (agent: string) => waitingRuns(read, agent, BACKLOG);
  return wakeFeed<ExecutionRow>(context, {
    subject: 'delivery.cue-wake',
    failed: 'cue_wake_failed',
    // A run that changes its way does not start the agent twice.
    idOf: ({ id }) => id,
    tell: (agent, runs) => told(context, agent, runs),
    waiting,
    hinted: (agent, id) => runTo(read, agent, id),
    missed: waiting,
  });
}

async function told(
  { database, settings, clock }: FeedContext,
  agent: string,
  runs: readonly ExecutionRow[],
) {
  const names = await cueNames(
    database.read,
    runs.map(({ cue_id: id }) => id),
  );
  const now = clock.now();
  return runs.map((run) => ({
    type: 'cue.wake',
    agent_id: settings.spellAgent(agent),
    cue_id: run.cue_id,
    cue_name: names.get(run.cue_id) ?? null,
    execution_id: run.id,
    message_id: run.message_id,
    task: run.task,
    triggered_by: run.triggered_by,
    scheduled_for: iso(run.scheduled_for),
    payload: (run.payload ?? '').length > SHOWN_PAYLOAD ? null : (JSON.parse(run.payload ?? '{}') as unknown),
    attempt: run.attempts + 1,
    effective_delivery_mode: run.channel,
    delivery_route: run.route,
    live_claim_deadline_at: isoOrNull(run.live_deadline_at),
    lag_ms: Math.max(0, now - run.scheduled_for),
  }));
}
