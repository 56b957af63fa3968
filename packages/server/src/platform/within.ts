import type { Clock, Timer } from './clock.ts';

/** What is found in that time, or `late`. What was waited for is not stopped by it. */
export async function within<Found, Late>(
  clock: Clock,
  ms: number,
  finding: Promise<Found>,
  late: Late,
): Promise<Found | Late> {
  let timer: Timer | undefined;
  const over = new Promise<Late>((resolve) => {
    timer = clock.after(ms, () => resolve(late));
  });
  try {
    return await Promise.race([finding, over]);
  } finally {
    timer?.cancel();
  }
}
