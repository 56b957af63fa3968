import { type AgentsAnswer, consoleAgents, type ListedAgentAnswer } from '@parley/protocol/console/view-routes';
import { REACHES } from '@parley/protocol/console/reaches';
import { agentCreate } from '@parley/protocol/delivery/agent-routes';
import type { AgentAnswer } from '@parley/protocol/delivery/types';
import { registerAgent } from '@parley/protocol/identity/agent-routes';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { Secret } from '../agent/secret.tsx';
import { wakeTest } from '../agent/wake.ts';
import { api, useMayChange } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { Choice, OwnerFilter, TextFilter, useChosenOwner, useFilter, useKnowsOwners } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { AgentLink, Copy, Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { attempt, tell } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';

const COLUMNS: readonly Column<ListedAgentAnswer>[] = [
  {
    name: 'Agent',
    wide: 3,
    sort: ({ address }) => address,
    show: ({ address }) => (
      <span className="id">
        <AgentLink address={address} />
        <Copy text={address} />
      </span>
    ),
  },
  {
    name: 'Reached',
    wide: 1.5,
    sort: ({ reach }) => reach,
    show: ({ reach, warning }) => (
      <>
        <State state={reach} /> {warning && <span className="soft small">{wordFor(warning)}</span>}
      </>
    ),
  },
  { name: 'Heard of', sort: ({ heard_at: at }) => at ?? '', show: ({ heard_at: at }) => <Moment at={at} /> },
  { name: 'Last seen', sort: ({ last_seen_at: at }) => at ?? '', show: ({ last_seen_at: at }) => <Moment at={at} /> },
  { name: 'Remembered', sort: ({ remembered_at: at }) => at ?? '', show: ({ remembered_at: at }) => <Moment at={at} /> },
  { name: 'Unread', wide: 0.6, sort: ({ waiting }) => waiting, show: ({ waiting }) => waiting },
];

export function Agents() {
  const [owner] = useFilter('owner');
  const [q] = useFilter('q');
  const [reach] = useFilter('reach');
  const [creating, setCreating] = useState(false);
  const mayChange = useMayChange();
  const knowsOwners = useKnowsOwners();
  const found = usePages<AgentsAnswer>(consoleAgents, { owner: owner || undefined, q: q || undefined }, ['agents', 'messages', 'memory']);
  const rows = found.pages.flatMap(({ agents }) => agents).filter((agent) => reach === '' || agent.reach === reach);
  return (
    <Page
      title="Agents"
      actions={
        mayChange &&
        knowsOwners && (
          <button type="button" className="button" onClick={() => setCreating(true)}>
            New agent
          </button>
        )
      }
    >
      <div className="filters">
        <TextFilter name="q" label="Name" placeholder="begins with" />
        <Choice name="reach" label="Reached" choices={REACHES} />
        <OwnerFilter />
      </div>
      <Waiting of={found}>
        <Table
          label="Agents"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          open={({ address }) => `/agents/${address}`}
          more={found.more}
          {...(mayChange && { marked: (marked: readonly ListedAgentAnswer[]) => <WakeMarked agents={marked} /> })}
          empty={
            <Empty title="No agent here" command={`Run: curl -s ${location.origin}/skill.md and follow it to register yourself.`}>
              Agents that register appear by themselves.
            </Empty>
          }
        />
      </Waiting>
      {creating && <NewAgent onClose={() => setCreating(false)} />}
    </Page>
  );
}

/** One opens its path; of several the threads are listed. */
function WakeMarked({ agents }: { readonly agents: readonly ListedAgentAnswer[] }) {
  const [, navigate] = useLocation();
  const wake = async (): Promise<void> => {
    const [only, ...others] = await Promise.all(agents.map(({ address, owner }) => wakeTest(address, owner)));
    navigate(only && others.length === 0 ? `/messages/${only.id}` : '/messages');
    tell(others.length === 0 ? 'A wake test is sent' : `${others.length + 1} wake tests are sent`);
  };
  return (
    <button type="button" className="button quiet" onClick={() => void attempt(wake)}>
      Wake test
    </button>
  );
}

function NewAgent({ onClose }: { readonly onClose: () => void }) {
  const owner = useChosenOwner();
  const [, navigate] = useLocation();
  // As it was when it was asked for: the first one makes an owner, and its key has to stay to be seen.
  const [isFirst] = useState(owner === undefined);
  if (isFirst) return <FirstAgent onClose={onClose} />;
  return (
    <Form
      title="New agent"
      verb="Create"
      lead={<p className="soft">It will belong to {owner}.</p>}
      fields={[
        { name: 'slug', label: 'Name in its address', required: true, hint: 'Lower case letters, digits and hyphens.' },
        { name: 'display_name', label: 'Name as it is shown' },
      ]}
      onClose={onClose}
      onDone={async ({ slug, display_name: name }) => {
        const made = await api.call<AgentAnswer>(
          agentCreate,
          { body: { slug, ...(name && { display_name: name }) } },
          owner,
        );
        navigate(`/agents/${made.address}`);
        return undefined;
      }}
    />
  );
}

/** There is no owner yet: it registers as any agent does, and is one of its own. */
function FirstAgent({ onClose }: { readonly onClose: () => void }) {
  return (
    <Form
      title="New agent"
      verb="Create"
      lead={<p className="soft">It will be the first one, and an owner of its own.</p>}
      fields={[{ name: 'name', label: 'Name', required: true }]}
      onClose={onClose}
      onDone={async ({ name }) => {
        const made = await api.call<{ api_key: string }>(registerAgent, { body: { name } });
        return (
          <>
            <p>The agent acts with this key.</p>
            <Secret text={made.api_key} />
          </>
        );
      }}
    />
  );
}
