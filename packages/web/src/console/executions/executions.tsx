import { consoleExecutions, type ExecutionsAnswer, type ListedExecutionAnswer } from '@parley/protocol/console/view-routes';
import { executionReplay } from '@parley/protocol/delivery/execution-routes';
import { EXECUTION_SOURCES, EXECUTION_STATUSES } from '@parley/protocol/delivery/vocabulary';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api, errorText, useMayChange } from '../data.ts';
import { Choice, OwnerFilter, TextFilter, useFilter } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { AgentLink, Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';
import { Claimable } from './claimable.tsx';
import { OneExecution } from './one.tsx';

export const EXECUTION_COLUMNS: readonly Column<ListedExecutionAnswer>[] = [
  {
    name: 'What',
    wide: 2,
    show: ({ source, message_id: message, cue_id: cue, triggered_by: by }) =>
      source === 'message' ? <Link href={`/messages/${message}`}>a message</Link> : <Link href={`/cues/${cue}`}>a cue, {wordFor(by)}</Link>,
  },
  {
    name: 'For',
    wide: 2,
    sort: ({ agent }) => agent ?? '',
    show: ({ agent, task }) => (agent === null ? <code>{task ?? 'a worker'}</code> : <AgentLink address={agent} />),
  },
  {
    name: 'State',
    wide: 1.4,
    sort: ({ status }) => status,
    show: ({ status, error, outcome_state: outcome }) => (
      <>
        <State state={status} /> {error && error !== outcome && <span className="danger-text small">{wordFor(error)}</span>}
      </>
    ),
  },
  { name: 'Outcome', sort: ({ outcome_state: state }) => state ?? '', show: ({ outcome_state: state }) => (state ? wordFor(state) : <span className="soft">none yet</span>) },
  { name: 'Tries', wide: 0.5, sort: ({ attempts }) => attempts, show: ({ attempts }) => attempts },
  { name: 'Due', sort: ({ scheduled_for: at }) => at, show: ({ scheduled_for: at }) => <Moment at={at} /> },
];

export function Executions() {
  const [id] = useFilter('id');
  return id === '' ? <AllExecutions /> : <OneExecution id={id} />;
}

function AllExecutions() {
  const [shown] = useFilter('show');
  return (
    <Page title="Executions">
      <div className="filters">
        <Choice name="show" label="Show" choices={['claimable']} usual="all" />
        {shown === '' && (
          <>
            <Choice name="status" label="State" choices={EXECUTION_STATUSES} />
            <Choice name="source" label="Of" choices={EXECUTION_SOURCES} />
            <TextFilter name="agent" label="Agent" placeholder="name@owner" />
          </>
        )}
        <OwnerFilter all={shown === ''} />
      </div>
      {shown === '' ? <Listed /> : <Claimable />}
    </Page>
  );
}

function Listed() {
  const [owner] = useFilter('owner');
  const [status] = useFilter('status');
  const [source] = useFilter('source');
  const [agent] = useFilter('agent');
  const [cue] = useFilter('cue');
  const query = {
    owner: owner || undefined,
    status: status || undefined,
    source: source || undefined,
    agent: agent.includes('@') ? agent : undefined,
    cue: cue || undefined,
  };
  const found = usePages<ExecutionsAnswer>(consoleExecutions, query, ['executions']);
  return (
    <Waiting of={found}>
      <ExecutionTable rows={found.pages.flatMap(({ executions }) => executions)} more={found.more} />
    </Waiting>
  );
}

const replay = async (marked: readonly ListedExecutionAnswer[]): Promise<void> => {
  const done = await Promise.allSettled(
    marked.map(({ id, owner }) => api.call(executionReplay, { path: [id] }, owner)),
  );
  const refused = done.find((each) => each.status === 'rejected');
  tell(refused ? errorText(refused.reason) : `${marked.length} run again`);
};

/** Marked rows can be run again. */
export function ExecutionTable(props: {
  readonly rows: readonly ListedExecutionAnswer[];
  readonly more: (() => void) | undefined;
  readonly empty?: ReactNode;
}) {
  const { rows, more, empty } = props;
  const mayChange = useMayChange();
  return (
    <Table
      label="Executions"
      rows={rows}
      columns={EXECUTION_COLUMNS}
      keyOf={({ id }) => id}
      open={({ id, message_id: message }) => (message === null ? `/executions?id=${id}` : `/messages/${message}`)}
      more={more}
      {...(mayChange && {
        marked: (marked: readonly ListedExecutionAnswer[]) => (
          <button type="button" className="button quiet" onClick={() => void replay(marked)}>
            Run again
          </button>
        ),
      })}
      empty={
        empty ?? <Empty title="Nothing has run" command="npx parley send harbour-bot@ann 'Are you there?'">
          Every message and every fire of a cue is an execution, and appears here with what came of it. This makes the first one:
        </Empty>
      }
    />
  );
}
