import { cueFire, cueUpdate } from '@parley/protocol/delivery/cue-routes';
import type { CueAnswer } from '@parley/protocol/delivery/types';
import { useState } from 'react';
import { api } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { attempt, tell } from '../pieces/toasts.tsx';
import { Backfill } from './backfill.tsx';
import { EditCue } from './cue-form.tsx';

interface Props {
  readonly cue: CueAnswer;
  readonly owner: string;
}

interface Row {
  readonly cue: Pick<CueAnswer, 'id' | 'name' | 'status'>;
  readonly owner: string;
}

const change = ({ cue, owner }: Row, status: 'active' | 'paused'): Promise<void> =>
  attempt(
    () => api.call(cueUpdate, { path: [cue.id], body: { status } }, owner),
    status === 'paused' ? `${cue.name} is paused` : `${cue.name} goes on`,
    () => void change({ cue, owner }, status === 'paused' ? 'active' : 'paused'),
  );

/** Pause or let go on, from a row of the list. */
export function PauseOrResume({ cue, owner }: Row) {
  const paused = cue.status === 'paused';
  if (cue.status !== 'active' && !paused) return null;
  return (
    <button type="button" className="button quiet" onClick={() => void change({ cue, owner }, paused ? 'active' : 'paused')}>
      {paused ? 'Resume' : 'Pause'}
    </button>
  );
}

/** Everything that is done with a cue that is shown. */
export function CueActions({ cue, owner }: Props) {
  const [open, setOpen] = useState<'fire' | 'edit' | 'backfill' | undefined>();
  const close = (): void => setOpen(undefined);
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen('fire')}>
        Fire now
      </button>
      <PauseOrResume cue={cue} owner={owner} />
      <button type="button" className="button quiet" onClick={() => setOpen('edit')}>
        Edit
      </button>
      {cue.schedule.type === 'recurring' && (
        <button type="button" className="button quiet" onClick={() => setOpen('backfill')}>
          Backfill
        </button>
      )}
      {open === 'fire' && (
        <Form
          title={`Fire ${cue.name}`}
          verb="Fire"
          fields={[{ name: 'payload', label: 'Payload in place of its own', kind: 'lines', hint: 'JSON; empty: its own.' }]}
          onClose={close}
          onDone={async ({ payload = '' }) => {
            const given = payload.trim() === '' ? {} : { payload_override: JSON.parse(payload) as unknown };
            await api.call(cueFire, { path: [cue.id], body: given }, owner);
            tell('Fired');
            return undefined;
          }}
        />
      )}
      {open === 'edit' && <EditCue cue={cue} owner={owner} onClose={close} />}
      {open === 'backfill' && <Backfill cue={cue} owner={owner} onClose={close} />}
    </>
  );
}
