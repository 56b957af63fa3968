import { ALARM_RETRY_WAITS, ALARM_TIMEOUT } from '@parley/protocol/delivery/limits';
import { alertUrlOf } from '../../identity/owners/account.ts';
import { signingSecrets } from '../../identity/owners/account-secrets.ts';
import { type Json, signedJson } from '../../wire/delivery/signed-json.ts';
import { iso } from '../../wire/delivery/times.ts';
import { onFailureOf } from '../cues/record/cue-row.ts';
import { cueById } from '../cues/record/cue-store.ts';
import { retriesAfter } from '../webhooks/retry-schedule.ts';
import type { Outgoing, RunningDelivery, WebhookKind } from '../webhooks/webhook-kind.ts';
import { alertById } from './alert-store.ts';
import { type AlertContext, metadataOf } from './alerts.ts';

const RETRIES = retriesAfter(ALARM_RETRY_WAITS, true);

/** Nothing is kept of the attempts: the alarm itself is stored. One that a crash cut short three times is given up. */
export const alarmWebhooks = (context: AlertContext): WebhookKind[] =>
  (['alert', 'on_failure'] as const).map((kind) => ({
    kind,
    begin: async (_tx, { attempt }) => attempt <= RETRIES.maxAttempts,
    compose: (delivery) => COMPOSED[kind](context, delivery),
    record: async () => true,
  }));

const COMPOSED = { alert: composeAlert, on_failure: composeFailure };

/** Alerts to the endpoint of their owner. */
async function composeAlert(
  { database, identity }: AlertContext,
  { ref, ownerId }: RunningDelivery,
): Promise<Outgoing | undefined> {
  const alert = await alertById(database.read, ref);
  const url = await alertUrlOf(database.read, ownerId);
  if (!alert || url === null) return undefined;
  return {
    url,
    secrets: await signingSecrets(identity, ownerId, 'alert_webhook_secret'),
    body: signedJson({
      alert_id: alert.id,
      alert_type: alert.alert_type,
      severity: alert.severity,
      message: alert.message,
      execution_id: alert.execution_id,
      cue_id: alert.cue_id,
      created_at: iso(alert.created_at),
      metadata: metadataOf(alert),
    }),
    headers: { 'X-CueAPI-Alert-Id': alert.id, 'X-CueAPI-Alert-Type': alert.alert_type },
    timeoutMs: ALARM_TIMEOUT,
    retries: RETRIES,
  };
}

/** Failed runs to the endpoint that their cue names. */
async function composeFailure(
  { database, identity }: AlertContext,
  { ref, ownerId, body, executionId }: RunningDelivery,
): Promise<Outgoing | undefined> {
  const cue = await cueById(database.read, ref);
  const url = cue && onFailureOf(cue).webhook;
  if (!cue || url == null || body === null) return undefined;
  return {
    url,
    secrets: await signingSecrets(identity, ownerId, 'webhook_secret'),
    // We queued it as JSON.
    body: signedJson(JSON.parse(body) as Json),
    headers: { 'X-CueAPI-Cue-Id': cue.id, 'X-CueAPI-Execution-Id': executionId ?? '' },
    timeoutMs: ALARM_TIMEOUT,
    retries: RETRIES,
  };
}
