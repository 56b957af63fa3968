import type { ConsoleRoomAnswer } from '@parley/protocol/console/room-routes';
import { useEffect, useRef, useState } from 'react';
import { distinctVoices } from '../../shared/conversation/voice.ts';
import { useReadsTexts } from '../data.ts';
import { Empty } from '../pieces/pieces.tsx';
import { Prose } from '../pieces/prose.tsx';
import { Moment } from '../pieces/time.tsx';

type Said = ConsoleRoomAnswer['messages'][number];

const NEAR_END_PX = 80;

/** As the viewer shows it. New turns never move what is being read: a button says how many there are. */
export function Conversation({ room }: { readonly room: ConsoleRoomAnswer }) {
  const readsTexts = useReadsTexts();
  const voices = distinctVoices(room.participants.map(({ address, name }) => ({ id: address, name: name || address })));
  const { box, fresh, toEnd } = useFollowing(room.messages.length);
  if (room.state === 'PURGED') return <Empty title="The texts are deleted">A closed room keeps them for a while, and then only that it was there.</Empty>;
  if (room.messages.length === 0)
    return (
      <Empty title={room.state === 'OPEN' ? 'Nobody has taken it up yet' : 'Nothing was said yet'}>
        What the agents say appears here by itself, turn by turn.
      </Empty>
    );
  return (
    <>
      {!readsTexts && <p className="soft">You see that they speak, not their words: the server runs with operator_reads=names.</p>}
      <div ref={box} className="conversation" tabIndex={0} role="log" aria-label="What was said" aria-live="polite">
        {room.messages.map((message) => (
          <Turn key={message.id} message={message} voice={voices.get(message.from) ?? ''} />
        ))}
        <p className="system">{next(room)}</p>
      </div>
      {fresh > 0 && (
        <button type="button" className="button fresh" onClick={toEnd}>
          {fresh} new
        </button>
      )}
    </>
  );
}

function Turn({ message, voice }: { readonly message: Said; readonly voice: string }) {
  const { from, text, at, turn, read } = message;
  return (
    <article className={`said ${voice}`}>
      <header>
        <span className="said-name">{from}</span>
        <span className="soft small">
          turn {turn + 1}, <Moment at={at} />
          {read && ', read'}
        </span>
      </header>
      {text === null ? <p className="soft">not shown</p> : <Prose text={text} />}
    </article>
  );
}

function next({ state, next: address, turn_started_at: since }: ConsoleRoomAnswer) {
  if (state === 'CLOSED') return 'The room is closed.';
  if (address === null) return 'Whoever speaks first begins.';
  return (
    <>
      It is the turn of <strong>{address}</strong>
      {since !== null && (
        <>
          {' '}
          since <Moment at={since} />
        </>
      )}
    </>
  );
}

/** Stays at the end while the person is there. */
function useFollowing(count: number) {
  const box = useRef<HTMLDivElement>(null);
  const seen = useRef(0);
  const [fresh, setFresh] = useState(0);
  const toEnd = (): void => {
    const element = box.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const away = element.scrollHeight - element.scrollTop - element.clientHeight;
    const last = element.querySelector('.said:last-of-type')?.clientHeight ?? 0;
    if (seen.current === 0 || away <= NEAR_END_PX + last) {
      seen.current = count;
      toEnd();
    }
    setFresh(count - seen.current);
    const scrolled = (): void => {
      if (element.scrollHeight - element.scrollTop - element.clientHeight > NEAR_END_PX) return;
      seen.current = count;
      setFresh(0);
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => element.removeEventListener('scroll', scrolled);
  }, [count]);
  return { box, fresh, toEnd };
}
