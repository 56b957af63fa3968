import { agentRead } from '@parley/protocol/delivery/agent-routes';
import type { AgentAnswer, MessageAnswer } from '@parley/protocol/delivery/types';
import { ownerIn, useAnswer } from '../data.ts';
import { withoutSecrets } from './without-secrets.ts';

/** What a webhook is sent for a message; what proves that it is ours is struck out. */
export function Request({ message, attempts }: { readonly message: MessageAnswer; readonly attempts: number }) {
  const read = useAnswer<AgentAnswer>(agentRead, { input: { path: [message.to] }, owner: ownerIn(message.to), kinds: ['agents'] });
  const url = read.data?.webhook_url;
  const lines = [
    `POST ${url == null ? `the webhook of ${message.to}` : withoutSecrets(url)}`,
    'Content-Type: application/json',
    'X-CueAPI-Event-Type: message.created',
    `X-CueAPI-Message-Id: ${message.id}`,
    `X-CueAPI-Thread-Id: ${message.thread_id}`,
    `X-CueAPI-Attempt: ${attempts === 1 ? '1' : `1 to ${attempts}`}`,
    'X-CueAPI-Signature: •••',
    'webhook-signature: •••',
    '',
    'with the message as JSON',
  ];
  return (
    <details>
      <summary>The request, to the endpoint as it is now</summary>
      <pre className="answer" tabIndex={0}>
        {lines.join('\n')}
      </pre>
    </details>
  );
}
