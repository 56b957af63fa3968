import { sql } from '../../platform/database/sql.ts';
import type { MessagingContext } from '../messaging-context.ts';
import { WEBHOOK_JOB } from '../webhooks/webhook-kind.ts';
import { INBOX, UNDER_WAY } from '../records/execution-states.ts';

/** Counted up to this many: whoever looks wants to know that it is many, not how many. */
const MOST = 10_000;

interface Row {
  readonly status: string;
  readonly channel: string;
  readonly stale: number;
  readonly n: number;
}

/** What waits, of all owners together. */
export async function queueDepths({ database, clock, jobs, settings }: MessagingContext): Promise<object> {
  const now = clock.now();
  const [outbox, rows] = await Promise.all([
    jobs.waiting(WEBHOOK_JOB, MOST),
    // The condition is word for word that of the index of open pushes.
    database.read.all<Row>(sql`
      SELECT status, channel, stale, count(*) AS n FROM (
        SELECT status, channel,
          CASE WHEN COALESCE(lease_expires_at, last_attempt_at + ${settings.staleAttemptMs}) < ${now} THEN 1 ELSE 0 END AS stale
        FROM executions
        WHERE channel <> ${INBOX} AND status IN ${UNDER_WAY}
        LIMIT ${MOST}) AS pushes
      GROUP BY status, channel, stale`),
  ]);
  const sum = (counts: (row: Row) => boolean): number =>
    rows.filter(counts).reduce((total, { n }) => total + n, 0);
  return {
    queue: {
      pending_outbox: outbox,
      stale_executions: sum(({ status, stale }) => status === 'delivering' && stale === 1),
      pending_retries: sum(({ status }) => status === 'retrying' || status === 'retry_ready'),
      pending_worker_claims: sum(({ status, channel }) => status === 'pending' && channel === 'bg'),
      open_live_offers: sum(({ status, channel }) => status === 'pending' && channel === 'live'),
    },
  };
}
