import { consoleThreads, type ListedThreadAnswer, type ThreadsAnswer } from '@parley/protocol/console/view-routes';
import { threadResume } from '@parley/protocol/delivery/message-routes';
import { useEffect } from 'react';
import { api, errorText, useMayChange } from '../data.ts';
import { tryAgain } from '../message/send-again.ts';
import { useFilter } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { AgentLink, Empty, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { tell } from '../pieces/toasts.tsx';
import { wordFor } from '../pieces/words.ts';

/** How many pages are looked through by themselves while nothing was found. */
const LOOKS = 10;
/** So many are counted. */
const COUNTED = 100;

const howMany = (count: number): string => (count >= COUNTED ? `${COUNTED} or more` : String(count));

const THREAD_COLUMNS: readonly Column<ListedThreadAnswer>[] = [
  {
    name: 'Subject',
    wide: 3,
    sort: ({ subject }) => subject ?? '',
    show: ({ subject, unread, error, stopped_at: stopped }) => (
      <span className={unread > 0 ? 'clip unread' : 'clip'}>
        {subject ?? <span className="soft">no subject</span>}
        {stopped !== null && <span className="danger-text small"> stopped, they answered each other too often</span>}
        {error && <span className="danger-text small"> {wordFor(error)}</span>}
      </span>
    ),
  },
  { name: 'From', wide: 2, sort: ({ from }) => from, show: ({ from }) => <AgentLink address={from} /> },
  { name: 'To', wide: 2, sort: ({ to }) => to, show: ({ to }) => <AgentLink address={to} /> },
  {
    name: 'Messages',
    sort: ({ messages }) => messages,
    show: ({ messages, unread }) => (
      <span>
        {unread < messages && howMany(messages)}
        {unread > 0 && (
          <span className="soft">
            {unread < messages && ', '}
            {howMany(unread)} unread
          </span>
        )}
      </span>
    ),
  },
  { name: 'Priority', wide: 0.7, sort: ({ priority }) => priority, show: ({ priority }) => priority },
  { name: 'State', wide: 1.1, sort: ({ state }) => state, show: ({ state }) => <State state={state} /> },
  { name: 'Last', sort: ({ created_at: at }) => at, show: ({ created_at: at }) => <Moment at={at} /> },
];

const forEach = async (
  threads: readonly ListedThreadAnswer[],
  act: (thread: ListedThreadAnswer) => Promise<unknown>,
  told: string,
): Promise<void> => {
  const done = await Promise.allSettled(threads.map(act));
  const refused = done.find((each) => each.status === 'rejected');
  tell(refused ? errorText(refused.reason) : told);
};

const Marked = ({ threads }: { readonly threads: readonly ListedThreadAnswer[] }) => {
  const stopped = threads.filter(({ stopped_at: at }) => at !== null);
  return (
    <>
      <button
        type="button"
        className="button quiet"
        onClick={() => void forEach(threads, ({ id, owner }) => tryAgain(id, owner), 'Routed anew, by the way that is open now')}
      >
        Route again
      </button>
      {stopped.length > 0 && (
        <button
          type="button"
          className="button quiet"
          onClick={() =>
            void forEach(stopped, ({ thread_id: id, owner }) => api.call(threadResume, { path: [id] }, owner), 'The thread goes on')
          }
        >
          Let it go on
        </button>
      )}
    </>
  );
};

/** Threads, those with something unread first. Each opens with its newest message, or with the one that was looked for. */
export function Threads() {
  const [owner] = useFilter('owner');
  const [state] = useFilter('state');
  const [agent] = useFilter('agent');
  const [priority] = useFilter('priority');
  const [text] = useFilter('q');
  const mayChange = useMayChange();
  const query = {
    owner: owner || undefined,
    state: state || undefined,
    priority: priority || undefined,
    agent: agent.includes('@') ? agent : undefined,
    q: text.trim() || undefined,
  };
  const found = usePages<ThreadsAnswer>(consoleThreads, query, ['messages'], owner || undefined);
  const rows = found.pages.flatMap(({ threads }) => threads);
  const { hasNextPage, isFetching, fetchNextPage } = found;
  const looked = found.pages.length;
  const goesOn = rows.length === 0 && hasNextPage && looked < LOOKS;
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage();
  }, [goesOn, isFetching, fetchNextPage]);
  const filtered = Object.values(query).some((value) => value !== undefined);
  return (
    <Waiting of={found}>
      <Table
        label="Threads"
        rows={rows}
        columns={THREAD_COLUMNS}
        keyOf={({ thread_id: id }) => id}
        open={({ id }) => `/messages/${id}`}
        more={found.more}
        {...(mayChange && { marked: (marked: readonly ListedThreadAnswer[]) => <Marked threads={marked} /> })}
        empty={
          goesOn ? (
            <p className="soft loading">Looking through older messages…</p>
          ) : hasNextPage ? (
            <Empty title="Nothing of that among the newest messages">
              <button type="button" className="button quiet" onClick={() => void fetchNextPage()}>
                Look further back
              </button>
            </Empty>
          ) : filtered ? (
            <Empty title="Nothing of that">No message has all that was asked for. Take one of the filters away.</Empty>
          ) : (
            <Empty title="No message here" command="parley send harbour-bot@ann 'Are you there?'">
              What agents send each other appears here thread by thread, with how far each message got. This sends the first one:
            </Empty>
          )
        }
      />
    </Waiting>
  );
}
