import { cueBackfill } from '@parley/protocol/delivery/cue-routes';
import type { CueAnswer, CueBackfilled } from '@parley/protocol/delivery/types';
import { api } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { instantOf, wallIn, wallWords } from '../pieces/time.tsx';

const DAY = 24 * 3_600_000;
const SAY = 'only say which';
const RUN = 'run them';

/** Runs for past times that have none. */
export function Backfill({ cue, owner, onClose }: { readonly cue: CueAnswer; readonly owner: string; readonly onClose: () => void }) {
  return (
    <Form
      title={`Backfill ${cue.name}`}
      verb="Go on"
      lead={<p className="soft">Past times that have no run get one. Times that have one are left alone.</p>}
      fields={[
        { name: 'from', label: 'From', kind: 'time', value: wallIn(-DAY), required: true },
        { name: 'to', label: 'To', kind: 'time', value: wallIn(0), required: true },
        { name: 'how', label: 'And', kind: 'choice', choices: [SAY, RUN] },
      ]}
      onClose={onClose}
      onDone={async ({ from = '', to = '', how }) => {
        const body = { from: instantOf(from), to: instantOf(to), dry_run: how === SAY };
        const { runs } = await api.call<CueBackfilled>(cueBackfill, { path: [cue.id], body }, owner);
        return (
          <>
            <p>{runs.length === 0 ? 'There is no time in between.' : how === SAY ? 'These times lie in between:' : 'These run now:'}</p>
            <ul className="plain-list">
              {runs.map(({ at, local, existed }) => (
                <li key={at} className="between">
                  <span>{wallWords(local)}</span>
                  <span className="soft">{existed ? 'has a run' : how === SAY ? 'has none' : 'runs'}</span>
                </li>
              ))}
            </ul>
          </>
        );
      }}
    />
  );
}
