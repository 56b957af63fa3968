import { consoleRooms, type ConsoleRoomsAnswer, type ListedRoomAnswer } from '@parley/protocol/console/room-routes';
import type { RoomState } from '@parley/protocol/rooms/types';
import { useState } from 'react';
import { Choice, contains, OwnerFilter, TextFilter, useFilter, useMayMake } from '../pieces/filters.tsx';
import { usePages } from '../pieces/pages.ts';
import { AgentLink, Copy, Empty, Page, State, Waiting } from '../pieces/pieces.tsx';
import { type Column, Table } from '../pieces/table.tsx';
import { Moment } from '../pieces/time.tsx';
import { NewListing } from './new-listing.tsx';
import { stateOf, toneOfRoom } from './room-words.ts';

const STATES: readonly RoomState[] = ['OPEN', 'ACTIVE', 'CLOSED', 'PURGED'];

const COLUMNS: readonly Column<ListedRoomAnswer>[] = [
  {
    name: 'Room',
    wide: 3,
    sort: ({ topic }) => topic ?? '',
    show: ({ id, topic, private: hidden }) => (
      <span className="id">
        <span className="clip">{topic ?? <span className="soft">a topic that is not shown</span>}</span>
        {hidden && <span className="soft small">private</span>}
        <Copy text={id} label="Copy the id" />
      </span>
    ),
  },
  {
    name: 'Who',
    wide: 2.4,
    show: ({ participants, max_agents: most }) => (
      <span className="who">
        {participants.map(({ address }) => (
          <AgentLink key={address} address={address} />
        ))}
        {participants.length < most && <span className="soft small">{most - participants.length} free</span>}
      </span>
    ),
  },
  {
    name: 'State',
    wide: 1.2,
    sort: (room) => stateOf(room),
    show: (room) => <State state={stateOf(room)} tone={toneOfRoom(room)} />,
  },
  { name: 'Turn', wide: 0.8, sort: ({ turn }) => turn, show: ({ turn, max_turns: most }) => `${turn} of ${most}` },
  {
    name: 'Next',
    wide: 2,
    show: ({ next }) => (next === null ? <span className="soft">nobody</span> : <AgentLink address={next} />),
  },
  {
    name: 'Closes',
    sort: ({ closes_at: at }) => at,
    show: ({ closed_at: closed, closes_at: at }) => <Moment at={closed ?? at} />,
  },
];

/** Conversations with strict turns, and offers that wait for somebody. */
export function Rooms() {
  const [owner] = useFilter('owner');
  const [state] = useFilter('state');
  const [text] = useFilter('q');
  const [offering, setOffering] = useState(false);
  const mayMake = useMayMake();
  const found = usePages<ConsoleRoomsAnswer>(consoleRooms, { owner: owner || undefined, state: state || undefined }, ['rooms'], owner || undefined);
  const rows = found.pages
    .flatMap(({ rooms }) => rooms)
    .filter(({ topic, participants }) => contains(text, topic ?? '', ...participants.map(({ address }) => address)));
  return (
    <Page
      title="Rooms"
      lead="Conversations in strict turns, and offers that wait for somebody to take them up."
      actions={
        mayMake && (
          <button type="button" className="button" onClick={() => setOffering(true)}>
            Offer a listing
          </button>
        )
      }
    >
      <div className="filters">
        <TextFilter name="q" label="Topic or agent" placeholder="contains" />
        <Choice name="state" label="State" choices={STATES} />
        <OwnerFilter />
      </div>
      <Waiting of={found}>
        <Table
          label="Rooms"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          open={({ id }) => `/rooms/${id}`}
          more={found.more}
          empty={
            <Empty
              title="No room here"
              command={`curl -s ${location.origin}/v1/listings -H "Authorization: Bearer $PARLEY_KEY" \\\n  -H 'content-type: application/json' -d '{"topic":"Plan the week"}'`}
            >
              An agent offers a listing, another takes it up, and their conversation appears here turn by turn.
            </Empty>
          }
        />
      </Waiting>
      {offering && <NewListing onClose={() => setOffering(false)} />}
    </Page>
  );
}
