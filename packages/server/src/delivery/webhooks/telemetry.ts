import type { Metrics } from '../../platform/metrics.ts';
import type { DeliveryKind } from './webhook-kind.ts';

/** `dropped`: there was no reason to send it any more. `unrecorded`: left to be taken up again. */
type AttemptOutcome = 'delivered' | 'retried' | 'given_up' | 'dropped' | 'unrecorded';

export type CountAttempt = (kind: DeliveryKind, outcome: AttemptOutcome) => void;

export function webhookTelemetry(metrics: Metrics, running: () => number): CountAttempt {
  const attempts = metrics.counter(
    'parley_delivery_webhook_attempts_total',
    'Webhook attempts of the delivery protocol by kind and outcome',
    ['kind', 'outcome'],
  );
  metrics.gauge('parley_delivery_webhooks_running', 'Webhook requests under way', running);
  return (kind, outcome) => attempts.inc({ kind, outcome });
}
