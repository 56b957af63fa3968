import type { Clock, Timer } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import type { Random } from '../../platform/ids.ts';
import { errorFields, type Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { GuardedClient } from '../../platform/outbound/guarded-client.ts';
import type { DeliverySettings } from '../settings.ts';
import {
  claimDeliveries,
  dropDelivery,
  dueOwners,
  freeDeliveries,
  insertDelivery,
  nextDue,
  removeDelivery,
  rescheduleDelivery,
} from './delivery-store.ts';
import { OwnerQueue } from './owner-queue.ts';
import { WebhookSender } from './sender.ts';
import { webhookTelemetry, type WebhookTelemetry } from './telemetry.ts';
import type { AttemptReport, Delivery, DeliveryKind, RunningDelivery, WebhookKind } from './webhook-kind.ts';

export interface DispatcherOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly outbound: GuardedClient;
  readonly settings: DeliverySettings;
}

const STOP_GRACE_MS = 3_000;
/** Where several nodes share a store, one may die between storing a delivery and sending it. */
const SHARED_STORE_LOOK_MS = 60_000;
/** Between the end of a request and the end of its recording. */
const STALE_MARGIN_MS = 30_000;

/*
 * The life of a delivery, each step one transaction:
 *
 *   waiting ─ due, a place free ─→ sending ─ 2xx, or hopeless ──────────→ gone, with what follows from it
 *                                          ─ may heal, attempts left ───→ waiting, for the time of the schedule
 *                                          ─ crash: due again when the attempt is stale; it counts
 *                                          ─ stop: handed back; it counts, for the receiver may have it
 *
 * Nothing is open while the request is under way. What the process forgets when it dies is in the row.
 */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #kinds = new Map<DeliveryKind, WebhookKind>();
  readonly #queues = new Map<string, OwnerQueue>();
  readonly #running = new Set<RunningDelivery>();
  readonly #sender: WebhookSender;
  readonly #telemetry: WebhookTelemetry;
  #look: Timer | undefined;
  #queued = 0;
  #state: 'not yet' | 'open' | 'closing' = 'not yet';

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#sender = new WebhookSender(options);
    this.#telemetry = webhookTelemetry(options.metrics, () => this.#running.size);
  }

  carry(kind: WebhookKind): void {
    this.#kinds.set(kind.kind, kind);
  }

  /** In the transaction of its cause. */
  async queue(tx: Tx, delivery: Omit<Delivery, 'id'>): Promise<void> {
    const now = this.#options.clock.now();
    await insertDelivery(tx, { ...delivery, id: this.#nextId(now) }, now);
    tx.afterCommit(() => this.#wake(delivery.ownerId, now));
  }

  async start(): Promise<void> {
    const { database, clock } = this.#options;
    if (database.dialect === 'sqlite') await database.write((tx) => freeDeliveries(tx, clock.now()));
    this.#state = 'open';
    await this.#wakeAll();
    if (database.dialect === 'postgres') this.#lookAgainLater();
  }

  /** Starts nothing more. What does not end within the grace is handed back. */
  async stop(): Promise<void> {
    const { clock, database } = this.#options;
    this.#state = 'closing';
    this.#look?.cancel();
    const ended = Promise.all([...this.#queues.values()].map((queue) => queue.stop()));
    let grace: Timer | undefined;
    const outOfTime = new Promise<void>((resolve) => (grace = clock.after(STOP_GRACE_MS, resolve)));
    await Promise.race([ended, outOfTime]);
    grace?.cancel();
    const late = [...this.#running];
    this.#running.clear();
    this.#queues.clear();
    if (late.length === 0) return;
    await database.write(async (tx) => {
      for (const delivery of late) await rescheduleDelivery(tx, delivery, clock.now());
    });
  }

  /** Ids sort as the deliveries were queued: those of the same moment are sent in that order. */
  #nextId(now: number): string {
    this.#queued += 1;
    return `whd_${hex(now, 12)}${hex(this.#queued, 10)}${this.#options.random.hex(5)}`;
  }

  #wake(ownerId: string, time: number): void {
    if (this.#state === 'open') this.#queueOf(ownerId).wake(time);
  }

  async #wakeAll(): Promise<void> {
    for (const { ownerId, dueAt } of await dueOwners(this.#options.database.read)) {
      this.#wake(ownerId, dueAt);
    }
  }

  #lookAgainLater(): void {
    const { clock, log } = this.#options;
    this.#look = clock.after(SHARED_STORE_LOOK_MS, () => {
      this.#lookAgainLater();
      this.#wakeAll().catch((error: unknown) => log.error('webhooks_not_read', errorFields(error)));
    });
  }

  #queueOf(ownerId: string): OwnerQueue {
    const known = this.#queues.get(ownerId);
    if (known) return known;
    const { clock, log, database, settings } = this.#options;
    const queue = new OwnerQueue({
      ownerId,
      clock,
      log,
      limit: settings.deliveriesPerOwner,
      claim: (limit) => this.#claim(ownerId, limit),
      nextDue: () => nextDue(database.read, ownerId),
      attempt: (delivery) => this.#attempt(delivery),
      idle: (idle) => {
        if (this.#queues.get(ownerId) === idle) this.#queues.delete(ownerId);
      },
    });
    this.#queues.set(ownerId, queue);
    return queue;
  }

  async #claim(ownerId: string, limit: number): Promise<{ taken: number; running: RunningDelivery[] }> {
    const { database, clock, settings } = this.#options;
    const now = clock.now();
    const longest = settings.webhookTimeoutMs + STALE_MARGIN_MS;
    const staleAt = now + Math.max(settings.staleAttemptMs, longest);
    return await database.write(async (tx) => {
      const claimed = await claimDeliveries(tx, database.dialect, ownerId, { now, staleAt, limit });
      const running: RunningDelivery[] = [];
      for (const delivery of claimed) {
        if (await this.#kindOf(delivery).begin(tx, delivery)) running.push(delivery);
        else await this.#drop(tx, delivery);
      }
      return { taken: claimed.length, running };
    });
  }

  async #drop(tx: Tx, delivery: RunningDelivery): Promise<void> {
    await removeDelivery(tx, delivery);
    tx.afterCommit(() => this.#telemetry.outcome(delivery.kind, 'dropped'));
  }

  /** Never rejects: what cannot be recorded is left to be taken up again. */
  async #attempt(delivery: RunningDelivery): Promise<number | undefined> {
    const { log } = this.#options;
    const kind = this.#kindOf(delivery);
    this.#running.add(delivery);
    try {
      const report = await this.#sender.attempt(kind, delivery);
      // Handed back meanwhile: what came of it is no longer ours to say.
      if (!this.#running.has(delivery)) return undefined;
      return await this.#record(kind, delivery, report);
    } catch (error) {
      log.error('webhook_unrecorded', { delivery: delivery.id, ...errorFields(error) });
      this.#telemetry.outcome(delivery.kind, 'unrecorded');
      return delivery.staleAt;
    } finally {
      this.#running.delete(delivery);
    }
  }

  async #record(
    kind: WebhookKind,
    delivery: RunningDelivery,
    report: AttemptReport,
  ): Promise<number | undefined> {
    const { next } = report;
    const again = next.kind === 'again' ? next.at : undefined;
    const wanted = await this.#options.database.write(async (tx) => {
      const held = await (again === undefined
        ? removeDelivery(tx, delivery)
        : rescheduleDelivery(tx, delivery, again));
      if (!held) return false;
      const goesOn = await kind.record(tx, delivery, report);
      if (again !== undefined && !goesOn) await dropDelivery(tx, delivery.id);
      return goesOn;
    });
    this.#telemetry.outcome(delivery.kind, next.kind === 'again' ? 'retried' : next.kind);
    return wanted ? again : undefined;
  }

  #kindOf({ kind }: Delivery): WebhookKind {
    const known = this.#kinds.get(kind);
    if (!known) throw new Error(`nobody carries webhooks of kind ${kind}`);
    return known;
  }
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
