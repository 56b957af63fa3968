import { archive } from '@parley/protocol/continuity/routes';
import type { StartupAnswer } from '@parley/protocol/continuity/answers';
import { useState } from 'react';
import { download, fileNameOf } from '../../shared/download.ts';
import { api } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { attempt, tell } from '../pieces/toasts.tsx';
import { latestWithText, type OfSubject, restoreRevision } from './revisions.ts';

export function SubjectActions(props: OfSubject & { readonly capsule: NonNullable<StartupAnswer['capsule']> }) {
  const { subject, owner, capsule } = props;
  const [archiving, setArchiving] = useState(false);
  const save = (): void => {
    const text = `${JSON.stringify(capsule, null, 2)}\n`;
    download(fileNameOf(`${subject.subject_kind} ${subject.subject_id}`, Date.now(), 'json'), 'application/json', text);
  };
  return (
    <>
      <button type="button" className="button quiet" onClick={save}>
        Export
      </button>
      <button type="button" className="button quiet danger-text" onClick={() => setArchiving(true)}>
        Archive
      </button>
      {archiving && (
        <Form
          title={`Archive ${subject.subject_id}`}
          verb="Archive"
          danger
          lead={<p>Agents that start do not read it any more. It stays in the history, and any revision of it can be restored.</p>}
          fields={[{ name: 'reason', label: 'Why', required: true, value: 'archived at the console' }]}
          onClose={() => setArchiving(false)}
          onDone={async ({ reason }) => {
            await api.call(archive, { body: { ...subject, reason } }, owner);
            tell('Archived', () => void attempt(() => undo(props), 'It is back'));
            return undefined;
          }}
        />
      )}
    </>
  );
}

async function undo(of: OfSubject): Promise<void> {
  await restoreRevision(of, await latestWithText(of), 'archived by mistake');
}
