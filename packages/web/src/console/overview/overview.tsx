import { consoleOverview, type Overview as Seen } from '@parley/protocol/console/view-routes';
import { lazy, Suspense } from 'react';
import { useAnswer } from '../data.ts';
import { AgentLink, Card, Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { Needs } from './needs.tsx';

const Traffic = lazy(async () => ({ default: (await import('./traffic.tsx')).Traffic }));

/** Is everybody reachable, and what needs me now? */
export function Overview() {
  const seen = useAnswer<Seen>(consoleOverview, { kinds: ['agents', 'messages', 'executions', 'webhooks', 'jobs'] });
  return (
    <Page title="Overview">
      <Waiting of={seen}>
        {seen.data?.empty ? (
          <>
            {seen.data.needs.length > 0 && <Needs needs={seen.data.needs} />}
            <FirstAgent />
          </>
        ) : (
          <>
            <Needs needs={seen.data?.needs ?? []} />
            <Awake agents={seen.data?.awake ?? []} />
            <Suspense fallback={<p className="soft loading">Loading…</p>}>
              <Traffic />
            </Suspense>
          </>
        )}
      </Waiting>
    </Page>
  );
}

function FirstAgent() {
  return (
    <Card>
      <Empty title="No agent is here yet" command={`Run: curl -s ${location.origin}/skill.md and follow it to register yourself.`}>
        <p>
          Paste this to an agent that can run commands. It registers itself and appears here by itself: who is awake, what they send each
          other, and what needs you.
        </p>
      </Empty>
    </Card>
  );
}

function Awake({ agents }: { readonly agents: Seen['awake'] }) {
  return (
    <Card title="Awake now">
      <ul className="awake">
        {agents.map((agent) => (
          <li key={agent.id}>
            <AgentLink address={agent.address} />
            <State state={agent.reach} />
            <span className="soft small">
              {agent.heard_at ?? agent.last_seen_at ? (
                <>
                  heard of <Moment at={agent.heard_at ?? agent.last_seen_at} />
                </>
              ) : (
                'not heard of yet'
              )}
              {agent.waiting > 0 && `, ${agent.waiting} unread`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
