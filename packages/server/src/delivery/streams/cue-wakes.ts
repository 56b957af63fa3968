import type { Platform } from '../../platform.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { WakeFeed } from '../../wire/wake-feed.ts';
import { wakeLine } from '../../wire/wake-line.ts';
import { cueNames } from '../cues/record/cue-store.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import type { CueWakeSink } from '../records/transport.ts';
import { runTo, waitingRuns } from './wake-store.ts';

export type CueWakesOptions = MessagingContext & Pick<Platform, 'bus' | 'log'>;

/** Shown to an agent that connects. */
const BACKLOG = 100;
/** A larger payload is left to be fetched with the execution. */
const SHOWN_PAYLOAD = 16_384;

const subjectOf = (agent: string): string => `delivery.cue-wake ${agent}`;

export type CueWakes = CueWakeSink & WakeFeed;

/** Fires of cues on the stream of the agent they are for: what waits, then each as it comes. */
export function cueWakes(options: CueWakesOptions): CueWakes {
  const { bus, log, database } = options;
  const { read } = database;
  return {
    wakeByCue(tx, { agent, executionId }) {
      tx.afterCommit(() => bus.publish(subjectOf(agent), executionId));
    },
    open(agent, send) {
      const line = wakeLine<ExecutionRow>({
        log,
        failed: 'cue_wake_failed',
        // A run that changes its way does not start the agent twice.
        idOf: ({ id }) => id,
        tell: (runs) => told(options, agent, runs),
        send,
      });
      const look = (): void => line.look(() => waitingRuns(read, agent, BACKLOG));
      const leave = bus.subscribe(subjectOf(agent), (id) => line.look(() => runTo(read, agent, id)));
      look();
      const stopLooking = bus.onGap(look);
      return () => {
        line.close();
        leave();
        stopLooking();
      };
    },
  };
}

async function told(
  { database, settings, clock }: CueWakesOptions,
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
    live_claim_deadline_at: run.live_deadline_at === null ? null : iso(run.live_deadline_at),
    lag_ms: Math.max(0, now - run.scheduled_for),
  }));
}
