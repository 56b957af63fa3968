import type { WorkerStatus } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { beatWorker, deleteWorker, handlersOf, listWorkers } from './worker-store.ts';

export interface Worker {
  readonly id: string;
  readonly handlers: readonly string[];
  readonly beatAt: number;
  readonly ageMs: number;
  readonly status: WorkerStatus;
  readonly registeredAt: number;
}

/** Programs that pull work. Their beats count for the agents they handle, too. */
export async function workerBeat(
  context: MessagingContext,
  ownerId: string,
  id: string,
  handlers: readonly string[] | null,
): Promise<number> {
  const { database, clock, recipients } = context;
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

export async function workersOf(context: MessagingContext, ownerId: string): Promise<Worker[]> {
  const now = context.clock.now();
  const rows = await listWorkers(context.database.read, ownerId);
  return rows.map((row) => {
    const ageMs = Math.max(0, now - row.beat_at);
    return {
      id: row.worker_id,
      handlers: JSON.parse(row.handlers) as string[],
      beatAt: row.beat_at,
      ageMs,
      status: statusOf(context, ageMs),
      registeredAt: row.registered_at,
    };
  });
}

export async function forgetWorker(context: MessagingContext, ownerId: string, id: string): Promise<void> {
  const gone = await context.database.write((tx) => deleteWorker(tx, ownerId, id));
  if (!gone) throw new DeliveryError('worker_not_found');
}

function statusOf(context: MessagingContext, ageMs: number): WorkerStatus {
  const { workerBeatTimeoutMs, workerDeadMs } = context.settings;
  if (ageMs < workerBeatTimeoutMs) return 'active';
  return ageMs < workerDeadMs ? 'stale' : 'dead';
}
