import { messageSend } from '@parley/protocol/delivery/message-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { MESSAGE_STATES } from '@parley/protocol/delivery/vocabulary';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, ownerIn, useMayChange, useReadsTexts } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { Choice, OwnerFilter, TextFilter, useChosenOwner, useFilter, useMayMake } from '../pieces/filters.tsx';
import { Page } from '../pieces/pieces.tsx';
import { Threads } from './threads.tsx';

const PRIORITIES = ['5', '4', '3', '2', '1'];

export function Messages() {
  const [writing, setWriting] = useState(false);
  const mayChange = useMayChange();
  const mayMake = useMayMake();
  // Texts of other people are looked through only by who says whose.
  const [owner] = useFilter('owner');
  const readsTexts = useReadsTexts();
  const mayFind = mayChange || (readsTexts && owner !== '');
  return (
    <Page
      title="Messages"
      actions={
        mayMake && (
          <button type="button" className="button" onClick={() => setWriting(true)}>
            Write
          </button>
        )
      }
    >
      <div className="filters">
        {mayFind && <TextFilter name="q" label="Subject" placeholder="holds" />}
        <TextFilter name="agent" label="Agent" placeholder="name@owner" />
        <Choice name="state" label="State" choices={MESSAGE_STATES} />
        <Choice name="priority" label="Priority" choices={PRIORITIES} />
        <OwnerFilter />
      </div>
      <Threads />
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
