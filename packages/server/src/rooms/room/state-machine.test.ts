import type { RoomState } from '@parley/protocol/rooms/types';
import { describe, expect, test } from 'vitest';
import type { Room } from './room.ts';
import { canSkip, closed, purged, RoomTransitionError, seated, skipped, spoken } from './state-machine.ts';
import { maySpeak, nextActorId, nextActorIdFor } from './turns.ts';

const seat = (agent: string) => ({ agent, joinedAt: 0, readTurn: null });
const room = (change: Partial<Room> = {}): Room => ({
  id: 'room_x',
  listingId: 'lst_x',
  state: 'OPEN',
  topic: 'tides',
  maxTurns: 4,
  maxAgents: 2,
  firstSpeaker: 'owner',
  turnTimeoutMs: null,
  turnIndex: 0,
  nextActor: 'a',
  turnStartedAt: null,
  skips: 0,
  createdAt: 0,
  ttlAt: 900_000,
  closedAt: null,
  closeReason: null,
  purgedAt: null,
  lastReadAt: null,
  keptAt: null,
  dueAt: null,
  lastEvent: 0,
  sealedKey: 'sealed',
  codeHash: null,
  codeExpiresAt: 0,
  participants: [seat('a')],
  ...change,
});
const active = (change: Partial<Room> = {}): Room =>
  room({ state: 'ACTIVE', participants: [seat('a'), seat('b')], ...change });

describe('room state machine', () => {
  const moves: Record<string, (from: Room) => Room> = {
    ACTIVE: (from) => seated(from, seat('b'), 5),
    CLOSED: (from) => closed(from, 'manual_close', 5),
    PURGED: (from) => purged(from, 5),
  };
  const allowed: [RoomState, string][] = [
    ['OPEN', 'ACTIVE'],
    ['OPEN', 'CLOSED'],
    ['ACTIVE', 'ACTIVE'],
    ['ACTIVE', 'CLOSED'],
    ['CLOSED', 'PURGED'],
  ];
  for (const from of ['OPEN', 'ACTIVE', 'CLOSED', 'PURGED'] as const) {
    for (const [to, move] of Object.entries(moves)) {
      const may = allowed.some(([one, other]) => one === from && other === to);
      test(`${may ? 'goes' : 'never goes'} from ${from} to ${to}`, () => {
        const before = room({ state: from });
        if (may) expect(move(before).state).toBe(to);
        else expect(() => move(before)).toThrow(RoomTransitionError);
      });
    }
  }

  test('is only spoken in, and only skipped, while ACTIVE', () => {
    for (const state of ['OPEN', 'CLOSED', 'PURGED'] as const) {
      expect(() => spoken(room({ state }), 'a', 5)).toThrow(RoomTransitionError);
      expect(() => skipped(room({ state }), 5)).toThrow(RoomTransitionError);
    }
  });

  test('drops topic and key when purged', () => {
    expect(purged(room({ state: 'CLOSED' }), 5)).toMatchObject({ topic: '', sealedKey: null, purgedAt: 5 });
  });
});

describe('turns', () => {
  test('alternate between two', () => {
    const first = spoken(active(), 'a', 1);
    expect(first).toMatchObject({ turnIndex: 1, nextActor: 'b', turnStartedAt: 1 });
    expect(spoken(first, 'b', 2)).toMatchObject({ turnIndex: 2, nextActor: 'a' });
  });

  test('belong to nobody once the room is over', () => {
    expect(nextActorId(closed(active(), 'ttl_expired', 5))).toBe('');
    expect(maySpeak(closed(active(), 'ttl_expired', 5), 'a')).toBe(false);
  });

  test('belong to everyone at the opening of an `any` room, and to nobody in particular for others', () => {
    const any = active({ firstSpeaker: 'any', nextActor: null });
    expect([maySpeak(any, 'a'), maySpeak(any, 'b')]).toEqual([true, true]);
    expect(nextActorId(any)).toBe('');
    expect(nextActorIdFor(any, 'b')).toBe('agt_b');
    expect(maySpeak(spoken(any, 'b', 1), 'b')).toBe(false);
  });

  test('are skipped in larger rooms until everyone was passed over', () => {
    const three = active({ maxAgents: 3, participants: [seat('a'), seat('b'), seat('c')] });
    expect(canSkip(active())).toBe(false);
    expect(canSkip(three)).toBe(true);
    const twice = skipped(skipped(three, 1), 2);
    expect(twice).toMatchObject({ nextActor: 'c', turnIndex: 0, skips: 2 });
    expect(canSkip(twice)).toBe(false);
    expect(spoken(twice, 'c', 3).skips).toBe(0);
  });
});
