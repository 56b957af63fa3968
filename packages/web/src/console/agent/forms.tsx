import { agentDelete, agentPatch, agentRename, agentSecretRotate } from '@parley/protocol/delivery/agent-routes';
import { messageSend } from '@parley/protocol/delivery/message-routes';
import type { AgentAnswer, MessageAnswer } from '@parley/protocol/delivery/types';
import { AGENT_STATUSES, INBOUND_POLICIES } from '@parley/protocol/delivery/vocabulary';
import { useLocation } from 'wouter';
import { api, errorText } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { tell } from '../pieces/toasts.tsx';
import { Secret } from './secret.tsx';

interface Props {
  readonly agent: AgentAnswer;
  readonly owner: string;
  readonly onClose: () => void;
}

function Write({ agent, owner, onClose }: Props) {
  const [, navigate] = useLocation();
  return (
    <Form
      title={`Write to ${agent.address}`}
      verb="Send"
      fields={[
        { name: 'subject', label: 'Subject' },
        { name: 'body', label: 'Message', kind: 'lines', required: true },
      ]}
      onClose={onClose}
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
  );
}

function Settings({ agent, owner, onClose }: Props) {
  return (
    <Form
      title={`Settings of ${agent.address}`}
      verb="Save"
      fields={[
        { name: 'display_name', label: 'Name as it is shown', value: agent.display_name },
        { name: 'status', label: 'Says it is', kind: 'choice', choices: AGENT_STATUSES, value: agent.status },
        { name: 'inbound_policy', label: 'Who may write to it', kind: 'choice', choices: INBOUND_POLICIES, value: agent.inbound_policy },
        { name: 'webhook_url', label: 'Webhook URL', value: agent.webhook_url ?? '', hint: 'Empty: none.' },
      ]}
      onClose={onClose}
      onDone={async ({ webhook_url: url, ...rest }) => {
        const before = agent.webhook_url;
        const changed = await api.call<AgentAnswer>(
          agentPatch,
          { path: [agent.id], body: { ...rest, ...((before ?? '') !== url && { webhook_url: url === '' ? null : url }) } },
          owner,
        );
        tell(changed.warning ?? 'Saved', undoOf(agent, owner));
        return changed.webhook_secret === null ? undefined : <Secret text={changed.webhook_secret} />;
      }}
    />
  );
}

function Rename({ agent, owner, onClose }: Props) {
  const [, navigate] = useLocation();
  return (
    <Form
      title={`Rename ${agent.address}`}
      verb="Rename"
      lead={<p className="soft">Messages to the old name still arrive until another agent takes it.</p>}
      fields={[{ name: 'slug', label: 'New name in its address', value: agent.slug, required: true }]}
      onClose={onClose}
      onDone={async ({ slug }) => {
        const renamed = await api.call<AgentAnswer>(agentRename, { path: [agent.id], body: { slug } }, owner);
        navigate(`/agents/${renamed.address}`);
        return undefined;
      }}
    />
  );
}

function NewSecret({ agent, owner, onClose }: Props) {
  return (
    <Form
      title={`New webhook secret for ${agent.address}`}
      verb="Replace it"
      danger
      lead={<p>What signs its webhooks is replaced at once. The receiver refuses them until it knows the new one.</p>}
      fields={[]}
      onClose={onClose}
      onDone={async () => {
        const made = await api.call<{ webhook_secret: string }>(
          agentSecretRotate,
          { path: [agent.id], body: {}, headers: { 'X-Confirm-Destructive': 'true' } },
          owner,
        );
        return <Secret text={made.webhook_secret} />;
      }}
    />
  );
}

function Delete({ agent, owner, onClose }: Props) {
  const [, navigate] = useLocation();
  return (
    <Form
      title={`Delete ${agent.address}`}
      verb="Delete"
      danger
      typed={agent.slug}
      lead={<p>Its keys and sessions end, what waits in its inbox is not delivered any more, and its name becomes free. This cannot be undone.</p>}
      fields={[]}
      onClose={onClose}
      onDone={async () => {
        await api.call(agentDelete, { path: [agent.id] }, owner);
        tell(`${agent.address} is deleted`);
        navigate('/agents');
        return undefined;
      }}
    />
  );
}

/** What is asked before something is done with an agent. */
export const FORMS = { write: Write, settings: Settings, rename: Rename, rotate: NewSecret, delete: Delete };

const undoOf =
  (agent: AgentAnswer, owner: string): (() => void) =>
  () => {
    const { display_name, status, inbound_policy, webhook_url } = agent;
    void api.call(agentPatch, { path: [agent.id], body: { display_name, status, inbound_policy, webhook_url } }, owner).then(
      () => tell('As it was before'),
      (error: unknown) => tell(errorText(error)),
    );
  };
