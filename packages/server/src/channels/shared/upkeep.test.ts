import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestSharedRedis, testSharedRedis } from '../../platform/redis/testing/shared-redis.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis } from '../../testing/redis.ts';
import type { ChannelSettings } from '../settings.ts';
import { type Account, ChannelBook } from './book.ts';
import type { Reply } from './replies.ts';
import { Upkeep } from './upkeep.ts';

const missing = missingRedis();
const SWEEP_MS = 1_000;
const ID = 'c1';

const changed = (...totals: Account['totals']): Account => ({ totals, address: '', gone: false });

describe.skipIf(missing)(
  `totals of channels over nodes${missing ? ` (not available: ${missing})` : ''}`,
  () => {
    let running: TestSharedRedis;
    beforeAll(async () => {
      running = await testSharedRedis();
    });
    afterAll(() => running.stop());

    let groups = 0;

    /** One node that sweeps, and another, and a channel with two participants and two events. */
    async function nodes() {
      const name = `group ${++groups}`;
      const clock = new FakeClock();
      const book = async () =>
        new ChannelBook(await running.connect(name), clock, (channelId) => `channel:{${channelId}}`);
      const [sweeping, other] = [await book(), await book()];
      await other.take('127.0.0.1', ID, clock.now() + 86_400_000);
      other.note(ID, changed(1, 0, 2, 2, 20));
      await other.settle();
      const channel = { state: 'awake', participants: 2, events: 2, bytes: 20 };
      const run = async (): Promise<Reply> => {
        const { state, participants, events, bytes } = channel;
        return ['ok', [], state, participants, events, String(bytes), '0'];
      };
      const upkeep = new Upkeep({ settings: { sweepMs: SWEEP_MS } as ChannelSettings, book: sweeping, run });
      const sweep = async () => {
        await clock.advance(SWEEP_MS);
        await upkeep.sweep();
      };
      const totals = async () => {
        await sweeping.refresh();
        const { channels, asleep, participants, events, retainedBytes } = sweeping.totals;
        return [channels, asleep, participants, events, retainedBytes];
      };
      return { other, channel, sweep, totals };
    }

    test('what another node did and is about to tell is counted once', async () => {
      const { other, channel, sweep, totals } = await nodes();
      await sweep();
      Object.assign(channel, { state: 'asleep', participants: 0, events: 0, bytes: 0 });
      await sweep();
      other.note(ID, changed(0, 1, -2, -2, -20));
      await other.settle();
      expect(await totals()).toEqual([1, 1, 0, 0, 0]);
      await sweep();
      await sweep();
      expect(await totals()).toEqual([1, 1, 0, 0, 0]);
    });

    test('what a node that died never told is found by the second sweep', async () => {
      const { channel, sweep, totals } = await nodes();
      Object.assign(channel, { events: 3, bytes: 25 });
      await sweep();
      expect(await totals()).toEqual([1, 0, 2, 2, 20]);
      await sweep();
      expect(await totals()).toEqual([1, 0, 2, 3, 25]);
    });
  },
);
