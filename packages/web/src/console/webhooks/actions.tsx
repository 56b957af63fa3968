import {
  consoleWebhookRotate,
  type ConsoleWebhookRotatedAnswer,
  consoleWebhookTest,
  type ConsoleWebhookTestedAnswer,
  type ConsoleWebhooksAnswer,
} from '@parley/protocol/console/webhook-routes';
import { agentSecretRotate } from '@parley/protocol/delivery/agent-routes';
import { messageSend } from '@parley/protocol/delivery/message-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { useLocation } from 'wouter';
import { Secret } from '../agent/secret.tsx';
import { api } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { tell } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';
import { replayTo } from './replay.ts';
import { Untaken } from './untaken.tsx';

type Webhook = ConsoleWebhooksAnswer['webhooks'][number];

export interface WebhookTask {
  readonly does: 'test' | 'replay' | 'rotate';
  readonly webhook: Webhook;
}

const SPANS: Readonly<Record<string, number>> = { 'the last hour': 1, 'the last day': 24, 'the last week': 168 };

async function newSecret({ id, kind, agent, owner }: Webhook): Promise<string> {
  if (kind === 'room') return (await api.call<ConsoleWebhookRotatedAnswer>(consoleWebhookRotate, { path: [id] })).secret;
  const input = { path: [agent], body: {}, headers: { 'X-Confirm-Destructive': 'true' } };
  return (await api.call<{ webhook_secret: string }>(agentSecretRotate, input, owner)).webhook_secret;
}

function Tested({ answer: { status, error } }: { readonly answer: ConsoleWebhookTestedAnswer }) {
  return error === null ? (
    <p>It was taken: the receiver answered {status}.</p>
  ) : (
    <p className="danger-text">It was not taken: {wordFor(error)}. What is sent to it waits, and is tried again.</p>
  );
}

export function WebhookDialog({ task, onClose }: { readonly task: WebhookTask; readonly onClose: () => void }) {
  const { does, webhook } = task;
  const [, navigate] = useLocation();
  if (does === 'test' && webhook.kind !== 'agent')
    return (
      <Form
        title={`Test the webhook of ${webhook.agent}`}
        verb="Send it"
        lead={<p>One signed request that tells of nothing is sent to {webhook.url}, and not again.</p>}
        fields={[]}
        onClose={onClose}
        onDone={async () => <Tested answer={await api.call<ConsoleWebhookTestedAnswer>(consoleWebhookTest, { path: [webhook.id] })} />}
      />
    );
  if (does === 'test')
    return (
      <Form
        title={`Test the webhook of ${webhook.agent}`}
        verb="Send it"
        lead={<p>A message that asks for no answer is sent to it by its webhook. The next page shows how far it comes.</p>}
        fields={[]}
        onClose={onClose}
        onDone={async () => {
          const body = { to: webhook.agent, subject: 'Webhook test', body: 'This is a test from the console. No answer is needed.', delivery_mode: 'webhook' };
          const sent = await api.call<MessageAnswer>(messageSend, { body }, webhook.owner);
          navigate(`/messages/${sent.id}`);
          return undefined;
        }}
      />
    );
  if (does === 'replay')
    return (
      <Form
        title={`Replay to ${webhook.url}`}
        verb="Replay"
        lead={
          <>
            <p>What {webhook.agent} did not take is sent to it again, one by one or all of a time. A receiver drops what it has had by the id of the delivery.</p>
            <Untaken endpoint={webhook} />
          </>
        }
        fields={[{ name: 'span', label: 'What failed in', kind: 'choice', choices: Object.keys(SPANS), value: 'the last day' }]}
        onClose={onClose}
        onDone={async ({ span = '' }) => {
          const again = await replayTo(webhook, SPANS[span] ?? 24);
          tell(again === 0 ? 'There was nothing to replay' : again === 1 ? 'One is sent again' : `${again} are sent again`);
          return undefined;
        }}
      />
    );
  return (
    <Form
      title={`New secret for ${webhook.url}`}
      verb="Replace it"
      danger
      lead={<p>What signs its webhooks is replaced at once. The receiver of {webhook.agent} refuses them until it knows the new one.</p>}
      fields={[]}
      onClose={onClose}
      onDone={async () => <Secret text={await newSecret(webhook)} />}
    />
  );
}
