import { isExecutionId as isUuid } from '@parley/protocol/delivery/ids';
import type { AlertAnswer, AlertsAnswer, AlertsQuery } from '@parley/protocol/delivery/types';
import { ALERT_TYPES, type AlertSeverity, type AlertType } from '@parley/protocol/delivery/vocabulary';
import { alertUrlOf } from '../../identity/owners/account.ts';
import type { Tx } from '../../platform/database/database.ts';
import { uuid } from '../../platform/ids.ts';
import { DeliveryError } from '../../wire/delivery/errors.ts';
import type { Json } from '../../wire/delivery/signed-json.ts';
import { iso } from '../../wire/delivery/times.ts';
import { wordOf } from '../../wire/delivery/words.ts';
import type { CueContext } from '../cues/cue-context.ts';
import type { WebhookDispatcher } from '../webhooks/dispatcher.ts';
import {
  type AlertRow,
  insertAlert,
  listAlerts,
  markAcknowledged,
  readAlert,
  wasRaised,
} from './alert-store.ts';

export interface AlertContext extends CueContext {
  readonly dispatcher: WebhookDispatcher;
}

export type NewAlert = Pick<
  AlertRow,
  'owner_id' | 'alert_type' | 'cue_id' | 'execution_id' | 'agent' | 'subject' | 'message'
> & { readonly metadata: Readonly<Record<string, Json>> };

const SEVERITIES: Readonly<Record<AlertType, AlertSeverity>> = {
  consecutive_failures: 'critical',
  verification_failed: 'warning',
  outcome_timeout: 'warning',
  missed_window: 'critical',
  live_unclaimed: 'warning',
};

/** Stored always, in the transaction of its cause, and posted where the owner said. */
export async function raiseAlert(context: AlertContext, tx: Tx, wanted: NewAlert): Promise<void> {
  const { clock, random, settings, sweeps, dispatcher } = context;
  const { owner_id: ownerId, alert_type: type, subject } = wanted;
  const now = clock.now();
  await tx.lock(`delivery.alert ${subject} ${type}`);
  if (await wasRaised(tx, wanted, now - settings.alertDedupMs)) return;
  const alert: AlertRow = {
    ...wanted,
    id: uuid(random),
    severity: SEVERITIES[type],
    metadata: JSON.stringify(wanted.metadata),
    acknowledged: 0,
    created_at: now,
  };
  await insertAlert(tx, alert);
  await sweeps.ensure(tx, now + settings.alertRetentionMs);
  if ((await alertUrlOf(tx, ownerId)) === null) return;
  await dispatcher.queue(tx, { ownerId, kind: 'alert', ref: alert.id, executionId: null, body: null });
}

export async function alertPage(
  { database }: AlertContext,
  ownerId: string,
  query: AlertsQuery,
  only: string | undefined,
): Promise<AlertsAnswer> {
  const { limit, offset } = query;
  const type = query.alert_type === undefined ? undefined : alertTypeOf(query.alert_type);
  const { rows, total } = await listAlerts(database.read, ownerId, { ...query, alert_type: type, only });
  return { alerts: rows.map(alertAnswer), total, limit, offset };
}

/** One of the owner's; whether the caller may have it is for the route to say. */
export async function findAlert({ database }: AlertContext, ownerId: string, id: string): Promise<AlertRow> {
  const alert = isUuid(id) ? await readAlert(database.read, ownerId, id) : undefined;
  if (!alert) throw new DeliveryError('alert_not_found');
  return alert;
}

export async function acknowledgeAlert({ database }: AlertContext, alert: AlertRow): Promise<AlertAnswer> {
  await database.write((tx) => markAcknowledged(tx, alert.owner_id, alert.id));
  return alertAnswer({ ...alert, acknowledged: 1 });
}

/** Written out: a built select reads every column there is, also those that a later version has added. */
const alertAnswer = (alert: AlertRow): AlertAnswer => ({
  id: alert.id,
  cue_id: alert.cue_id,
  execution_id: alert.execution_id,
  alert_type: alert.alert_type,
  severity: alert.severity,
  message: alert.message,
  metadata: metadataOf(alert),
  acknowledged: alert.acknowledged === 1,
  created_at: iso(alert.created_at),
});

/** We stored it ourselves. */
export const metadataOf = ({ metadata }: AlertRow): Record<string, Json> =>
  JSON.parse(metadata) as Record<string, Json>;

/** Clients write the first one also without its last letter. */
const alertTypeOf = (word: string): AlertType =>
  word === 'consecutive_failure'
    ? 'consecutive_failures'
    : wordOf(ALERT_TYPES, word, 'alert_type', 'invalid_filter');
