import { describe, expect, test } from 'vitest';
import { mayStart, nextStart } from './gate.ts';
import { itemFrom } from './wake-item.ts';

const NOW = '2026-06-01T09:00:00.000Z';

const message = (slug: unknown) =>
  itemFrom('message.wake', { message_id: 'msg_1', from: { slug } }, NOW, 'acme');
const may = (allow: string[], slug: unknown): boolean => {
  const item = message(slug);
  return item !== undefined && mayStart({ allow }, 'acme', item);
};

describe('bridge › who may start an agent', () => {
  test.each([
    [['same-owner'], 'writer@acme', true],
    [['same-owner'], 'writer@evil', false],
    [['same-owner'], 'writer@acme@evil', false],
    [['same-owner'], 'writer@evil@acme', false],
    [['same-owner'], 'writer@acme ', false],
    [['same-owner'], '@acme', false],
    [['same-owner'], 'acme', false],
    [['same-owner'], '', false],
    [['same-owner'], undefined, false],
    [['same-owner'], ['writer@acme'], false],
    [[], 'writer@acme', false],
    [['friend@harbour'], 'friend@harbour', true],
    [['friend@harbour'], 'other@harbour', false],
    [['friend@harbour'], 'friend@harbour.evil', false],
    [['*@harbour'], 'other@harbour', true],
    [['*@harbour'], 'other@harbours', false],
    [['rooms'], 'writer@acme', false],
    [['*'], 'anybody@anywhere', true],
  ])('allow %j, from %j: %s', (allow, from, expected) => {
    expect(may(allow, from)).toBe(expected);
  });

  test('cues and handoffs are the owner’s own, turns in rooms are anybody’s', () => {
    const wakes = {
      'cue.wake': { execution_id: 'e1' },
      'handoff.wake': { handoff_id: 'h1', sender_peer: 'writer' },
      'room.turn_ready': { room_id: 'room_1', next_turn: 0 },
    };
    const allowed = (allow: string[]) =>
      Object.entries(wakes).map(([event, data]) => {
        const item = itemFrom(event, data, NOW, 'acme');
        return item !== undefined && mayStart({ allow }, 'acme', item);
      });
    expect(allowed(['same-owner'])).toEqual([true, true, false]);
    expect(allowed(['rooms'])).toEqual([false, false, true]);
    expect(allowed(['friend@harbour'])).toEqual([false, false, false]);
  });

  test('an id that would be a path, or a word for a program, is no wake', () => {
    for (const id of ['../x', 'a/b', '', '.', 'x y', '-rf\n', 'a'.repeat(129), 7, null]) {
      expect(itemFrom('message.wake', { message_id: id }, NOW, 'acme'), String(id)).toBe(undefined);
      expect(itemFrom('cue.wake', { execution_id: id, message_id: 'm' }, NOW, 'acme')).toBe(undefined);
      expect(itemFrom('handoff.wake', { handoff_id: id }, NOW, 'acme')).toBe(undefined);
      expect(itemFrom('room.turn_ready', { room_id: id, next_turn: 0 }, NOW, 'acme')).toBe(undefined);
    }
    expect(itemFrom('room.turn_ready', { room_id: 'r', next_turn: '0; rm' }, NOW, 'acme')).toBe(undefined);
  });

  test('the budget is that of any hour, not of the hour on the clock', () => {
    const now = Date.parse(NOW);
    const at = (minutesAgo: number): string => new Date(now - minutesAgo * 60_000).toISOString();
    expect(nextStart([at(10), at(70)], 2, now)).toBe(now);
    expect(nextStart([at(10), at(50)], 2, now)).toBe(now + 10 * 60_000);
    expect(nextStart([at(1), at(10), at(50)], 2, now)).toBe(now + 50 * 60_000);
  });
});
