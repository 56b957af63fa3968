import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type TestSharedRedis, testSharedRedis } from '../../platform/redis/testing/shared-redis.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis } from '../../testing/redis.ts';
import type { ChannelSettings } from '../settings.ts';
import { type Account, ChannelBook } from './book.ts';
import { BOOK } from './book-functions.ts';
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
      const day = { until: clock.now() + 86_400_000, most: undefined };
      await other.take('127.0.0.1', ID, day);
      other.note(ID, changed(1, 0, 2, 2, 20));
      await other.settle();
      const channel = { state: 'awake', participants: 2, events: 2, bytes: 20 };
      const run = async (_step: string, id: string): Promise<Reply> => {
        const { state, participants, events, bytes } = channel;
        if (id !== ID) return ['unknown', []];
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
      return { clock, sweeping, other, channel, sweep, totals, day };
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

    test('the slot of a channel that was never made, or ended without a word, is free after a minute', async () => {
      const { clock, sweeping, other, sweep, day } = await nodes();
      await other.take('10.0.0.9', 'c2', day);
      await sweep();
      expect(await sweeping.look('10.0.0.9')).toBe(1);
      await clock.advance(60_000);
      await sweep();
      expect(await sweeping.look('10.0.0.9')).toBe(0);
      expect(await sweeping.look('127.0.0.1')).toBe(1);
      expect(sweeping.totals.trackedAddresses).toBe(1);
    });

    test('of many that take a slot at once no more get one than the address may have', async () => {
      const { sweeping, other, day } = await nodes();
      const takes = Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? sweeping : other).take('10.0.0.8', `d${at}`, { ...day, most: 3 }),
      );
      const answers = await Promise.all(takes);
      expect(answers.filter((held) => held === undefined)).toHaveLength(3);
      expect(answers.filter((held) => held === 3)).toHaveLength(17);
    });

    test('a slot that was given back while Redis was away is free once it is told again', async () => {
      const { other } = await nodes();
      const commands = vi.spyOn(BOOK, 'run').mockRejectedValueOnce(new Error('away'));
      other.note(ID, { totals: [-1, 0, 0, 0, 0], address: '127.0.0.1', gone: true });
      await other.settle();
      commands.mockRestore();
      expect(await other.look('127.0.0.1')).toBe(1);
      await other.settle();
      expect(await other.look('127.0.0.1')).toBe(0);
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
