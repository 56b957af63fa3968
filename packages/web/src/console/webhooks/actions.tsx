import { consoleExecutions, type ExecutionsAnswer } from '@parley/protocol/console/view-routes';
import {
  consoleWebhookReplay,
  consoleWebhookRotate,
  type ConsoleWebhookRotatedAnswer,
  type ConsoleWebhooksAnswer,
} from '@parley/protocol/console/webhook-routes';
import { agentSecretRotate } from '@parley/protocol/delivery/agent-routes';
import { executionReplay } from '@parley/protocol/delivery/execution-routes';
import { messageSend } from '@parley/protocol/delivery/message-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { useLocation } from 'wouter';
import { Secret } from '../agent/actions.tsx';
import { api } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { tell } from '../pieces/toasts.tsx';

type Webhook = ConsoleWebhooksAnswer['webhooks'][number];

export interface WebhookTask {
  readonly does: 'test' | 'replay' | 'rotate';
  readonly webhook: Webhook;
}

const HOUR = 3_600_000;
const SPANS: Readonly<Record<string, number>> = { 'the last hour': 1, 'the last day': 24, 'the last week': 168 };

/** What failed of an agent's messages within some hours, at most a page of it. */
async function replayMessages({ agent, owner }: Webhook, hours: number): Promise<number> {
  const query = { agent, status: 'failed', limit: 200 };
  const { executions } = await api.call<ExecutionsAnswer>(consoleExecutions, { query });
  const since = Date.now() - hours * HOUR;
  const wanted = executions.filter(({ updated_at: at }) => Date.parse(at) >= since);
  for (const { id } of wanted) await api.call(executionReplay, { path: [id] }, owner);
  return wanted.length;
}

/** What waits for another try is tried now. */
async function replayHooks({ id }: Webhook): Promise<number> {
  return (await api.call<{ replayed: number }>(consoleWebhookReplay, { path: [id] })).replayed;
}

async function newSecret({ id, kind, agent, owner }: Webhook): Promise<string> {
  if (kind === 'room') return (await api.call<ConsoleWebhookRotatedAnswer>(consoleWebhookRotate, { path: [id] })).secret;
  const input = { path: [agent], body: {}, headers: { 'X-Confirm-Destructive': 'true' } };
  return (await api.call<{ webhook_secret: string }>(agentSecretRotate, input, owner)).webhook_secret;
}

export function WebhookDialog({ task, onClose }: { readonly task: WebhookTask; readonly onClose: () => void }) {
  const { does, webhook } = task;
  const [, navigate] = useLocation();
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
        lead={<p>What {webhook.agent} did not take is sent to it again. A receiver drops what it has had by the id of the delivery.</p>}
        fields={webhook.kind === 'agent' ? [{ name: 'span', label: 'What failed in', kind: 'choice', choices: Object.keys(SPANS), value: 'the last day' }] : []}
        onClose={onClose}
        onDone={async ({ span = '' }) => {
          const waited = await replayHooks(webhook);
          const again = webhook.kind === 'agent' ? waited + (await replayMessages(webhook, SPANS[span] ?? 24)) : waited;
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
