import { isExecutionId } from '@parley/protocol/delivery/ids';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Job, JobRun } from '../../platform/jobs/job.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { afterLeaseLost, takes } from '../records/execution-states.ts';
import type { MessageMoves } from '../records/message-moves.ts';
import type { Recipients } from '../routing/recipient.ts';
import type { DeliverySettings } from '../settings.ts';
import { traceStep } from '../routing/trace.ts';
import type { ExecutionPatch, ExecutionRow } from '../records/execution-row.ts';
import type { Journey, Journeys } from './journeys.ts';
import type { LiveOffers } from './live-offers.ts';
import { type Pushes, UNCLAIMED, UNCLAIMED_JOB, type UnclaimedJob } from './pushes.ts';
import { workerBeatAt } from './worker-store.ts';
import { labelOfHolder } from '../records/live-window.ts';

const LEASE_JOB = 'delivery.lease';

export interface LeasesOptions {
  database: Database;
  clock: Clock;
  jobs: Jobs;
  settings: DeliverySettings;
  recipients: Recipients;
  journeys: Journeys;
  offers: LiveOffers;
  pushes: Pushes;
  moves: MessageMoves;
}

const RESET = 'Reset: worker heartbeat stale and claim lease expired';
const UNCLAIMED_ERROR = 'No worker claimed this execution within timeout window';

/** Who holds an execution, for how long, and what becomes of what nobody holds (delivery §18.3). */
export class Leases {
  readonly #options: LeasesOptions;

  constructor(options: LeasesOptions) {
    this.#options = options;
    const { jobs } = options;
    jobs.define<string>(LEASE_JOB, { concurrency: 16, handler: (job, run) => this.#check(job, run) });
    jobs.define<UnclaimedJob>(UNCLAIMED_JOB, {
      concurrency: 16,
      handler: ({ payload }, run) => this.#giveUp(payload, run),
    });
  }

  /** What a claim writes. */
  begin(execution: ExecutionRow, worker: string): ExecutionPatch {
    const { clock, settings } = this.#options;
    const now = clock.now();
    return {
      claimed_by: worker,
      claimed_at: now,
      lease_expires_at: now + settings.workerLeaseMs,
      last_heartbeat_at: now,
      started_at: execution.started_at ?? now,
      delivered_at: now,
      last_attempt_at: now,
      attempts: execution.attempts + 1,
      next_retry_at: null,
    };
  }

  /** In the transaction of the claim. */
  async watch(tx: Tx, { id, lease_expires_at: dueAt }: ExecutionRow): Promise<void> {
    if (dueAt !== null) await this.#options.jobs.enqueue(tx, LEASE_JOB, id, { dueAt });
  }

  async extend(ownerId: string, id: string, worker: string | undefined): Promise<number> {
    const { database, journeys, clock, settings } = this.#options;
    if (!isExecutionId(id)) throw new DeliveryError('execution_not_found');
    return await database.write(async (tx) => {
      const journey = await journeys.lockOwn(tx, ownerId, id);
      if (!journey) throw new DeliveryError('execution_not_found');
      const { status, claimed_by: holder, lease_expires_at: before } = journey.execution;
      if (status !== 'delivering' || holder === null) throw new DeliveryError('execution_not_claiming');
      if (worker !== undefined && worker !== holder) throw new DeliveryError('not_execution_owner');
      const now = clock.now();
      const until = now + settings.workerLeaseMs;
      const patch = { lease_expires_at: until, last_heartbeat_at: now };
      const extended = await journeys.change(tx, journey.execution, patch);
      // Only after the clock was set back: the look that is planned comes too late for this lease.
      if (before !== null && until < before) await this.watch(tx, extended);
      return until;
    });
  }

  async #check(job: Job<string>, run: JobRun): Promise<void> {
    const { database, journeys, clock } = this.#options;
    await database.write(async (tx) => {
      const journey = await journeys.lock(tx, job.payload);
      const heldUntil = journey && (await this.#heldUntil(tx, journey));
      if (journey && heldUntil !== undefined) {
        if (heldUntil > clock.now()) {
          job.retryAt(heldUntil);
          return;
        }
        await this.#lose(tx, journey);
      }
      await run.complete(tx);
    });
  }

  /** Undefined when nobody holds it. */
  async #heldUntil(tx: Tx, { execution, message }: Journey): Promise<number | undefined> {
    const { settings, recipients } = this.#options;
    const { status, claimed_by: holder, lease_expires_at: lease } = execution;
    if (status !== 'delivering' || holder === null || lease === null) return undefined;
    const target = message?.recipient ?? execution.agent;
    const held = labelOfHolder(holder);
    const sessions = held !== null && target ? await recipients.sessions(tx, target) : [];
    const session = sessions.find(({ label }) => label === held);
    const beatAt = session?.beatAt ?? (await workerBeatAt(tx, execution.owner_id, holder));
    return Math.max(lease, beatAt === undefined ? 0 : beatAt + settings.workerBeatTimeoutMs);
  }

  /** Whoever had it is gone: it goes back to where it came from, for somebody else. */
  async #lose(tx: Tx, { execution, message }: Journey): Promise<void> {
    const { journeys, offers, pushes, moves, clock } = this.#options;
    const event = afterLeaseLost(execution.attempts, null);
    const patch = { ...UNCLAIMED, error_message: RESET };
    const step = traceStep(clock.now(), 'claim', 'lease_lost', execution.claimed_by);
    const freed = await journeys.move(tx, execution, event, patch, [step]);
    const queued =
      message && (await moves.apply(tx, message, event === 'spent' ? 'push_failed' : 'lease_lost'));
    const journey = { execution: freed, message: queued };
    if (event === 'spent') return;
    if (freed.channel === 'live') await offers.handBack(tx, journey);
    else await pushes.announce(tx, freed, queued);
  }

  async #giveUp({ executionId, attempts }: UnclaimedJob, run: JobRun): Promise<void> {
    const { database, journeys, clock } = this.#options;
    await database.write(async (tx) => {
      const journey = await journeys.lock(tx, executionId);
      const execution = journey?.execution;
      const unclaimed = execution?.channel === 'bg' && execution.attempts === attempts;
      if (unclaimed && takes(execution.status, 'unclaimed')) {
        // The message lies in the inbox all the same, and that is where it waits now.
        const way =
          execution.message_id === null ? {} : ({ channel: 'inbox', route: 'inbox_fallback' } as const);
        const step = traceStep(clock.now(), 'push', 'missed', 'unclaimed');
        const patch: ExecutionPatch = { error_message: UNCLAIMED_ERROR, ...way };
        await journeys.move(tx, execution, 'unclaimed', patch, [step]);
      }
      await run.complete(tx);
    });
  }
}
