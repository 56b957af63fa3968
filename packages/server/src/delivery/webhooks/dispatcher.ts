import type { Tx } from '../../platform/database/database.ts';
import { LeaseLostError } from '../../platform/jobs/errors.ts';
import type { Job, JobRun, StartedJob } from '../../platform/jobs/job.ts';
import { noteWebhookResult } from '../../platform/outbound/webhook-results.ts';
import type { Platform } from '../../platform.ts';
import type { DeliverySettings } from '../settings.ts';
import { attemptDelivery } from './attempt.ts';
import { type CountAttempt, webhookTelemetry } from './telemetry.ts';
import {
  type AttemptReport,
  type Delivery,
  type DeliveryKind,
  type RunningDelivery,
  WEBHOOK_JOB,
  type WebhookKind,
} from './webhook-kind.ts';

export interface DispatcherOptions
  extends Pick<Platform, 'database' | 'clock' | 'random' | 'jobs' | 'metrics' | 'outbound' | 'cluster'> {
  readonly settings: DeliverySettings;
}

/** Claimed at a time: a long batch would keep its first request waiting for the last. */
const BATCH = 16;
/** Between the end of a request and the end of its recording. */
const STALE_MARGIN_MS = 30_000;

/*
 * The life of a delivery, which is a job of its owner's group; each step one transaction:
 *
 *   waiting ─ due, a place free ─→ sending ─ 2xx, or hopeless ──────────→ gone, with what follows from it
 *                                          ─ may heal, attempts left ───→ waiting, for the time of the schedule
 *                                          ─ crash: due again when its lease is over; it counts
 *                                          ─ stop: handed back; it counts, for the receiver may have it
 *
 * Nothing is open while the request is under way. Owners share nothing: one whose endpoint hangs fills its own places and
 * nobody else's.
 */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #kinds = new Map<DeliveryKind, WebhookKind>();
  readonly #count: CountAttempt;
  #running = 0;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#count = webhookTelemetry(options.metrics, () => this.#running);
    const { staleAttemptMs, webhookTimeoutMs, deliveriesPerOwner } = options.settings;
    const staleMs = Math.max(staleAttemptMs, webhookTimeoutMs + STALE_MARGIN_MS);
    options.jobs.define<Delivery>(WEBHOOK_JOB, {
      begin: (tx, jobs) => this.#begin(tx, jobs),
      handler: (job, run) => this.#attempt(job, run),
      concurrency: Number.POSITIVE_INFINITY,
      perGroup: deliveriesPerOwner,
      batch: BATCH,
      // Among others it is the usual one, renewed while a request is under way: what a frozen node had begun is not left for minutes.
      ...(options.cluster.isAlone && { leaseMs: staleMs }),
      // The schedule of its kind says when it is enough; what could not be recorded counts as cut short.
      maxAttempts: Number.POSITIVE_INFINITY,
      backoff: () => staleMs,
      interruptedCounts: true,
    });
  }

  carry(kind: WebhookKind): void {
    this.#kinds.set(kind.kind, kind);
  }

  /** In the transaction of its cause. */
  async queue(tx: Tx, wanted: Omit<Delivery, 'id'>, dueAt?: number): Promise<void> {
    const { jobs, random } = this.#options;
    const delivery: Delivery = { ...wanted, id: `whd_${random.hex(16)}` };
    await jobs.enqueue(tx, WEBHOOK_JOB, delivery, {
      group: wanted.ownerId,
      ...(dueAt !== undefined && { dueAt }),
    });
  }

  async #begin(tx: Tx, jobs: readonly StartedJob<Delivery>[]): Promise<StartedJob<Delivery>[]> {
    const wanted: StartedJob<Delivery>[] = [];
    // What is behind them is locked: in one order for all, so that no two writers wait for each other.
    for (const job of jobs.toSorted((a, b) => (a.payload.ref < b.payload.ref ? -1 : 1))) {
      const { kind } = job.payload;
      if (await this.#kindOf(kind).begin(tx, running(job))) wanted.push(job);
      else tx.afterCommit(() => this.#count(kind, 'dropped'));
    }
    return wanted;
  }

  async #attempt(job: Job<Delivery>, run: JobRun): Promise<void> {
    const delivery = running(job);
    const kind = this.#kindOf(delivery.kind);
    this.#running += 1;
    try {
      const report = await attemptDelivery(this.#options, kind, delivery);
      const { next } = report;
      await this.#options.database.write(async (tx) => {
        const goesOn = await kind.record(tx, delivery, report);
        await this.#note(tx, delivery, report);
        if (typeof goesOn === 'number') await run.again(tx, goesOn);
        else if (goesOn && next.kind === 'again') await run.again(tx, next.at);
        else await run.complete(tx);
      });
      this.#count(kind.kind, next.kind === 'again' ? 'retried' : next.kind);
    } catch (error) {
      if (!(error instanceof LeaseLostError)) this.#count(kind.kind, 'unrecorded');
      throw error;
    } finally {
      this.#running -= 1;
    }
  }

  /** What the endpoint answered, for those who look after it. */
  async #note(tx: Tx, { ownerId: scope }: RunningDelivery, report: AttemptReport): Promise<void> {
    const { url, status, next } = report;
    if (url === null) return;
    const error = next.kind === 'delivered' ? null : next.error;
    await noteWebhookResult(tx, { scope, url, status, error, at: this.#options.clock.now() });
  }

  #kindOf(kind: DeliveryKind): WebhookKind {
    const known = this.#kinds.get(kind);
    if (!known) throw new Error(`nobody carries webhooks of kind ${kind}`);
    return known;
  }
}

const running = ({ payload, attempt }: StartedJob<Delivery>): RunningDelivery => ({ ...payload, attempt });
