import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { TimerWheel } from '../timer-wheel.ts';
import { Waiters } from './waiters.ts';

function setUp() {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const errors: unknown[] = [];
  const waiters = new Waiters<string>(wheel, (error) => errors.push(error));
  const answers: string[] = [];
  const park = (name: string, topic = 'tide', position = 0, ms = 50_000) =>
    waiters.park(topic, position, ms, (reason) => answers.push(`${name} ${reason}`));
  return { clock, wheel, waiters, answers, errors, park };
}

describe('waiters', () => {
  test('wakes everyone in the topic, in the order of arrival, and nobody else', () => {
    const { waiters, wheel, answers, park } = setUp();
    park('a');
    park('b');
    park('other', 'ebb');
    expect(waiters.wake('tide')).toBe(2);
    expect(answers).toEqual(['a event', 'b event']);
    expect(waiters.parked).toBe(1);
    expect(wheel.size).toBe(1);
    expect(waiters.wake('tide')).toBe(0);
  });

  test('does not wake one that waits for a later position', () => {
    const { waiters, answers, park } = setUp();
    park('near', 'tide', 4);
    park('far', 'tide', 9);
    waiters.wake('tide', 4);
    expect(answers).toEqual(['near event']);
    waiters.wake('tide', 8);
    expect(waiters.parkedIn('tide')).toBe(1);
    waiters.wake('tide', 9);
    expect(answers).toEqual(['near event', 'far event']);
  });

  test('answers with a timeout when the hold time has passed, not before', async () => {
    const { clock, waiters, answers, park } = setUp();
    park('a');
    await clock.advance(49_999);
    expect(answers).toEqual([]);
    await clock.advance(500);
    expect(answers).toEqual(['a timeout']);
    expect(waiters.parked).toBe(0);
    expect(waiters.wake('tide')).toBe(0);
  });

  test('forgets one that was un-parked', async () => {
    const { clock, waiters, answers, wheel, park } = setUp();
    const waiter = park('gone');
    expect(waiters.unpark(waiter)).toBe(true);
    expect(waiters.unpark(waiter)).toBe(false);
    expect(wheel.size).toBe(0);
    waiters.wake('tide');
    await clock.advance(60_000);
    expect(answers).toEqual([]);
  });

  test('does not wake in the same pass one that parks again', () => {
    const { waiters } = setUp();
    let woken = 0;
    const again = (): void => {
      waiters.park('tide', 0, 1000, () => {
        woken += 1;
        again();
      });
    };
    again();
    expect(waiters.wake('tide')).toBe(1);
    expect(woken).toBe(1);
    expect(waiters.parked).toBe(1);
  });

  test('lets an answer un-park another that was about to be woken', () => {
    const { waiters, answers, park } = setUp();
    waiters.park('tide', 0, 1000, () => void waiters.unpark(second));
    const second = park('second');
    expect(waiters.wake('tide')).toBe(1);
    expect(answers).toEqual([]);
  });

  test('wakes the others when one answer throws', () => {
    const { waiters, answers, errors, park } = setUp();
    waiters.park('tide', 0, 1000, () => {
      throw new Error('broken answer');
    });
    park('b');
    waiters.wake('tide');
    expect(answers).toEqual(['b event']);
    expect(errors).toEqual([new Error('broken answer')]);
  });

  test('tells the parked that their topic ended', () => {
    const { waiters, answers, park } = setUp();
    park('a', 'tide', 99);
    park('b', 'ebb');
    expect(waiters.end('tide')).toBe(1);
    expect(waiters.endAll()).toBe(1);
    expect(answers).toEqual(['a ended', 'b ended']);
  });

  test('holds 10,000 and wakes 3,000 of them in 300 topics without a timer each', () => {
    const { waiters, wheel } = setUp();
    let answered = 0;
    for (let i = 0; i < 10_000; i++) waiters.park(`topic ${i % 1000}`, 0, 50_000, () => void (answered += 1));
    expect(waiters.parked).toBe(10_000);
    for (let i = 0; i < 300; i++) waiters.wake(`topic ${i}`);
    expect(answered).toBe(3000);
    expect(waiters.parked).toBe(7000);
    expect(wheel.size).toBe(7000);
  });
});
