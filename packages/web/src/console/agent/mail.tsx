import { consoleMessages, type MessagesAnswer } from '@parley/protocol/console/view-routes';
import { ownerIn } from '../data.ts';
import { usePages } from '../pieces/pages.ts';
import { Card, Empty, Waiting } from '../pieces/pieces.tsx';
import { Table } from '../pieces/table.tsx';
import { MESSAGE_COLUMNS } from '../messages/columns.tsx';

/** What it got and sent, newest first. Looking hands nothing over. */
export function Mail({ address }: { readonly address: string }) {
  const found = usePages<MessagesAnswer>(consoleMessages, { agent: address, limit: 20 }, ['messages'], ownerIn(address));
  return (
    <Card title="Messages">
      <Waiting of={found}>
        <Table
          label="Messages of this agent"
          rows={found.pages.flatMap(({ messages }) => messages)}
          columns={MESSAGE_COLUMNS}
          keyOf={({ id }) => id}
          open={({ id }) => `/messages/${id}`}
          more={found.more}
          empty={<Empty title="Nothing yet">What is sent to it, or by it, appears here.</Empty>}
        />
      </Waiting>
    </Card>
  );
}
