import { type ActivityAnswer, consoleActivity } from '@parley/protocol/console/view-routes';
import { Link } from 'wouter';
import { Choice, TextFilter, useFilter } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { AgentLink, Empty, Page, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';
import { deedOf, DEEDS } from './deeds.ts';

type Line = ActivityAnswer['lines'][number];

const COLUMNS: readonly Column<Line>[] = [
  { name: 'When', sort: ({ at }) => at, show: ({ at }) => <Moment at={at} /> },
  { name: 'Who', wide: 2, sort: ({ actor }) => actor, show: ({ actor }) => (actor.includes('@') ? <AgentLink address={actor} /> : actor) },
  { name: 'Did', wide: 1.6, sort: ({ action }) => action, show: ({ action }) => <span title={action}>{deedOf(action)}</span> },
  {
    name: 'What',
    wide: 2.4,
    show: ({ object, view }) =>
      view === null ? (
        <code className="clip">{object}</code>
      ) : (
        <Link href={view}>
          <code className="clip">{object}</code>
        </Link>
      ),
  },
  { name: 'Whose', sort: ({ owner }) => owner ?? '', show: ({ owner }) => owner ?? <span className="soft">the server</span> },
];

/** What people did here, and what happened to agents. */
export function Activity() {
  const [actor] = useFilter('actor');
  const [kind] = useFilter('kind');
  const [q] = useFilter('q');
  const asked = { actor: actor || undefined, kind: kind || undefined, q: q || undefined };
  const found = usePages<ActivityAnswer>(consoleActivity, asked, ['activity']);
  const rows = found.pages.flatMap(({ lines }) => lines);
  const copy = (): void => {
    void navigator.clipboard.writeText(rows.map((line) => JSON.stringify(line)).join('\n')).then(
      () => tell('Copied as JSON lines'),
      () => tell('This browser does not let the page copy.'),
    );
  };
  return (
    <Page
      title="Activity"
      lead="What people did here, and what happened to agents."
      actions={
        <button type="button" className="button quiet" onClick={copy}>
          Copy as JSON lines
        </button>
      }
    >
      <div className="filters">
        <TextFilter name="q" label="Words" placeholder="contains" />
        <TextFilter name="actor" label="Who" placeholder="name@ or operator" />
        <Choice name="kind" label="Did" choices={Object.keys(DEEDS)} word={deedOf} />
      </div>
      <Waiting of={found}>
        <Table
          label="Activity"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          open={({ view }) => view ?? undefined}
          more={found.more}
          empty={<Empty title="Nothing here">Sign-ins, changes made here, looks of operators at what owners wrote, and what agents were told of appear here.</Empty>}
        />
      </Waiting>
    </Page>
  );
}
