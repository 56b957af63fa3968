import { type ActivityAnswer, consoleActivity } from '@parley/protocol/console/view-routes';
import { Choice, useFilter } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { Empty, Page, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';

type Line = ActivityAnswer['lines'][number];

const COLUMNS: readonly Column<Line>[] = [
  { name: 'When', sort: ({ at }) => at, show: ({ at }) => <Moment at={at} /> },
  { name: 'Who', sort: ({ actor }) => actor, show: ({ actor }) => actor },
  { name: 'Did', sort: ({ action }) => action, show: ({ action }) => wordFor(action) },
  { name: 'What', wide: 3, show: ({ object }) => <code>{object}</code> },
  { name: 'Whose', sort: ({ owner }) => owner ?? '', show: ({ owner }) => owner ?? <span className="soft">the server</span> },
];

/** What people looked at and changed here. */
export function Activity() {
  const [actor] = useFilter('actor');
  const found = usePages<ActivityAnswer>(consoleActivity, { actor: actor || undefined }, ['activity']);
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
      actions={
        <button type="button" className="button quiet" onClick={copy}>
          Copy as JSON lines
        </button>
      }
    >
      <div className="filters">
        <Choice name="actor" label="Who" choices={['operator', 'owner']} />
      </div>
      <Waiting of={found}>
        <Table
          label="Activity"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          more={found.more}
          empty={<Empty title="Nothing yet">Sign-ins, changes made here, and looks of operators at what owners wrote appear here.</Empty>}
        />
      </Waiting>
    </Page>
  );
}
