import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { bothLimits } from './both-limits.ts';
import { SlidingWindow } from './sliding-window.ts';
import { farLimiter } from './testing/far-limiter.ts';

const far = (limit: number) => farLimiter(new SlidingWindow(new FakeClock(), { limit, windowMs: 60_000 }));

test.each([
  [3, 5],
  [5, 3],
])('at most the fewer of %i and %i pass, however many ask at once', async (first, second) => {
  const limiter = bothLimits(far(first), far(second));
  const verdicts = await Promise.all(Array.from({ length: 20 }, async () => limiter.take('key')));
  expect(verdicts.filter(({ ok }) => ok)).toHaveLength(3);
});

test('what one of them refuses is counted by neither', async () => {
  const [first, second] = [far(5), far(2)];
  const limiter = bothLimits(first, second);
  for (let call = 0; call < 5; call++) await limiter.take('key');
  expect(await first.peek('key', 3)).toEqual({ ok: true });
});
