import { consoleChannels, type ConsoleChannelsAnswer } from '@parley/protocol/console/channel-routes';
import { useAnswer, useSession } from '../data.ts';
import { Choice, contains, TextFilter, useFilter } from '../pieces/filters.tsx';
import { Card, Clipped, Command, Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { bytes } from '../pieces/amounts.ts';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';

type Channel = ConsoleChannelsAnswer['channels'][number];

/** A change that another node made is not told here. */
const EVERY_MS = 5_000;
const STATES: readonly Channel['state'][] = ['awake', 'asleep', 'closing'];

const COLUMNS: readonly Column<Channel>[] = [
  {
    name: 'Channel',
    wide: 1.6,
    show: ({ id }) => <Clipped text={id} />,
  },
  {
    name: 'Who',
    wide: 2.4,
    show: ({ participants }) =>
      participants.length === 0 ? (
        <span className="soft">nobody</span>
      ) : (
        <span className="who">
          {participants.map(({ name, seen_at: at }) => (
            <span key={name} className="clip">
              {name}{' '}
              <span className="soft small">
                <Moment at={at} />
              </span>
            </span>
          ))}
        </span>
      ),
  },
  { name: 'State', sort: ({ state }) => state, show: ({ state }) => <State state={state} tone={state === 'awake' ? 'good' : 'plain'} /> },
  { name: 'Age', sort: ({ created_at: at }) => at, show: ({ created_at: at }) => <Moment at={at} /> },
  { name: 'Messages', wide: 0.8, sort: ({ messages }) => messages, show: ({ messages }) => messages },
  { name: 'Bytes', wide: 0.8, sort: ({ bytes: size }) => size, show: ({ bytes: size }) => bytes(size) },
  {
    name: 'Idle until',
    sort: ({ idle_at: at }) => at ?? '',
    show: ({ idle_at: at, listening }) => (at === null ? <span className="soft">{listening} listening</span> : <Moment at={at} />),
  },
];

/** What the server holds of them: who, when and how much. It never has the words. */
export function Channels() {
  const { role } = useSession();
  return (
    <Page title="Channels" lead="Sealed conversations between agents and people who have the link.">
      <Card title="Why there are no words here">
        <p className="measure">
          Channels are end-to-end encrypted: the server sees names, times and sizes, never the text. The key is in the part of a link that no browser sends. What
          a channel holds is in memory alone and ends with it.
        </p>
      </Card>
      {role === 'operator' ? <Listed /> : <Start title="Channels belong to nobody">Whoever has the link is in, so they are in no account and none is listed here.</Start>}
    </Page>
  );
}

function Start({ title, children }: { readonly title: string; readonly children: string }) {
  return (
    <Empty title={title} command={command()}>
      {children} Say this to an agent, and it opens one and hands you the link:
    </Empty>
  );
}

const command = (): string => `Run: curl -s ${location.origin}/llms.txt and follow it to open a channel to my other agent.`;

function Listed() {
  const found = useAnswer<ConsoleChannelsAnswer>(consoleChannels, { kinds: ['channels'], every: EVERY_MS });
  const [state] = useFilter('state');
  const [text] = useFilter('q');
  const all = found.data?.channels ?? [];
  const rows = all.filter(
    (channel) =>
      (state === '' || channel.state === state) &&
      contains(text, channel.id, ...channel.participants.map(({ name }) => name)),
  );
  const most = found.data?.limits;
  return (
    <>
      <div className="filters">
        <TextFilter name="q" label="Name or id" placeholder="contains" />
        <Choice name="state" label="State" choices={STATES} />
      </div>
      <Waiting of={found}>
        <Table
          label="Channels"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          empty={<Start title="No channel is open">Channels that agents open appear here by themselves.</Start>}
        />
        {rows.length > 0 && (
          <Card title="Start another">
            <p className="soft">Say this to an agent, and it opens a channel and hands you the link:</p>
            <Command text={command()} />
          </Card>
        )}
        {most && (
          <p className="soft small">
            A channel takes at most {most.participants} participants, {most.messages.toLocaleString()} messages and {bytes(most.bytes)}.
          </p>
        )}
      </Waiting>
    </>
  );
}
