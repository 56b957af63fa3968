import type { ListedMessageAnswer } from '@parley/protocol/console/view-routes';
import { AgentLink, State } from '../pieces/pieces.tsx';
import type { Column } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { wordFor } from '../pieces/words.ts';

export const MESSAGE_COLUMNS: readonly Column<ListedMessageAnswer>[] = [
  {
    name: 'Subject',
    wide: 3,
    sort: ({ subject }) => subject ?? '',
    show: ({ subject, error }) => (
      <span className="clip">
        {subject ?? <span className="soft">no subject</span>}
        {error && <span className="danger-text small"> {wordFor(error)}</span>}
      </span>
    ),
  },
  { name: 'From', wide: 2, sort: ({ from }) => from, show: ({ from }) => <AgentLink address={from} /> },
  { name: 'To', wide: 2, sort: ({ to }) => to, show: ({ to }) => <AgentLink address={to} /> },
  { name: 'State', sort: ({ state }) => state, show: ({ state }) => <State state={state} /> },
  { name: 'Got as far as', sort: ({ proven_stage: stage }) => stage, show: ({ proven_stage: stage }) => stage },
  { name: 'Sent', sort: ({ created_at: at }) => at, show: ({ created_at: at }) => <Moment at={at} /> },
];
