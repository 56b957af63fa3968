import { consoleMemory, type KeptSubject, type MemoryAnswer } from '@parley/protocol/console/kept-routes';
import { SUBJECT_ORDERS } from '@parley/protocol/console/kept-words';
import { HEALTH_STATUSES, SUBJECT_KINDS } from '@parley/protocol/continuity/vocabulary';
import { Choice, OwnerFilter, TextFilter, useChosenOwner, useFilter } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { Found } from './found.tsx';
import { subjectPath } from './subject-path.ts';
import { TrustMarks } from './trust.tsx';

const COLUMNS: readonly Column<KeptSubject>[] = [
  {
    name: 'Subject',
    wide: 3,
    sort: ({ subject_id: id }) => id,
    show: ({ subject_kind: kind, subject_id: id, thread_descriptor: told }) => (
      <span className="clip">
        <span className="soft small">{kind}</span> {told?.label ?? id}
        {told && told.label !== id && <span className="soft small"> {id}</span>}
      </span>
    ),
  },
  {
    name: 'Trust',
    wide: 2,
    sort: ({ phase }) => phase ?? '',
    show: (row) => <TrustMarks {...row} />,
  },
  {
    name: 'Life',
    sort: ({ thread_descriptor: told }) => told?.lifecycle ?? '',
    show: ({ thread_descriptor: told }) => (told?.lifecycle ? <State state={told.lifecycle} /> : <span className="soft">–</span>),
  },
  { name: 'Written by', wide: 1.5, sort: (row) => row.written_by, show: (row) => `${row.written_by}@${row.owner}` },
  { name: 'Changed', sort: (row) => row.updated_at ?? '', show: (row) => <Moment at={row.updated_at} /> },
];

/** What agents remember, and how far it can be relied on. */
export function Memory() {
  const [owner] = useFilter('owner');
  const [words] = useFilter('q');
  const chosen = useChosenOwner();
  return (
    <Page title="Memory" lead="What agents carry from one session to the next.">
      <div className="filters">
        <TextFilter name="q" label="Words" placeholder="capsules, documents" />
        <Choice name="kind" label="Kind" choices={SUBJECT_KINDS} />
        <Choice name="health" label="Health" choices={HEALTH_STATUSES} />
        <TextFilter name="agent" label="Written by" placeholder="name@owner" />
        <Choice name="order" label="Order" choices={SUBJECT_ORDERS.slice(1)} usual="what matters most" />
        <OwnerFilter />
      </div>
      {words.trim() === '' ? <Subjects owner={owner} /> : <Found words={words.trim()} owner={chosen} />}
    </Page>
  );
}

function Subjects({ owner }: { readonly owner: string }) {
  const [kind] = useFilter('kind');
  const [health] = useFilter('health');
  const [agent] = useFilter('agent');
  const [order] = useFilter('order');
  const query = {
    owner: owner || undefined,
    kind: kind || undefined,
    health: health || undefined,
    agent: agent.includes('@') ? agent : undefined,
    order: order || undefined,
  };
  const found = usePages<MemoryAnswer>(consoleMemory, query, ['memory'], owner || undefined);
  return (
    <Waiting of={found}>
      <SubjectTable rows={found.pages.flatMap(({ subjects }) => subjects)} more={found.more} />
    </Waiting>
  );
}

export function SubjectTable({ rows, more }: { readonly rows: readonly KeptSubject[]; readonly more: (() => void) | undefined }) {
  return (
    <Table
      label="Subjects"
      rows={rows}
      columns={COLUMNS}
      keyOf={(row) => `${row.owner} ${row.path}`}
      open={(row) => subjectPath(row.subject_kind, row.subject_id, row.owner)}
      more={more}
      empty={
        <Empty title="Nothing is remembered yet" command="npx parley install claude-code">
          A capsule says what an agent was at: priorities, open loops, what was decided and why. With this, sessions save and read them by
          themselves, and they appear here.
        </Empty>
      }
    />
  );
}
