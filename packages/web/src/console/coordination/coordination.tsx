import { consoleCoordination, type CoordinationAnswer, type KeptExchange } from '@parley/protocol/console/kept-routes';
import { EXCHANGED_KINDS, type ExchangedKind } from '@parley/protocol/console/kept-words';
import { HANDOFF_STATUSES, RECONCILIATION_STATUSES } from '@parley/protocol/coordination/vocabulary';
import { Choice, OwnerFilter, useFilter } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { AgentLink, Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { Exchange } from './exchange.tsx';
import { titleOf } from './exchange-words.ts';

const NAMES: Readonly<Record<ExchangedKind, string>> = {
  handoff: 'Handoffs',
  shared: 'Shared states',
  reconciliation: 'Reconciliations',
};

const STATUSES: Readonly<Record<ExchangedKind, readonly string[]>> = {
  handoff: HANDOFF_STATUSES,
  shared: [],
  reconciliation: RECONCILIATION_STATUSES,
};

const EMPTY: Readonly<Record<ExchangedKind, string>> = {
  handoff: 'An agent that hands a subject to another passes on its constraints. Who gave what to whom, and whether it was taken, appears here.',
  shared: 'A board that one agent writes and others read: constraints, drift, alerts.',
  reconciliation: 'What agents claimed that does not go together is put on record, and appears here until somebody says what came of it.',
};

const COLUMNS: readonly Column<KeptExchange>[] = [
  { name: 'From', wide: 1.5, sort: ({ from }) => from, show: ({ from, owner }) => <AgentLink address={`${from}@${owner}`} /> },
  { name: 'To', wide: 1.5, sort: ({ to }) => to.join(' '), show: ({ to }) => <span className="clip">{to.length === 0 ? '–' : to.join(', ')}</span> },
  { name: 'What', wide: 3, sort: titleOf, show: (row) => <span className="clip">{titleOf(row)}</span> },
  { name: 'State', sort: ({ status }) => status ?? '', show: ({ status, shared }) => (status ? <State state={status} /> : `version ${shared?.version ?? 1}`) },
  { name: 'When', sort: ({ at }) => at, show: ({ at }) => <Moment at={at} /> },
];

const isKind = (text: string): text is ExchangedKind => EXCHANGED_KINDS.some((kind) => kind === text);

/** Who gave what to whom, taken or not. */
export function Coordination() {
  const [asked, setKind] = useFilter('kind');
  const [status] = useFilter('status');
  const [owner] = useFilter('owner');
  const [id, setId] = useFilter('id');
  const kind = isKind(asked) ? asked : 'handoff';
  const known = STATUSES[kind].includes(status) ? status : undefined;
  const query = { kind, owner: owner || undefined, status: known };
  const found = usePages<CoordinationAnswer>(consoleCoordination, query, ['coordination'], owner || undefined);
  const rows = found.pages.flatMap(({ exchanges }) => exchanges).filter((row) => row.kind === kind);
  const shown = rows.find((row) => row.id === id);
  return (
    <Page title="Coordination" lead="Who gave what to whom, and whether it was taken.">
      <div className="filters">
        <div className="choices" role="group" aria-label="What">
          {EXCHANGED_KINDS.map((each) => (
            <button key={each} type="button" className="button quiet" aria-pressed={each === kind} onClick={() => setKind(each)}>
              {NAMES[each]}
            </button>
          ))}
        </div>
        {STATUSES[kind].length > 0 && <Choice name="status" label="State" choices={STATUSES[kind]} />}
        <OwnerFilter />
      </div>
      <Waiting of={found}>
        <Table
          label={NAMES[kind]}
          rows={rows}
          columns={COLUMNS}
          keyOf={(row) => row.id}
          open={(row) => `/coordination?kind=${kind}${owner && `&owner=${owner}`}&id=${row.id}`}
          more={found.more}
          empty={
            <Empty
              title="Nothing yet"
              {...(kind === 'handoff' && { command: "npx parley handoff send night-shift thread/tide-cache --note 'watch it until six'" })}
            >
              {EMPTY[kind]}
            </Empty>
          }
        />
      </Waiting>
      {shown && <Exchange exchange={shown} onClose={() => setId('')} />}
    </Page>
  );
}
