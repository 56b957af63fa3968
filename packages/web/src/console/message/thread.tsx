import { consoleMessages, type MessagesAnswer } from '@parley/protocol/console/view-routes';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { MESSAGE_COLUMNS } from '../messages/columns.tsx';
import { usePages } from '../pieces/pages.ts';
import { Card } from '../pieces/pieces.tsx';
import { Table } from '../pieces/table.tsx';

/** What else was said in the thread, newest first. Alone, a message needs none of it. */
export function Thread({ message, owner }: { readonly message: MessageAnswer; readonly owner: string | undefined }) {
  const found = usePages<MessagesAnswer>(consoleMessages, { thread: message.thread_id, limit: 20 }, ['messages'], owner);
  const others = found.pages.flatMap(({ messages }) => messages).filter(({ id }) => id !== message.id);
  if (others.length === 0) return null;
  return (
    <Card title="Also in this thread">
      <Table
        label="Messages of this thread"
        rows={others}
        columns={MESSAGE_COLUMNS}
        keyOf={({ id }) => id}
        open={({ id }) => `/messages/${id}`}
        more={found.more}
        empty={null}
      />
    </Card>
  );
}
