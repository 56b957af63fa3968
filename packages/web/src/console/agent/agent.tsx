import { type AgentRouteAnswer, consoleAgentRoute } from '@parley/protocol/console/view-routes';
import { agentRead } from '@parley/protocol/delivery/agent-routes';
import type { AgentAnswer } from '@parley/protocol/delivery/types';
import { useParams } from 'wouter';
import { ownerIn, useAnswer, useMayChange, useReadsTexts, useSession } from '../data.ts';
import { AsCurl, Card, Copy, Facts, Page, State, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { AgentActions } from './actions.tsx';
import { Keeps } from './keeps.tsx';
import { Keys } from './keys.tsx';
import { Mail } from './mail.tsx';
import { RouteNow } from './route-now.tsx';

/** Why an agent does or does not answer, and what to do about it. */
export function Agent() {
  const { address } = useParams<{ address: string }>();
  const owner = ownerIn(address);
  const { role } = useSession();
  const readsTexts = useReadsTexts();
  const mayChange = useMayChange();
  const read = useAnswer<AgentAnswer>(agentRead, {
    input: { path: [address] },
    owner,
    kinds: ['agents'],
    enabled: role === 'owner' || readsTexts,
  });
  const agent = read.data;
  const route = useAnswer<AgentRouteAnswer>(consoleAgentRoute, { input: { path: [address] }, kinds: ['agents'] });
  if (route.error)
    return (
      <Page title="Agent" of={address}>
        <Waiting of={route}>{null}</Waiting>
      </Page>
    );
  return (
    <Page
      title="Agent"
      of={address}
      lead={
        <span className="id">
          {agent?.display_name} <Copy text={address} />
        </span>
      }
      actions={mayChange && agent && <AgentActions agent={agent} owner={owner} />}
    >
      <RouteNow address={address} />
      {role === 'operator' && !readsTexts ? (
        <p className="soft">
          This agent belongs to another owner. You see how it is reached and what failed, not its words: the server runs with
          operator_reads=names.
        </p>
      ) : (
        <Waiting of={read}>{agent && <Details agent={agent} />}</Waiting>
      )}
      <Mail address={address} />
      <Keeps address={address} />
      {mayChange && agent && <Keys agent={agent} owner={owner} />}
      <AsCurl method="GET" path={`/v1/agents/${address}`} />
    </Page>
  );
}

function Details({ agent }: { readonly agent: AgentAnswer }) {
  return (
    <div className="columns">
      <Card title="Settings">
        <Facts
          facts={[
            ['Takes', agent.delivery_capabilities.join(', ')],
            ['Prefers', agent.preferred_contact],
            ['Says it is', <State key="status" state={agent.status} />],
            ['Who may write', agent.inbound_policy.replaceAll('_', ' ')],
            ['Webhook', agent.webhook_url && <code>{agent.webhook_url}</code>],
            ['Background task', <code key="task">{agent.bg_task}</code>],
            ['Last seen', <Moment key="seen" at={agent.last_seen_at} />],
            ['Made', <Moment key="made" at={agent.created_at} />],
          ]}
        />
      </Card>
      <Card title="Sessions">
        {agent.live_sessions.length === 0 ? (
          <p className="soft">None is attached. A live session shows here while it beats.</p>
        ) : (
          <ul className="plain-list">
            {agent.live_sessions.map((session) => (
              <li key={session.label}>
                <strong>{session.label}</strong> <State state={session.fresh ? 'live' : 'stale'} />
                <div className="soft small">
                  beat {session.heartbeat_age_sec ?? '?'} s ago, attached <Moment at={session.attached_at} />, last claim{' '}
                  <Moment at={session.last_claim_at} />
                </div>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </div>
  );
}
