import type { AlertSeverity, AlertType } from '@parley/protocol/delivery/vocabulary';
import type { Kysely } from 'kysely';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

const alertTable = table('alerts', {
  id: column<string>(),
  owner_id: column<string>(),
  cue_id: column<string>(),
  execution_id: column<string | null>(),
  /** Whose work it was; null when nobody's in particular. */
  agent: column<string | null>(),
  alert_type: column<AlertType>(),
  subject: column<string>(),
  severity: column<AlertSeverity>(),
  message: column<string>(),
  metadata: column<string>(),
  acknowledged: column<number>(),
  created_at: column<number>(),
});

export type AlertRow = RowOf<typeof alertTable>;

interface Tables {
  alerts: AlertRow;
}

export async function insertAlert(tx: Tx, alert: AlertRow): Promise<void> {
  await tx.run(alertTable.insert(alert));
}

export async function wasRaised(
  tx: Tx,
  { subject, alert_type: type }: Pick<AlertRow, 'subject' | 'alert_type'>,
  since: number,
): Promise<boolean> {
  const row = await tx.get(sql`
    SELECT 1 AS one FROM alerts
    WHERE subject = ${subject} AND alert_type = ${type} AND created_at > ${since} LIMIT 1`);
  return row !== undefined;
}

/** For the server's own work, whoever owns it. */
export function alertById(reader: Reader, id: string): Promise<AlertRow | undefined> {
  return reader.get<AlertRow>(alertTable.select`WHERE id = ${id}`);
}

export function readAlert(reader: Reader, ownerId: string, id: string): Promise<AlertRow | undefined> {
  return reader.get<AlertRow>(alertTable.select`WHERE id = ${id} AND owner_id = ${ownerId}`);
}

export async function markAcknowledged(tx: Tx, ownerId: string, id: string): Promise<void> {
  await tx.run(sql`UPDATE alerts SET acknowledged = 1 WHERE id = ${id} AND owner_id = ${ownerId}`);
}

export interface AlertFilter {
  readonly type: AlertType | undefined;
  readonly cueId: string | undefined;
  readonly acknowledged: boolean | undefined;
  readonly since: number | undefined;
  /** Only those of this agent, and of nobody. */
  readonly only: string | undefined;
}

/** Newest first. */
export async function listAlerts(
  reader: Reader,
  ownerId: string,
  filter: AlertFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<AlertRow[]> {
  return await matching(reader.kysely<Tables>(), ownerId, filter)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countAlerts(reader: Reader, ownerId: string, filter: AlertFilter): Promise<number> {
  const row = await matching(reader.kysely<Tables>(), ownerId, filter)
    .select((count) => count.fn.countAll<number>().as('n'))
    .executeTakeFirst();
  return row?.n ?? 0;
}

function matching(kysely: Kysely<Tables>, ownerId: string, filter: AlertFilter) {
  const { type, cueId, acknowledged, since, only } = filter;
  let query = kysely.selectFrom('alerts').where('owner_id', '=', ownerId);
  if (type !== undefined) query = query.where('alert_type', '=', type);
  if (cueId !== undefined) query = query.where('cue_id', '=', cueId);
  if (acknowledged !== undefined) query = query.where('acknowledged', '=', acknowledged ? 1 : 0);
  if (since !== undefined) query = query.where('created_at', '>', since);
  if (only !== undefined)
    query = query.where((is) => is.or([is('agent', 'is', null), is('agent', '=', only)]));
  return query;
}

export async function forgetAlerts(tx: Tx, before: number): Promise<void> {
  await tx.run(sql`DELETE FROM alerts WHERE created_at < ${before}`);
}
