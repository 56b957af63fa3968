import type { WorkerStatus } from '@parley/protocol/delivery/vocabulary';
import type { MessagingContext } from '../messaging-context.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import { iso } from '../../wire/delivery/times.ts';
import { ageMs } from '../routing/freshness.ts';
import type { DeliverySettings } from '../settings.ts';
import { beatWorker, deleteWorker, handlersOf, listWorkers } from './worker-store.ts';

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

export async function workersOf({ clock, database, settings }: MessagingContext, ownerId: string) {
  const now = clock.now();
  const rows = await listWorkers(database.read, ownerId);
  return rows.map((row) => {
    const age = ageMs(row.beat_at, now);
    return {
      worker_id: row.worker_id,
      handlers: JSON.parse(row.handlers) as string[],
      last_heartbeat: iso(row.beat_at),
      seconds_since_heartbeat: Math.floor(age / 1000),
      heartbeat_status: statusOf(settings, age),
      registered_since: iso(row.registered_at),
    };
  });
}

export async function forgetWorker(context: MessagingContext, ownerId: string, id: string): Promise<void> {
  const gone = await context.database.write((tx) => deleteWorker(tx, ownerId, id));
  if (!gone) throw new DeliveryError('worker_not_found');
}

function statusOf({ workerBeatTimeoutMs, workerDeadMs }: DeliverySettings, age: number): WorkerStatus {
  if (age < workerBeatTimeoutMs) return 'active';
  return age < workerDeadMs ? 'stale' : 'dead';
}
