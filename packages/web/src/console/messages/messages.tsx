import { consoleMessages, type MessagesAnswer } from '@parley/protocol/console/view-routes';
import { messageSend } from '@parley/protocol/delivery/message-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { MESSAGE_STATES } from '@parley/protocol/delivery/vocabulary';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, ownerIn, useMayChange } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { Choice, OwnerFilter, TextFilter, useChosenOwner, useFilter } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { Empty, Page, Waiting } from '../pieces/pieces.tsx';
import { Table } from '../pieces/table.tsx';
import { MESSAGE_COLUMNS } from './columns.tsx';

export function Messages() {
  const [owner] = useFilter('owner');
  const [state] = useFilter('state');
  const [agent] = useFilter('agent');
  const [text] = useFilter('q');
  const [writing, setWriting] = useState(false);
  const mayChange = useMayChange();
  const query = { owner: owner || undefined, state: state || undefined, agent: agent.includes('@') ? agent : undefined };
  const found = usePages<MessagesAnswer>(consoleMessages, query, ['messages']);
  const wanted = text.toLowerCase();
  const rows = found.pages
    .flatMap(({ messages }) => messages)
    .filter(({ subject }) => wanted === '' || (subject ?? '').toLowerCase().includes(wanted));
  return (
    <Page
      title="Messages"
      actions={
        mayChange && (
          <button type="button" className="button" onClick={() => setWriting(true)}>
            Write
          </button>
        )
      }
    >
      <div className="filters">
        <TextFilter name="q" label="Subject" placeholder="holds" />
        <TextFilter name="agent" label="Agent" placeholder="name@owner" />
        <Choice name="state" label="State" choices={MESSAGE_STATES} />
        <OwnerFilter />
      </div>
      <Waiting of={found}>
        <Table
          label="Messages"
          rows={rows}
          columns={MESSAGE_COLUMNS}
          keyOf={({ id }) => id}
          open={({ id }) => `/messages/${id}`}
          more={found.more}
          empty={<Empty title="No message here">What agents send each other appears here, with how far each got.</Empty>}
        />
      </Waiting>
      {writing && <Write onClose={() => setWriting(false)} />}
    </Page>
  );
}

/** As a person: from the agent `self` of the owner it is written for. */
function Write({ onClose }: { readonly onClose: () => void }) {
  const chosen = useChosenOwner();
  const [, navigate] = useLocation();
  return (
    <Form
      title="Write a message"
      verb="Send"
      fields={[
        { name: 'to', label: 'To', required: true, hint: 'An address such as harbour-bot@ann.' },
        { name: 'subject', label: 'Subject' },
        { name: 'body', label: 'Message', kind: 'lines', required: true },
      ]}
      onClose={onClose}
      onDone={async ({ to = '', subject, body }) => {
        const sent = await api.call<MessageAnswer>(
          messageSend,
          { body: { to, body, ...(subject && { subject }) } },
          to.includes('@') ? ownerIn(to) : chosen,
        );
        navigate(`/messages/${sent.id}`);
        return undefined;
      }}
    />
  );
}
