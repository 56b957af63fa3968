import { consoleNextTimes, type NextTimesAnswer } from '@parley/protocol/console/kept-routes';
import { cueCreate, cueUpdate } from '@parley/protocol/delivery/cue-routes';
import type { CueAnswer } from '@parley/protocol/delivery/types';
import { useLocation } from 'wouter';
import { api, errorText, useAnswer } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { Moment, wallWords } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';
import { cronWords } from './cron-words.ts';

type Values = Readonly<Record<string, string>>;

const fieldsFor = (cue: CueAnswer | undefined) => [
  { name: 'name', label: 'Name', value: cue?.name ?? '', required: true },
  {
    name: 'cron',
    label: 'Cron line',
    value: cue ? (cue.schedule.cron ?? '') : '0 9 * * 1-5',
    required: true,
    hint: 'Minute, hour, day, month, weekday.',
  },
  {
    name: 'timezone',
    label: 'Time zone',
    value: cue?.schedule.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    required: true,
  },
  { name: 'agent', label: 'Agent', value: cue?.agent ?? '', required: cue === undefined },
];

/** When it would fire, while it is being written. */
function Preview({ cron = '', timezone = '' }: Values) {
  const found = useAnswer<NextTimesAnswer>(consoleNextTimes, {
    input: { query: { cron, timezone } },
    kinds: [],
    enabled: cron.trim() !== '' && timezone.trim() !== '',
  });
  if (found.error) return <p className="danger-text small">{errorText(found.error)}</p>;
  return (
    <div className="preview" aria-live="polite">
      <p className="soft small">{cronWords(cron) ?? 'The next times'}</p>
      <ol className="small">
        {found.data?.times.map(({ at, local }) => (
          <li key={at}>
            {wallWords(local)} <span className="soft"><Moment at={at} /></span>
          </li>
        ))}
      </ol>
    </div>
  );
}

export function NewCue({ owner, onClose }: { readonly owner: string; readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  return (
    <Form
      title={`New cue of ${owner}`}
      verb="Create"
      fields={[...fieldsFor(undefined), { name: 'body', label: 'What it is told', kind: 'lines' }]}
      aside={(values) => <Preview {...values} />}
      onClose={onClose}
      onDone={async ({ name, cron, timezone, agent, body }) => {
        const made = await api.call<CueAnswer>(
          cueCreate,
          { body: { name, cron, timezone, agent, ...(body && { payload: { body } }) } },
          owner,
        );
        navigate(`/cues/${made.id}`);
        return undefined;
      }}
    />
  );
}

/** A cue that fires once keeps its time: only what recurs has a cron line to change. */
export function EditCue(props: { readonly cue: CueAnswer; readonly owner: string; readonly onClose: () => void }) {
  const { cue, owner, onClose } = props;
  const recurs = cue.schedule.type === 'recurring';
  const fields = fieldsFor(cue).filter(({ name }) => recurs || name === 'name' || name === 'agent');
  return (
    <Form
      title={`Edit ${cue.name}`}
      verb="Save"
      fields={[
        ...fields,
        { name: 'payload', label: 'Payload', kind: 'lines', value: JSON.stringify(cue.payload, null, 2), hint: 'JSON.' },
      ]}
      {...(recurs && { aside: (values: Values) => <Preview {...values} /> })}
      onClose={onClose}
      onDone={async ({ name, cron, timezone, agent, payload = '{}' }) => {
        const schedule = recurs && { schedule: { type: 'recurring', cron, timezone } };
        const body = { name, ...schedule, ...(agent && { agent }), payload: JSON.parse(payload) as unknown };
        await api.call(cueUpdate, { path: [cue.id], body }, owner);
        tell('Saved');
        return undefined;
      }}
    />
  );
}
