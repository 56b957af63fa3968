import { Pool } from 'pg';

const pools = new Set<Pool>();

const { connect } = Pool.prototype;
// Every statement goes by a connection that its pool lends.
Pool.prototype.connect = function (this: Pool, ...args: Parameters<typeof connect>) {
  pools.add(this);
  return connect.apply(this, args);
} as typeof connect;

const isBusy = ({ totalCount, idleCount, waitingCount }: Pool): boolean =>
  totalCount > idleCount || waitingCount > 0;

/** Longer than a statement takes on a busy machine; one that waits for a lock may wait for the very clock that waits for it. */
const PATIENCE_MS = 250;

/** Waits until no PostgreSQL of this process has anything to do. */
export async function postgresAtRest(): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    for (const pool of pools) if (pool.ended) pools.delete(pool);
    if (![...pools].some(isBusy)) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
