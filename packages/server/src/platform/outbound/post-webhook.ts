import type { Clock } from '../clock.ts';
import type { GuardedClient, OutboundRequest, OutboundResult } from './guarded-client.ts';
import type { WebhookSigner } from './webhook-signer.ts';

export interface Webhook extends Pick<OutboundRequest, 'url' | 'timeoutMs' | 'maxResponseChars' | 'pool'> {
  readonly deliveryId: string;
  readonly body: string;
  readonly userAgent: string;
  /** Beside those that every webhook carries. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly sign: WebhookSigner;
  /** POST when left out. A GET carries no body, and its signature is that of nothing. */
  readonly method?: 'POST' | 'GET' | 'PUT' | 'PATCH';
}

/** One attempt at one webhook, signed as of now. */
export async function postWebhook(
  { clock, outbound }: { clock: Clock; outbound: GuardedClient },
  { deliveryId, body: text, userAgent, headers, sign, method = 'POST', ...request }: Webhook,
): Promise<OutboundResult> {
  const body = method === 'GET' ? '' : text;
  const timestamp = Math.floor(clock.now() / 1000);
  return await outbound.request({
    ...request,
    method,
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      'User-Agent': userAgent,
      ...sign({ deliveryId, timestamp, body }),
    },
    ...(method !== 'GET' && { body }),
  });
}
