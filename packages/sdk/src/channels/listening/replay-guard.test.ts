import { describe, expect, test } from 'vitest';
import { ReplayGuard } from './replay-guard.ts';
import { blobHash, SendChain } from '../send-chain.ts';

const blob = (n: number) => `${String(n).padStart(16, '0')}ciphertext`;

describe('channel replay guard › nonces', () => {
  test('takes a message once', () => {
    const guard = new ReplayGuard({ fromStart: true });
    expect(guard.check(blob(1), 4)).toBe('new');
    expect(guard.check(blob(1), 7)).toBe('replayed');
    expect(guard.check(blob(2), 5)).toBe('new');
  });

  test('reading the same event again is no replay', () => {
    const guard = new ReplayGuard({ fromStart: true });
    guard.check(blob(1), 4);
    expect(guard.check(blob(1), 4)).toBe('again');
  });

  test('an old message in a new log is one, even at its old place', () => {
    const guard = new ReplayGuard({ fromStart: true });
    guard.check(blob(1), 4);
    guard.restart();
    expect(guard.check(blob(1), 4)).toBe('replayed');
  });

  test('remembers across runs', () => {
    const guard = new ReplayGuard({ fromStart: true });
    guard.check(blob(1), 4);
    const memory = JSON.parse(JSON.stringify(guard.memory()));
    expect(new ReplayGuard({ fromStart: false, memory }).check(blob(1), 9)).toBe('replayed');
  });
});

async function sentMarks(count: number) {
  const chain = new SendChain();
  const marks = [];
  for (let n = 1; n <= count; n++) {
    const mark = chain.next(1_000 + n);
    await chain.sent(mark, blob(n));
    marks.push({ mark, hash: await blobHash(blob(n)) });
  }
  return marks;
}

type Marks = Awaited<ReturnType<typeof sentMarks>>;

/** These of the messages, in this order. */
const pick = (marks: Marks, ...places: number[]): Marks =>
  places.flatMap((place) => marks.slice(place - 1, place));

const run = (guard: ReplayGuard, marks: Marks) =>
  marks.map(({ mark, hash }) => guard.missing('bob', mark, hash));

describe('channel replay guard › sequence', () => {
  test('numbers count from 1 and name the message before', async () => {
    const [first, second] = await sentMarks(2);
    expect(first?.mark).toMatchObject({ seq: 1, ts: 1_001 });
    expect(first?.mark.prev).toBeUndefined();
    expect(second?.mark).toMatchObject({ sid: first?.mark.sid, seq: 2, prev: first?.hash });
  });

  test('an unbroken sequence misses nothing', async () => {
    expect(run(new ReplayGuard({ fromStart: true }), await sentMarks(4))).toEqual([0, 0, 0, 0]);
  });

  test('counts what was held back', async () => {
    const marks = await sentMarks(5);
    expect(run(new ReplayGuard({ fromStart: true }), pick(marks, 1, 4, 5))).toEqual([0, 2, 0]);
  });

  test('counts the missing beginning only for a reader of the whole log', async () => {
    const marks = (await sentMarks(3)).slice(2);
    expect(run(new ReplayGuard({ fromStart: true }), marks)).toEqual([2]);
    expect(run(new ReplayGuard({ fromStart: false }), marks)).toEqual([0]);
  });

  test('notices a message that was swapped', async () => {
    const [first, second] = await sentMarks(2);
    const swapped = [{ ...first, hash: 'of another message' }, second] as Marks;
    expect(run(new ReplayGuard({ fromStart: true }), swapped)).toEqual([0, 1]);
  });

  test('does not mix senders, runs, or senders without a run', async () => {
    const guard = new ReplayGuard({ fromStart: true });
    for (const marks of [await sentMarks(2), await sentMarks(1)]) expect(run(guard, marks)).not.toContain(1);
    expect(guard.missing('ann', { sid: '', seq: 1 }, 'h')).toBe(0);
    expect(guard.missing('ann', { sid: '', seq: 9 }, 'h')).toBe(0);
  });

  test('a late message is not a gap', async () => {
    const marks = pick(await sentMarks(3), 1, 3, 2);
    expect(run(new ReplayGuard({ fromStart: true }), marks)).toEqual([0, 1, 0]);
  });

  test('a restarted chain starts a new run', async () => {
    const chain = new SendChain();
    const old = chain.next(1);
    await chain.sent(old, blob(1));
    chain.restart();
    expect(chain.next(2)).toMatchObject({ seq: 1 });
    expect(chain.next(2).sid).not.toBe(old.sid);
  });
});
