import type { AlertsQuery } from '@parley/protocol/delivery/types';
import type { AlertSeverity, AlertType } from '@parley/protocol/delivery/vocabulary';
import { countOf, given, newestOf } from '../../platform/database/built.ts';
import type { Reader, Tx } from '../../platform/database/database.ts';
import { sql } from '../../platform/database/sql.ts';
import { column, type RowOf, table } from '../../platform/database/table.ts';

export const alertTable = table('alerts', {
  id: column<string>(),
  owner_id: column<string>(),
  cue_id: column<string>(),
  execution_id: column<string | null>(),
  /** Whose work it was; null when nobody's in particular. */
  agent: column<string | null>(),
  alert_type: column<AlertType>(),
  /** What it is about: there is one of a type within a while. */
  subject: column<string>(),
  severity: column<AlertSeverity>(),
  message: column<string>(),
  metadata: column<string>(),
  acknowledged: column<number>(),
  created_at: column<number>(),
});

export type AlertRow = RowOf<typeof alertTable>;

export async function insertAlert(tx: Tx, alert: AlertRow): Promise<void> {
  await tx.run(alertTable.insert(alert));
}

export async function wasRaised(
  tx: Tx,
  { subject, alert_type: type }: Pick<AlertRow, 'subject' | 'alert_type'>,
  since: number,
): Promise<boolean> {
  return await tx.exists(sql`
    SELECT 1 AS one FROM alerts
    WHERE subject = ${subject} AND alert_type = ${type} AND created_at > ${since} LIMIT 1`);
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

export interface AlertFilter extends Omit<AlertsQuery, 'alert_type'> {
  readonly alert_type: AlertType | undefined;
  /** Only those of this agent, and of nobody. */
  readonly only: string | undefined;
}

/** Newest first, and how many there are in all. */
export async function listAlerts(
  reader: Reader,
  ownerId: string,
  filter: AlertFilter,
): Promise<{ rows: AlertRow[]; total: number }> {
  const { alert_type, cue_id, acknowledged, since, only } = filter;
  const flag = acknowledged === undefined ? undefined : Number(acknowledged);
  const asked = { owner_id: ownerId, alert_type, cue_id, acknowledged: flag };
  let query = alertTable.from(reader).where((is) => is.and(given(asked)));
  if (since !== undefined) query = query.where('created_at', '>', since);
  if (only !== undefined)
    query = query.where((is) => is.or([is('agent', 'is', null), is('agent', '=', only)]));
  const [rows, total] = await Promise.all([newestOf(query, 'id', filter), countOf(query)]);
  return { rows, total };
}

export async function forgetAlerts(tx: Tx, before: number): Promise<void> {
  await tx.run(sql`DELETE FROM alerts WHERE created_at < ${before}`);
}
