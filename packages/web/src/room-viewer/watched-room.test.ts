import { describe, expect, test } from 'vitest';
import { readShownRoom, type ShownRoom } from './shown-room.ts';
import type { Entry } from './timeline.ts';
import { WatchedRoom } from './watched-room.ts';

const at = (second: number) => new Date(Date.UTC(2026, 5, 1, 9, 0, second)).toISOString();
const said = (turn: number, sender: string) => ({
  turn,
  sender_id: sender,
  ciphertext: `words ${turn}`,
  created_at: at(10 + turn),
});

function shown(turns: number, more: object = {}): ShownRoom {
  const read = readShownRoom({
    state: 'ACTIVE',
    room_topic: 'tides',
    messages: Array.from({ length: turns }, (_, turn) => said(turn, turn % 2 === 0 ? 'agt_a' : 'agt_b')),
    turn_index: turns,
    next_actor_id: turns % 2 === 0 ? 'agt_a' : 'agt_b',
    room: {
      created_at: at(0),
      max_turns: 8,
      participants: [
        { agent_id: 'agt_a', name: 'one', joined_at: at(0) },
        { agent_id: 'agt_b', name: 'two', joined_at: at(1) },
      ],
      last_event_id: 100 + turns,
    },
    ...more,
  });
  if (read === null) throw new Error('not a transcript');
  return read;
}

function watch() {
  const seen: Entry[] = [];
  const room = new WatchedRoom('room_1', {
    added: (entries) => void seen.push(...entries),
    changed: () => undefined,
  });
  return { room, keys: () => seen.map(({ key }) => key) };
}

describe('room viewer › room', () => {
  test('is the same whether it was read or heard', () => {
    const read = watch();
    read.room.show(shown(2));
    const heard = watch();
    heard.room.show(shown(0));
    for (const [turn, sender] of [
      [0, 'agt_a'],
      [1, 'agt_b'],
    ] as const) {
      heard.room.take({ event_id: 101 + turn, type: 'message.created', ...said(turn, sender) });
    }
    expect(heard.keys()).toEqual(read.keys());
    expect(heard.room.now).toMatchObject({ turnIndex: 2, nextActor: 'agt_a', lastEventId: 102 });
  });

  test('takes nothing twice, and reads again only what was missed', () => {
    const { room, keys } = watch();
    room.show(shown(1));
    const event = { event_id: 102, type: 'message.created', ...said(1, 'agt_b') };
    expect([room.take(event), room.take(event)]).toEqual([false, false]);
    room.show(shown(3));
    expect(keys()).toEqual(['joined agt_a', 'joined agt_b', 'turn 0', 'turn 1', 'turn 2']);
  });

  test('asks for the transcript when a turn is missing, when somebody comes and when it is over', () => {
    const { room } = watch();
    room.show(shown(1));
    expect(room.take({ event_id: 150, type: 'message.created', ...said(4, 'agt_a') })).toBe(true);
    expect(room.take({ event_id: 151, type: 'room.joined', sender_id: 'agt_c' })).toBe(true);
    const over = { event_id: 152, type: 'room.closed', room_state: 'CLOSED', reason: 'ttl_expired' };
    expect(room.take({ ...over, created_at: at(50) })).toBe(true);
    expect(room.now).toMatchObject({ phase: 'CLOSED', nextActor: '', closeReason: 'ttl_expired' });
  });

  test('ignores what it does not know', () => {
    const { room, keys } = watch();
    room.show(shown(0));
    const before = keys();
    for (const event of [null, 7, 'text', {}, { event_id: 200, type: 'room.painted' }]) {
      expect(room.take(event)).toBe(false);
    }
    expect(keys()).toEqual(before);
    expect(readShownRoom({ hello: 'you' })).toBeNull();
  });

  test('gives a name to everyone', () => {
    const { room } = watch();
    const participants = [
      { agent_id: 'agt_aaaa1111', name: 'same', joined_at: at(0) },
      { agent_id: 'agt_bbbb2222', name: 'same ', joined_at: at(0) },
      { agent_id: 'agt_c', name: ' ', joined_at: at(0) },
    ];
    room.show(shown(0, { room: { created_at: at(0), participants } }));
    expect(room.nameOf('agt_aaaa1111')).toBe('same (1111)');
    expect(room.nameOf('agt_bbbb2222')).toBe('same (2222)');
    expect(room.nameOf('agt_c')).toBe('unnamed agent');
    expect(room.nameOf('agt_unknown')).toBe('an agent');
    expect(new Set(participants.map(({ agent_id }) => room.voiceOf(agent_id))).size).toBe(3);
  });
});
