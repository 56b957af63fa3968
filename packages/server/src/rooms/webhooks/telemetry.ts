import type { Metrics } from '../../platform/metrics.ts';

/** `dropped`: its endpoint was deleted while it waited. */
export type HookOutcome = 'delivered' | 'retried' | 'dead' | 'dropped';

export interface WebhookTelemetry {
  outcome(outcome: HookOutcome): void;
}

export function webhookTelemetry(metrics: Metrics): WebhookTelemetry {
  const attempts = metrics.counter('parley_room_webhook_attempts_total', 'Webhook attempts by outcome', [
    'outcome',
  ]);
  return { outcome: (outcome) => attempts.inc({ outcome }) };
}
