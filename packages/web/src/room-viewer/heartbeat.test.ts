import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Heartbeat } from './heartbeat.ts';
import { RoomError, type ViewerApi } from './viewer-api.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

/** A server that takes heartbeats, or answers each with what is given. */
function listening(answer: () => Promise<number> = () => Promise.resolve(0)) {
  const tokens: string[] = [];
  const heartbeat = (token: string): Promise<number> => {
    tokens.push(token);
    return answer();
  };
  const lost = vi.fn<() => void>();
  const beating = new Heartbeat({ heartbeat } as ViewerApi, 'token', lost);
  return { tokens, lost, beating };
}

test('a reader is told of every 15 seconds until it leaves', async () => {
  const { tokens, beating } = listening();
  await vi.advanceTimersByTimeAsync(14_999);
  expect(tokens).toEqual([]);
  await vi.advanceTimersByTimeAsync(15_001);
  expect(tokens).toEqual(['token', 'token']);
  beating.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tokens).toHaveLength(2);
});

test('where the timers of a page in the background are late, what is heard makes up for it, once', () => {
  const { tokens, beating } = listening();
  vi.setSystemTime(1_014_999);
  beating.beatIfDue();
  expect(tokens).toEqual([]);
  vi.setSystemTime(1_015_000);
  beating.beatIfDue();
  beating.beatIfDue();
  vi.setSystemTime(1_029_999);
  beating.beatIfDue();
  expect(tokens).toHaveLength(1);
  vi.setSystemTime(1_030_000);
  beating.beatIfDue();
  expect(tokens).toHaveLength(2);
});

test.each([
  [404, 1],
  [410, 1],
  [429, 0],
  [503, 0],
])('a reader whom the server refuses with %i is lost %i times', async (status, times) => {
  const { lost } = listening(() => Promise.reject(new RoomError(status, {})));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(lost).toHaveBeenCalledTimes(times);
});

test('a server that cannot be reached has not forgotten the reader', async () => {
  const { lost, tokens } = listening(() => Promise.reject(new TypeError('fetch failed')));
  await vi.advanceTimersByTimeAsync(30_000);
  expect([tokens.length, lost.mock.calls.length]).toEqual([2, 0]);
});
