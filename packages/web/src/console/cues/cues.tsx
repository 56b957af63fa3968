import { consoleCues, type CuesAnswer, type ListedCueAnswer } from '@parley/protocol/console/kept-routes';
import { consoleExecutions, type ExecutionsAnswer, type ListedExecutionAnswer } from '@parley/protocol/console/view-routes';
import { CUE_STATUSES } from '@parley/protocol/delivery/vocabulary';
import { useMemo, useState } from 'react';
import { useAnswer, useMayChange } from '../data.ts';
import { Choice, OwnerFilter, TextFilter, useChosenOwner, useFilter } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { AgentLink, Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment, wallSoon, whole } from '../pieces/time.tsx';
import { toneOf, wordFor } from '../pieces/words.ts';
import { PauseOrResume } from './actions.tsx';
import { Coming } from './coming.tsx';
import { cronWords } from './cron-words.ts';
import { NewCue } from './cue-form.tsx';

type Runs = readonly ListedExecutionAnswer[];

const columnsFor = (runs: ReadonlyMap<string, Runs>, mayChange: boolean): readonly Column<ListedCueAnswer>[] => [
  { name: 'Cue', wide: 2, sort: ({ name }) => name, show: ({ name }) => <span className="clip">{name}</span> },
  { name: 'State', sort: ({ status }) => status, show: ({ status }) => <State state={status} /> },
  {
    name: 'When',
    wide: 2,
    show: ({ cron, at, timezone }) => (
      <span title={cron ?? undefined}>
        {cron === null ? <Moment at={at} /> : (cronWords(cron) ?? <code>{cron}</code>)}
        <span className="soft small"> {timezone}</span>
      </span>
    ),
  },
  {
    name: 'For',
    wide: 1.6,
    sort: ({ agent, transport }) => agent ?? transport,
    show: ({ agent, transport, owner }) =>
      agent === null ? (
        <span>
          {transport} <span className="soft small">of {owner}</span>
        </span>
      ) : (
        <AgentLink address={agent} />
      ),
  },
  { name: 'Next', wide: 2, sort: ({ next_run: at }) => at ?? '', show: (cue) => <NextFive cue={cue} /> },
  { name: 'Last', wide: 1.2, show: ({ id }) => <Marks runs={runs.get(id) ?? []} /> },
  ...(mayChange ? [{ name: 'Change', show: (cue: ListedCueAnswer) => <PauseOrResume cue={cue} owner={cue.owner} /> }] : []),
];

/** The next time, and the four after it. */
function NextFive({ cue: { next_run: at, times } }: { readonly cue: ListedCueAnswer }) {
  if (at === null) return <span className="soft">–</span>;
  const later = times.slice(1);
  return (
    <span>
      <Moment at={at} />
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
  const [owner] = useFilter('owner');
  const [agent] = useFilter('agent');
  const [status] = useFilter('status');
  // A cue belongs to somebody, even where those of everybody are shown.
  const maker = useChosenOwner();
  const mayChange = useMayChange();
  const [creating, setCreating] = useState(false);
  const asked = { owner: owner || undefined, agent: agent.includes('@') ? agent : undefined };
  const listed = usePages<CuesAnswer>(consoleCues, { ...asked, status: status || undefined }, ['cues', 'executions']);
  const lately = useAnswer<ExecutionsAnswer>(consoleExecutions, {
    input: { query: { ...asked, source: 'cue', limit: 200 } },
    kinds: ['executions'],
  });
  const columns = useMemo(() => {
    const runs = new Map<string, ListedExecutionAnswer[]>();
    for (const run of lately.data?.executions ?? []) runs.set(run.cue_id, [...(runs.get(run.cue_id) ?? []), run]);
    return columnsFor(runs, mayChange);
  }, [lately.data, mayChange]);
  const rows = listed.pages.flatMap(({ cues }) => cues);
  return (
    <Page
      title="Cues"
      lead="What wakes agents, and when."
      actions={
        mayChange &&
        maker !== undefined && (
          <button type="button" className="button" onClick={() => setCreating(true)}>
            New cue
          </button>
        )
      }
    >
      <div className="filters">
        <Choice name="status" label="State" choices={CUE_STATUSES} />
        <TextFilter name="agent" label="For" placeholder="name@owner" />
        <OwnerFilter />
      </div>
      <Waiting of={listed}>
        {rows.length > 0 && <Coming {...asked} />}
        <Table
          label="Cues"
          rows={rows}
          columns={columns}
          keyOf={({ id }) => id}
          open={({ id }) => `/cues/${id}`}
          more={listed.more}
          empty={
            <Empty title="No cue here" command="npx parley cue create tides --cron '0 6 * * *' --agent harbour-bot">
              A cue wakes an agent at a time or on a schedule. The next times and what came of each run appear here.
            </Empty>
          }
        />
      </Waiting>
      {creating && maker !== undefined && <NewCue owner={maker} onClose={() => setCreating(false)} />}
    </Page>
  );
}
