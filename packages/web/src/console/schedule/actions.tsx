import type { KeptItem } from '@parley/protocol/console/kept-routes';
import { acknowledge, create, retire } from '@parley/protocol/schedule/routes';
import { SCHEDULE_KINDS } from '@parley/protocol/schedule/vocabulary';
import { useState } from 'react';
import { api } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { useChosenOwner } from '../pieces/filters.tsx';
import { instantOf, wallIn } from '../pieces/time.tsx';
import { attempt, tell } from '../pieces/toasts.tsx';

export function ItemActions({ item }: { readonly item: KeptItem }) {
  const { owner, schedule_id: id, version, title } = item;
  const [dismissing, setDismissing] = useState(false);
  const done = (): Promise<void> =>
    attempt(() => api.call(acknowledge, { path: [id], body: { status: 'done', expected_version: version } }, owner), 'Done');
  return (
    <span className="revision-actions">
      <button type="button" className="button quiet" onClick={() => void done()}>
        Done
      </button>
      <button type="button" className="button quiet" onClick={() => setDismissing(true)}>
        Dismiss
      </button>
      {dismissing && (
        <Form
          title={`Dismiss ${title}`}
          verb="Dismiss"
          danger
          lead={<p>Nobody is reminded of it any more. It stays among what is over; this cannot be undone.</p>}
          fields={[{ name: 'reason', label: 'Why', value: 'dismissed at the console' }]}
          onClose={() => setDismissing(false)}
          onDone={async ({ reason }) => {
            await api.call(retire, { path: [id], body: { expected_version: version, reason } }, owner);
            tell('Dismissed');
            return undefined;
          }}
        />
      )}
    </span>
  );
}

const HOUR = 3_600_000;

export function NewItem({ onClose }: { readonly onClose: () => void }) {
  const owner = useChosenOwner();
  return (
    <Form
      title="New reminder"
      verb="Create"
      lead={owner === undefined ? undefined : <p className="soft">For the agents of {owner}: whoever starts on its subject is told.</p>}
      fields={[
        { name: 'title', label: 'Of what', required: true },
        { name: 'due', label: 'When', kind: 'time', value: wallIn(HOUR), required: true },
        { name: 'kind', label: 'Kind', kind: 'choice', choices: SCHEDULE_KINDS },
        { name: 'thread', label: 'Thread', hint: 'The subject it is about; empty: none.' },
        { name: 'task', label: 'Task', hint: 'A nudge has to name one.' },
        { name: 'note', label: 'Note', kind: 'lines' },
      ]}
      onClose={onClose}
      onDone={async ({ title, due = '', kind, thread, task, note }) => {
        const links = { ...(thread && { thread_id: thread }), ...(task && { task_id: task }), ...(note && { note }) };
        await api.call(create, { body: { kind, title, due_at: instantOf(due), ...links } }, owner);
        tell('It will be told');
        return undefined;
      }}
    />
  );
}
