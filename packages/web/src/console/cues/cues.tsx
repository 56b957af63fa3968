import { cueCreate, cueFire, cueList, cueUpdate } from '@parley/protocol/delivery/cue-routes';
import type { CueAnswer, CueListAnswer } from '@parley/protocol/delivery/types';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, errorText, useAnswer, useMayChange } from '../data.ts';
import { Form } from '../pieces/dialog.tsx';
import { OwnerFilter, useChosenOwner } from '../pieces/filters.tsx';
import { Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';

const COLUMNS: readonly Column<CueAnswer>[] = [
  { name: 'Cue', wide: 2, sort: ({ name }) => name, show: ({ name }) => <span className="clip">{name}</span> },
  { name: 'State', sort: ({ status }) => status, show: ({ status }) => <State state={status} /> },
  {
    name: 'When',
    wide: 2,
    show: ({ schedule }) => (
      <>
        <code>{schedule.cron ?? schedule.at}</code> <span className="soft small">{schedule.timezone}</span>
      </>
    ),
  },
  { name: 'For', wide: 2, sort: ({ agent }) => agent ?? '', show: ({ agent, transport, callback }) => agent ?? callback?.url ?? transport },
  { name: 'Next', sort: ({ next_run: at }) => at ?? '', show: ({ next_run: at }) => (at ? <Moment at={at} /> : <span className="soft">–</span>) },
  { name: 'Runs', wide: 0.6, sort: ({ run_count: n }) => n, show: ({ run_count: n }) => n },
];

export function Cues() {
  const owner = useChosenOwner();
  const mayChange = useMayChange();
  const [creating, setCreating] = useState(false);
  const listed = useAnswer<CueListAnswer>(cueList, {
    input: { query: { limit: 100 } },
    owner,
    kinds: ['cues', 'executions'],
    enabled: owner !== undefined,
  });
  return (
    <Page
      title="Cues"
      lead={owner === undefined ? undefined : `What wakes the agents of ${owner}, and when.`}
      actions={
        mayChange &&
        owner !== undefined && (
          <button type="button" className="button" onClick={() => setCreating(true)}>
            New cue
          </button>
        )
      }
    >
      <div className="filters">
        <OwnerFilter all={false} />
      </div>
      {owner === undefined ? (
        <Empty title="No owner yet">Cues belong to an owner; the first agent that registers makes one.</Empty>
      ) : (
        <Waiting of={listed}>
          <Table
            label="Cues"
            rows={listed.data?.cues ?? []}
            columns={COLUMNS}
            keyOf={({ id }) => id}
            open={({ id }) => `/cues/${id}`}
            empty={
              <Empty title="No cue yet" command="parley cue create tides --cron '0 6 * * *' --agent harbour-bot">
                A cue wakes an agent at a time or on a schedule. The next times and what came of each run appear here.
              </Empty>
            }
          />
        </Waiting>
      )}
      {creating && owner !== undefined && <NewCue owner={owner} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NewCue({ owner, onClose }: { readonly owner: string; readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  return (
    <Form
      title={`New cue of ${owner}`}
      verb="Create"
      fields={[
        { name: 'name', label: 'Name', required: true },
        { name: 'cron', label: 'Cron line', value: '0 9 * * 1-5', required: true, hint: 'Minute, hour, day, month, weekday.' },
        { name: 'timezone', label: 'Time zone', value: Intl.DateTimeFormat().resolvedOptions().timeZone, required: true },
        { name: 'agent', label: 'Agent', required: true },
        { name: 'body', label: 'What it is told', kind: 'lines' },
      ]}
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

/** Pause, resume and fire: for a cue that is shown. */
export function CueActions({ cue, owner }: { readonly cue: CueAnswer; readonly owner: string }) {
  const [firing, setFiring] = useState(false);
  const change = async (status: 'active' | 'paused'): Promise<void> => {
    try {
      await api.call(cueUpdate, { path: [cue.id], body: { status } }, owner);
      tell(status === 'paused' ? 'Paused' : 'Goes on', () => void change(status === 'paused' ? 'active' : 'paused'));
    } catch (error) {
      tell(errorText(error));
    }
  };
  const paused = cue.status === 'paused';
  return (
    <>
      <button type="button" className="button" onClick={() => setFiring(true)}>
        Fire now
      </button>
      {(cue.status === 'active' || paused) && (
        <button type="button" className="button quiet" onClick={() => void change(paused ? 'active' : 'paused')}>
          {paused ? 'Resume' : 'Pause'}
        </button>
      )}
      {firing && (
        <Form
          title={`Fire ${cue.name}`}
          verb="Fire"
          fields={[{ name: 'payload', label: 'Payload in place of its own', kind: 'lines', hint: 'JSON; empty: its own.' }]}
          onClose={() => setFiring(false)}
          onDone={async ({ payload = '' }) => {
            const given = payload.trim() === '' ? {} : { payload_override: JSON.parse(payload) as unknown };
            await api.call(cueFire, { path: [cue.id], body: given }, owner);
            tell('Fired');
            return undefined;
          }}
        />
      )}
    </>
  );
}
