import { consoleExecutions, type ExecutionsAnswer, type ListedExecutionAnswer } from '@parley/protocol/console/view-routes';
import { cueList, cueNext } from '@parley/protocol/delivery/cue-routes';
import type { CueAnswer, CueListAnswer, CueNext } from '@parley/protocol/delivery/types';
import { useMemo, useState } from 'react';
import { useAnswer, useMayChange } from '../data.ts';
import { OwnerFilter, useChosenOwner } from '../pieces/filters.tsx';
import { Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment, wallSoon, whole } from '../pieces/time.tsx';
import { toneOf, wordFor } from '../pieces/words.ts';
import { PauseOrResume } from './actions.tsx';
import { Coming } from './coming.tsx';
import { cronWords } from './cron-words.ts';
import { NewCue } from './cue-form.tsx';

type Runs = readonly ListedExecutionAnswer[];

const columnsFor = (owner: string, runs: ReadonlyMap<string, Runs>, mayChange: boolean): readonly Column<CueAnswer>[] => [
  { name: 'Cue', wide: 2, sort: ({ name }) => name, show: ({ name }) => <span className="clip">{name}</span> },
  { name: 'State', sort: ({ status }) => status, show: ({ status }) => <State state={status} /> },
  {
    name: 'When',
    wide: 2,
    show: ({ schedule }) => (
      <span title={schedule.cron}>
        {schedule.cron === undefined ? <Moment at={schedule.at} /> : (cronWords(schedule.cron) ?? <code>{schedule.cron}</code>)}
        <span className="soft small">
          {' '}
          {schedule.timezone}
        </span>
      </span>
    ),
  },
  { name: 'For', wide: 1.6, sort: ({ agent }) => agent ?? '', show: ({ agent, transport, callback }) => agent ?? callback?.url ?? transport },
  { name: 'Next', wide: 2, sort: ({ next_run: at }) => at ?? '', show: (cue) => <NextFive cue={cue} owner={owner} /> },
  { name: 'Last', wide: 1.2, show: ({ id }) => <Marks runs={runs.get(id) ?? []} /> },
  ...(mayChange ? [{ name: 'Change', show: (cue: CueAnswer) => <PauseOrResume cue={cue} owner={owner} /> }] : []),
];

/** The next time, and the four after it. */
function NextFive({ cue, owner }: { readonly cue: CueAnswer; readonly owner: string }) {
  const asked = { input: { path: [cue.id], query: { count: 5 } }, owner, kinds: ['cues'] as const, enabled: cue.next_run !== null };
  const found = useAnswer<CueNext>(cueNext, asked);
  if (cue.next_run === null) return <span className="soft">–</span>;
  const later = found.data?.runs.slice(1) ?? [];
  return (
    <span>
      <Moment at={cue.next_run} />
      {later.length > 0 && <span className="soft small"> then {later.map(({ local }) => wallSoon(local)).join(', ')}</span>}
    </span>
  );
}

const MARKS = 12;

/** What came of the last runs, newest last. */
export function Marks({ runs }: { readonly runs: Runs }) {
  if (runs.length === 0) return <span className="soft small">no run yet</span>;
  const shown = runs.slice(0, MARKS).toReversed();
  return (
    <span className="marks" role="img" aria-label={`The last ${shown.length} runs: ${shown.map(({ status }) => wordFor(status)).join(', ')}`}>
      {shown.map(({ id, status, scheduled_for: at }) => (
        <span key={id} className={`mark ${toneOf(status)}`} title={`${wordFor(status)}, ${whole(at)}`} />
      ))}
    </span>
  );
}

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
  const lately = useAnswer<ExecutionsAnswer>(consoleExecutions, {
    input: { query: { owner, source: 'cue', limit: 200 } },
    kinds: ['executions'],
    enabled: owner !== undefined,
  });
  const columns = useMemo(() => {
    const runs = new Map<string, ListedExecutionAnswer[]>();
    for (const run of lately.data?.executions ?? []) runs.set(run.cue_id, [...(runs.get(run.cue_id) ?? []), run]);
    return columnsFor(owner ?? '', runs, mayChange);
  }, [owner, lately.data, mayChange]);
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
          {(listed.data?.cues.length ?? 0) > 0 && <Coming owner={owner} />}
          <Table
            label="Cues"
            rows={listed.data?.cues ?? []}
            columns={columns}
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
