import type { ConsoleWebhooksAnswer } from '@parley/protocol/console/webhook-routes';

type Webhook = ConsoleWebhooksAnswer['webhooks'][number];

export function healthOf({
  enabled,
  failing_since: since,
  last_at: at,
}: Webhook): 'well' | 'failing' | 'off' | 'unused' {
  if (!enabled) return 'off';
  if (since !== null) return 'failing';
  return at === null ? 'unused' : 'well';
}
