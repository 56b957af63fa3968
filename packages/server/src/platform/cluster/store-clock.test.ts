import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MessageClient } from '../../delivery/testing/message-client.ts';
import { clockOff } from '../../testing/clock-off.ts';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { systemClock } from '../clock.ts';
import { StoreClock } from './store-clock.ts';

const MINUTES_5 = 300_000;

test("a step of the machine's clock while it runs moves nothing", async () => {
  let step = 0;
  const clock = new StoreClock({ ...systemClock, now: () => systemClock.now() + step });
  const before = clock.now();
  const due = before + 200;
  const fired: number[] = [];
  const over = new Promise<void>((resolve) => {
    clock.at(due, () => {
      fired.push(clock.now());
      resolve();
    });
  });
  step = MINUTES_5;
  expect(clock.now() - before).toBeLessThan(MINUTES_5 / 2);
  step = -MINUTES_5;
  expect(clock.now()).toBeGreaterThanOrEqual(before);
  await over;
  expect(fired[0]).toBeGreaterThanOrEqual(due);
});

const missing = missingPostgres();
const title = 'a node whose clock is five minutes off';

describe.skipIf(missing)(missing ? `${title} (PostgreSQL is not available: ${missing})` : title, () => {
  const cleanups: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  describe.each([MINUTES_5, -MINUTES_5])('by %d ms', (ms) => {
    let server: TestServer;
    beforeAll(async () => {
      const place = await freshTables();
      cleanups.push(() => place.remove());
      server = await startServer({
        databaseUrl: place.at.url,
        clock: new StoreClock(clockOff(ms)),
        rateLimits: false,
      });
      cleanups.push(() => server.close());
    });

    test('goes by that of the database, and says that its own differs', async () => {
      expect(Math.abs(server.context.clock.now() - systemClock.now())).toBeLessThan(2_000);
      const told = server.logs.find(({ event }) => event === 'clock_differs');
      expect(Math.abs(Number(told?.milliseconds) - ms)).toBeLessThan(2_000);
    });

    test('sends what is due in two seconds then, neither now nor in five minutes', async () => {
      const max = await MessageClient.register(server);
      await max.create({ slug: 'bo' });
      const sentAt = systemClock.now();
      await max.send('bo', { send_at: new Date(sentAt + 2_000).toISOString() });
      expect((await max.inbox('bo')).total).toBe(0);
      await expect.poll(async () => (await max.inbox('bo')).total).toBe(1);
      expect(systemClock.now() - sentAt).toBeGreaterThanOrEqual(1_900);
    }, 30_000);
  });

  test('after a sleep of its machine, in which nothing counted, the database is asked at once', async () => {
    const place = await freshTables();
    cleanups.push(() => place.remove());
    let slept = 0;
    // What counts stands still in a sleep; here it fell behind by an hour.
    const sleepy = { ...systemClock, monotonic: () => systemClock.monotonic() - slept };
    const clock = new StoreClock(sleepy);
    const server = await startServer({ databaseUrl: place.at.url, clock });
    cleanups.push(() => server.close());
    slept = 3_600_000;
    expect(systemClock.now() - clock.now()).toBeGreaterThan(3_000_000);
    await expect
      .poll(() => Math.abs(clock.now() - systemClock.now()), { timeout: 5_000 })
      .toBeLessThan(2_000);
  });

  test('a timer for a time of day waits for that time by whatever clock it goes', async () => {
    const clock = new StoreClock(clockOff(-1_000));
    const before = clock.now();
    await new Promise<void>((resolve) => clock.at(before + 50, resolve));
    expect(clock.now()).toBeGreaterThanOrEqual(before + 50);
    clock.at(before + 60, () => expect.unreachable()).cancel();
  });
});
