import { Pool, type PoolClient } from 'pg';

const pools = new Set<Pool>();

type Lend = (this: Pool, told?: (error: Error | undefined, client?: PoolClient) => void) => unknown;

const lend: unknown = Reflect.get(Pool.prototype, 'connect');
// Every statement goes by a connection that its pool lends.
Reflect.set(Pool.prototype, 'connect', function (told) {
  pools.add(this);
  return (lend as Lend).call(this, told);
} satisfies Lend);

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
