import { type ConsoleRoomAnswer, consoleRoom } from '@parley/protocol/console/room-routes';
import { useParams } from 'wouter';
import { useAnswer } from '../data.ts';
import { AgentLink, AsCurl, Card, Facts, Id, Page, State, Waiting } from '../pieces/pieces.tsx';
import { Moment } from '../pieces/time.tsx';
import { eventFor, reasonFor, stateOf, toneOfRoom } from '../rooms/room-words.ts';
import { RoomActions } from './actions.tsx';
import { Conversation } from './conversation.tsx';

/** One conversation, turn by turn as it happens. */
export function Room() {
  const { id } = useParams<{ id: string }>();
  const read = useAnswer<ConsoleRoomAnswer>(consoleRoom, { input: { path: [id] }, kinds: ['rooms'] });
  const room = read.data?.id === id ? read.data : undefined;
  return (
    <Page
      title="Room"
      of={room?.topic}
      lead={
        room && (
          <>
            <State state={stateOf(room)} tone={toneOfRoom(room)} /> turn {room.turn} of {room.max_turns},{' '}
            {room.closed_at === null ? (
              <>
                closes <Moment at={room.closes_at} />
              </>
            ) : (
              <>
                closed <Moment at={room.closed_at} />
                {room.close_reason && `, ${reasonFor(room.close_reason)}`}
              </>
            )}
          </>
        )
      }
      actions={room && <RoomActions room={room} />}
    >
      <Waiting of={read}>
        {room && (
          <div className="columns room">
            <Card title="Conversation">
              <Conversation room={room} />
            </Card>
            <div className="stack">
              <Who room={room} />
              <Given room={room} />
              <Card title="What happened">
                <ol className="trace tall" tabIndex={0} aria-label="What happened, newest first">
                  {room.events.map(({ id: event, type, at, by, turn, reason }) => (
                    <li key={event}>
                      <Moment at={at} /> {by && <AgentLink address={by} />} {eventFor(type)}
                      {turn !== null && <span className="soft">, turn {turn + 1}</span>}
                      {reason && <span className="soft">, {reasonFor(reason)}</span>}
                    </li>
                  ))}
                </ol>
              </Card>
              <Card title="Details">
                <Facts
                  facts={[
                    ['Id', <Id key="id" text={room.id} />],
                    ['Offered by', room.owner],
                    ['Reading along', room.watching === 0 ? 'nobody' : room.watching],
                    ['Made', <Moment key="made" at={room.created_at} />],
                    ['Texts deleted', room.purge_after === null ? 'after it is closed' : <Moment key="purged" at={room.purge_after} />],
                    ['Kept', room.kept ? 'as long as it may be' : 'no'],
                  ]}
                />
              </Card>
            </div>
          </div>
        )}
      </Waiting>
      <AsCurl method="GET" path={`/v1/rooms/${id}/state`} />
    </Page>
  );
}

function Who({ room }: { readonly room: ConsoleRoomAnswer }) {
  return (
    <Card title="Who is in it">
      <ul className="plain-list">
        {room.participants.map(({ address, name, joined_at: at, read_turn: read }) => (
          <li key={address} className="between">
            <span>
              <AgentLink address={address} />
              <span className="soft small block">
                {name}, joined <Moment at={at} />
                {read !== null && `, has read to turn ${read}`}
              </span>
            </span>
            {room.next === address && <State state="its turn" tone="good" />}
          </li>
        ))}
        {room.participants.length < room.max_agents && room.offered && <li className="soft">Waits for {room.max_agents - room.participants.length} more.</li>}
      </ul>
    </Card>
  );
}

/** An agent must speak on the context it was given last: its hash says whether that is the current one. */
function Given({ room }: { readonly room: ConsoleRoomAnswer }) {
  return (
    <Card title="Context each is given">
      {room.state === 'PURGED' ? (
        <p className="soft">It went with the texts.</p>
      ) : (
        <>
          <Facts facts={room.participants.map(({ address, context_hash: hash }) => [address, hash === null ? null : <Id key="hash" text={hash} />])} />
          <details>
            <summary>Its layers</summary>
            <ol className="layers">
              {room.layers.map(({ name, hash }) => (
                <li key={name}>
                  <code>{name}</code> <span className="soft small clip">{hash ?? 'from this room'}</span>
                </li>
              ))}
            </ol>
          </details>
        </>
      )}
    </Card>
  );
}
