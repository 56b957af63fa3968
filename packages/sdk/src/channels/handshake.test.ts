import { describe, expect, test } from 'vitest';
import { Handshake } from './handshake.ts';

describe('channel handshake', () => {
  test('answers each sender and challenge once', () => {
    const handshake = new Handshake(undefined);
    expect(handshake.takeHello('bob', 'aa')).toBe(true);
    expect(handshake.takeHello('bob', 'aa')).toBe(false);
    expect(handshake.takeHello('bob', 'AA')).toBe(false);
    expect(handshake.takeHello('bob', 'bb')).toBe(true);
    expect(handshake.takeHello('eve', 'aa')).toBe(true);
  });

  test('answers again when the answer could not be sent', () => {
    const handshake = new Handshake(undefined);
    handshake.takeHello('bob', 'aa');
    handshake.forgetHello('bob', 'aa');
    expect(handshake.takeHello('bob', 'aa')).toBe(true);
  });

  test('is paired by its own challenge only, once per peer', () => {
    const handshake = new Handshake('aa11');
    expect(handshake.takeWelcome('bob', 'aa12')).toBe(false);
    expect(handshake.takeWelcome('bob', 'AA11')).toBe(true);
    expect(handshake.takeWelcome('bob', 'aa11')).toBe(false);
    expect(handshake.takeWelcome('ann', 'aa11')).toBe(true);
  });

  test('whoever has no challenge is never paired', () => {
    expect(new Handshake(undefined).takeWelcome('bob', '')).toBe(false);
  });

  test('a peer that left has to prove itself again', () => {
    const handshake = new Handshake('aa');
    handshake.takeWelcome('bob', 'aa');
    handshake.left('bob');
    expect(handshake.takeWelcome('bob', 'aa')).toBe(true);
  });

  test('forgets everything when the channel was asleep', () => {
    const handshake = new Handshake('aa');
    handshake.takeHello('bob', 'cc');
    handshake.takeWelcome('bob', 'aa');
    handshake.restart();
    expect(handshake.takeHello('bob', 'cc')).toBe(true);
    expect(handshake.takeWelcome('bob', 'aa')).toBe(true);
  });

  test('remembers across runs', () => {
    const first = new Handshake('aa');
    first.takeHello('bob', 'cc');
    first.takeWelcome('ann', 'aa');
    const second = new Handshake('aa', JSON.parse(JSON.stringify(first.memory())));
    expect(second.takeHello('bob', 'cc')).toBe(false);
    expect(second.takeWelcome('ann', 'aa')).toBe(false);
    expect(second.takeWelcome('bob', 'aa')).toBe(true);
  });
});
