import { agentDelete, agentPatch, agentRename, agentSecretRotate } from '@parley/protocol/delivery/agent-routes';
import { messageSend } from '@parley/protocol/delivery/message-routes';
import type { AgentAnswer, MessageAnswer } from '@parley/protocol/delivery/types';
import { AGENT_STATUSES, INBOUND_POLICIES } from '@parley/protocol/delivery/vocabulary';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, errorText } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { attempt, tell } from '../pieces/toasts.tsx';
import { Secret } from './secret.tsx';
import { wakeTest } from './wake.ts';

type Open = 'write' | 'settings' | 'rename' | 'rotate' | 'delete' | undefined;

interface Props {
  readonly agent: AgentAnswer;
  readonly owner: string;
}

export function AgentActions({ agent, owner }: Props) {
  const [open, setOpen] = useState<Open>();
  const [, navigate] = useLocation();
  const close = (): void => setOpen(undefined);
  const ref = { path: [agent.id] };
  const wake = (): Promise<void> =>
    attempt(async () => navigate(`/messages/${(await wakeTest(agent.address, owner)).id}`));
  return (
    <>
      <button type="button" className="button" onClick={() => void wake()}>
        Wake test
      </button>
      <button type="button" className="button quiet" onClick={() => setOpen('write')}>
        Write
      </button>
      <button type="button" className="button quiet" onClick={() => setOpen('settings')}>
        Settings
      </button>
      <button type="button" className="button quiet" onClick={() => setOpen('rename')}>
        Rename
      </button>
      {agent.webhook_url && (
        <button type="button" className="button quiet" onClick={() => setOpen('rotate')}>
          New webhook secret
        </button>
      )}
      <button type="button" className="button quiet danger-text" onClick={() => setOpen('delete')}>
        Delete
      </button>
      {open === 'write' && (
        <Form
          title={`Write to ${agent.address}`}
          verb="Send"
          fields={[
            { name: 'subject', label: 'Subject' },
            { name: 'body', label: 'Message', kind: 'lines', required: true },
          ]}
          onClose={close}
          onDone={async ({ subject, body }) => {
            const sent = await api.call<MessageAnswer>(
              messageSend,
              { body: { to: agent.address, body, ...(subject && { subject }) } },
              owner,
            );
            navigate(`/messages/${sent.id}`);
            return undefined;
          }}
        />
      )}
      {open === 'settings' && (
        <Form
          title={`Settings of ${agent.address}`}
          verb="Save"
          fields={[
            { name: 'display_name', label: 'Name as it is shown', value: agent.display_name },
            { name: 'status', label: 'Says it is', kind: 'choice', choices: AGENT_STATUSES, value: agent.status },
            { name: 'inbound_policy', label: 'Who may write to it', kind: 'choice', choices: INBOUND_POLICIES, value: agent.inbound_policy },
            { name: 'webhook_url', label: 'Webhook URL', value: agent.webhook_url ?? '', hint: 'Empty: none.' },
          ]}
          onClose={close}
          onDone={async ({ webhook_url: url, ...rest }) => {
            const before = agent.webhook_url;
            const changed = await api.call<AgentAnswer>(
              agentPatch,
              { ...ref, body: { ...rest, ...((before ?? '') !== url && { webhook_url: url === '' ? null : url }) } },
              owner,
            );
            tell(changed.warning ?? 'Saved', undoOf(agent, owner));
            return changed.webhook_secret === null ? undefined : <Secret text={changed.webhook_secret} />;
          }}
        />
      )}
      {open === 'rename' && (
        <Form
          title={`Rename ${agent.address}`}
          verb="Rename"
          lead={<p className="soft">Messages to the old name still arrive until another agent takes it.</p>}
          fields={[{ name: 'slug', label: 'New name in its address', value: agent.slug, required: true }]}
          onClose={close}
          onDone={async ({ slug }) => {
            const renamed = await api.call<AgentAnswer>(agentRename, { ...ref, body: { slug } }, owner);
            navigate(`/agents/${renamed.address}`);
            return undefined;
          }}
        />
      )}
      {open === 'rotate' && (
        <Form
          title={`New webhook secret for ${agent.address}`}
          verb="Replace it"
          danger
          lead={<p>What signs its webhooks is replaced at once. The receiver refuses them until it knows the new one.</p>}
          fields={[]}
          onClose={close}
          onDone={async () => {
            const made = await api.call<{ webhook_secret: string }>(
              agentSecretRotate,
              { ...ref, body: {}, headers: { 'X-Confirm-Destructive': 'true' } },
              owner,
            );
            return <Secret text={made.webhook_secret} />;
          }}
        />
      )}
      {open === 'delete' && (
        <Form
          title={`Delete ${agent.address}`}
          verb="Delete"
          danger
          typed={agent.slug}
          lead={<p>Its keys and sessions end, what waits in its inbox is not delivered any more, and its name becomes free. This cannot be undone.</p>}
          fields={[]}
          onClose={close}
          onDone={async () => {
            await api.call(agentDelete, ref, owner);
            tell(`${agent.address} is deleted`);
            navigate('/agents');
            return undefined;
          }}
        />
      )}
    </>
  );
}

const undoOf =
  (agent: AgentAnswer, owner: string): (() => void) =>
  () => {
    const { display_name, status, inbound_policy, webhook_url } = agent;
    void api.call(agentPatch, { path: [agent.id], body: { display_name, status, inbound_policy, webhook_url } }, owner).then(
      () => tell('As it was before'),
      (error: unknown) => tell(errorText(error)),
    );
  };
