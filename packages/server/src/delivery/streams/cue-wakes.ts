import type { Bus } from '../../platform/bus/bus.ts';
import type { Tx } from '../../platform/database/database.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import { sseFrame } from '../../platform/streams/sse-frame.ts';
import type { TimerWheel } from '../../platform/timer-wheel.ts';
import { iso } from '../../wire/delivery/times.ts';
import type { WakeFeed } from '../../wire/wake-feed.ts';
import { cueNames } from '../cues/record/cue-store.ts';
import type { MessagingContext } from '../messaging-context.ts';
import type { ExecutionRow } from '../records/execution-row.ts';
import type { CueWakeSink } from '../records/transport.ts';
import { runTo, waitingRuns } from './wake-store.ts';

export interface CueWakesOptions extends MessagingContext {
  readonly bus: Bus;
  readonly log: Log;
  readonly wheel: TimerWheel;
}

/** Shown to an agent that connects. */
const BACKLOG = 100;
/** Wakes a stream remembers having sent, so that a run that changes its way does not start the agent twice. */
const REMEMBERED = 1_000;
/** A larger payload is left to be fetched with the execution. */
const SHOWN_PAYLOAD = 16_384;

const subjectOf = (agent: string): string => `delivery.cue-wake ${agent}`;

/** Fires of cues on the stream of the agent they are for: what waits, then each as it comes. */
export class CueWakes implements CueWakeSink, WakeFeed {
  readonly #options: CueWakesOptions;

  constructor(options: CueWakesOptions) {
    this.#options = options;
  }

  wakeByCue(tx: Tx, { agent, executionId }: { agent: string; executionId: string }): void {
    tx.afterCommit(() => this.#options.bus.publish(subjectOf(agent), executionId));
  }

  open(agent: string, send: (frame: string) => void): () => void {
    const { bus, log, database } = this.#options;
    const { read } = database;
    const sent = new Set<string>();
    let open = true;
    // One after the other, so that the backlog comes first and everything in its order.
    let work: Promise<void> = Promise.resolve();
    const then = (runs: () => Promise<readonly ExecutionRow[]>): void => {
      work = work
        .then(async () => {
          const fresh = open ? (await runs()).filter(({ id }) => !sent.has(id)) : [];
          for (const { id, frame } of await this.#frames(agent, fresh)) {
            if (!open) return;
            remember(sent, id);
            send(frame);
          }
        })
        .catch((error: unknown) => log.error('cue_wake_failed', errorFields(error)));
    };
    const look = (): void => then(() => waitingRuns(read, agent, BACKLOG));
    const leave = bus.subscribe(subjectOf(agent), (id) => then(() => runTo(read, agent, id)));
    look();
    const stopLooking = bus.onGap(look);
    return () => {
      open = false;
      leave();
      stopLooking();
    };
  }

  async #frames(agent: string, runs: readonly ExecutionRow[]): Promise<{ id: string; frame: string }[]> {
    if (runs.length === 0) return [];
    const { database, settings, clock } = this.#options;
    const names = await cueNames(
      database.read,
      runs.map(({ cue_id: id }) => id),
    );
    const now = clock.now();
    return runs.map((run) => {
      const data = {
        type: 'cue.wake',
        agent_id: settings.spellAgent(agent),
        cue_id: run.cue_id,
        cue_name: names.get(run.cue_id) ?? null,
        execution_id: run.id,
        message_id: run.message_id,
        task: run.task,
        triggered_by: run.triggered_by,
        scheduled_for: iso(run.scheduled_for),
        payload:
          (run.payload ?? '').length > SHOWN_PAYLOAD ? null : (JSON.parse(run.payload ?? '{}') as unknown),
        attempt: run.attempts + 1,
        effective_delivery_mode: run.channel,
        delivery_route: run.route,
        live_claim_deadline_at: run.live_deadline_at === null ? null : iso(run.live_deadline_at),
        lag_ms: Math.max(0, now - run.scheduled_for),
      };
      // Without an id: the stream's cursor is that of the rooms.
      return { id: run.id, frame: sseFrame({ event: data.type, data: JSON.stringify(data) }) };
    });
  }
}

function remember(sent: Set<string>, id: string): void {
  sent.add(id);
  if (sent.size <= REMEMBERED) return;
  const [oldest] = sent;
  if (oldest !== undefined) sent.delete(oldest);
}
