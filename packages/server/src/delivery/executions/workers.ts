import type { WorkerStatus } from '@parley/protocol/delivery/vocabulary';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { Recipients } from '../routing/recipient.ts';
import type { DeliverySettings } from '../settings.ts';
import { beatWorker, deleteWorker, handlersOf, listWorkers } from './worker-store.ts';

export interface WorkersOptions {
  database: Database;
  clock: Clock;
  settings: DeliverySettings;
  recipients: Recipients;
}

export interface Worker {
  readonly id: string;
  readonly handlers: readonly string[];
  readonly beatAt: number;
  readonly ageMs: number;
  readonly status: WorkerStatus;
  readonly registeredAt: number;
}

/** Programs that pull work (delivery §18.4). Their beats count for the agents they handle, too. */
export class Workers {
  readonly #options: WorkersOptions;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  async beat(ownerId: string, id: string, handlers: readonly string[] | null): Promise<number> {
    const { database, clock, recipients } = this.#options;
    const now = clock.now();
    await database.write(async (tx) => {
      await beatWorker(tx, ownerId, {
        id,
        now,
        handlers: handlers === null ? null : JSON.stringify(handlers),
      });
      const handled = handlers ?? (await handlersOf(tx, ownerId, id));
      if (handled.length > 0) await recipients.handlersBeat(tx, ownerId, handled);
    });
    return now;
  }

  async list(ownerId: string): Promise<Worker[]> {
    const now = this.#options.clock.now();
    const rows = await listWorkers(this.#options.database.read, ownerId);
    return rows.map((row) => {
      const ageMs = Math.max(0, now - row.beat_at);
      return {
        id: row.worker_id,
        handlers: JSON.parse(row.handlers) as string[],
        beatAt: row.beat_at,
        ageMs,
        status: this.#status(ageMs),
        registeredAt: row.registered_at,
      };
    });
  }

  async forget(ownerId: string, id: string): Promise<void> {
    const gone = await this.#options.database.write((tx) => deleteWorker(tx, ownerId, id));
    if (!gone) throw new DeliveryError('worker_not_found');
  }

  #status(ageMs: number): WorkerStatus {
    const { workerBeatTimeoutMs, workerDeadMs } = this.#options.settings;
    if (ageMs < workerBeatTimeoutMs) return 'active';
    return ageMs < workerDeadMs ? 'stale' : 'dead';
  }
}
