import { sql as built } from 'kysely';
import type { Reader, Tx } from '../database/database.ts';
import type { ModuleMigrations } from '../database/migrations.ts';
import { step } from '../database/step.ts';
import { sql } from '../database/sql.ts';
import { column, type RowOf, table } from '../database/table.ts';

/** What an endpoint answered, in all and last. `scope` is whoever owns the URL there: two may name the same one. */
export const webhookResultMigrations: ModuleMigrations = {
  module: 'webhook_results',
  migrations: [
    step('001 create results', [
      `CREATE TABLE webhook_results (
        scope text NOT NULL,
        url text NOT NULL,
        delivered bigint NOT NULL,
        failed bigint NOT NULL,
        last_status integer,
        last_error text,
        last_at bigint NOT NULL,
        failing_since bigint,
        PRIMARY KEY (scope, url)
      )`,
    ]),
    step('002 those that fail', [
      `CREATE INDEX webhook_results_failing ON webhook_results (failing_since) WHERE failing_since IS NOT NULL`,
    ]),
  ],
};

const resultTable = table('webhook_results', {
  scope: column<string>(),
  url: column<string>(),
  delivered: column<number>(),
  failed: column<number>(),
  last_status: column<number | null>(),
  last_error: column<string | null>(),
  last_at: column<number>(),
  failing_since: column<number | null>(),
});

export type WebhookResult = RowOf<typeof resultTable>;

export interface Answered {
  readonly scope: string;
  readonly url: string;
  readonly status: number | null;
  /** Null: it was taken. */
  readonly error: string | null;
  readonly at: number;
}

const LONGEST_ERROR = 200;

/** One more attempt. */
export async function noteWebhookResult(tx: Tx, { scope, url, status, error, at }: Answered): Promise<void> {
  const ok = error === null ? 1 : 0;
  const last = { last_status: status, last_error: error?.slice(0, LONGEST_ERROR) ?? null, last_at: at };
  const counted = { delivered: ok, failed: 1 - ok, failing_since: error === null ? null : at };
  await tx.run(resultTable.inserting({ scope, url, ...last, ...counted })`
    ON CONFLICT (scope, url) DO UPDATE SET
      delivered = webhook_results.delivered + excluded.delivered,
      failed = webhook_results.failed + excluded.failed,
      last_status = excluded.last_status,
      last_error = excluded.last_error,
      last_at = excluded.last_at,
      failing_since = CASE WHEN excluded.failing_since IS NULL THEN NULL
        ELSE COALESCE(webhook_results.failing_since, excluded.failing_since) END`);
}

/** Whether any endpoint at all did not take what it was sent last. */
export async function someWebhookFails(reader: Reader): Promise<boolean> {
  return await reader.exists(sql`
    SELECT 1 AS one FROM webhook_results WHERE failing_since IS NOT NULL LIMIT 1`);
}

export async function forgetWebhookResults(tx: Tx, scope: string): Promise<void> {
  await tx.run(resultTable.delete`WHERE scope = ${scope}`);
}

export type Endpoint = Pick<WebhookResult, 'scope' | 'url'>;

/** Of some endpoints, those that were ever posted to. */
export async function webhookResults(
  reader: Reader,
  endpoints: readonly Endpoint[],
): Promise<readonly WebhookResult[]> {
  const wanted = new Map(endpoints.map(({ scope, url }) => [`${scope} ${url}`, built`(${scope}, ${url})`]));
  if (wanted.size === 0) return [];
  const { rows } = await built<WebhookResult>`
    WITH wanted (scope, url) AS (VALUES ${built.join([...wanted.values()])})
    SELECT ${built.raw(resultTable.list('r'))} FROM wanted
    JOIN webhook_results r ON r.scope = wanted.scope AND r.url = wanted.url`.execute(reader.kysely());
  return rows;
}
