import { ChannelClient as RawClient } from '@parley/server/testing/channel-client';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Membership } from '../identity.ts';
import { FlakyTransport, unreachable } from '../testing/flaky-transport.ts';
import { Member, newRoom, type Room } from '../testing/member.ts';

const IDLE_MS = 60_000;
const SLEEP_MS = 600_000;

describe('channel listener › a channel that sleeps', () => {
  const clock = new FakeClock();
  let server: TestServer;
  let room: Room;

  beforeEach(async () => {
    server = await startServer({
      clock,
      rateLimits: false,
      chIdleTimeoutMs: IDLE_MS,
      chHibernateMaxMs: SLEEP_MS,
    });
    room = await newRoom(server.url, clock);
  });
  afterEach(() => server.close());

  test('is rejoined, read from its beginning and greeted again', async () => {
    const bob = await Member.join(room, 'bob');
    const before = bob.link.seat.identity.participantId;
    await clock.advance(2 * IDLE_MS);
    const run = bob.listen({ cursor: 1, challenge: 'aa11', hello: false });
    await bob.untilTold('RESUMED');
    const ann = await Member.join(room, 'ann');
    const hosting = ann.listen();
    await ann.untilTold('WELCOMED bob');
    await bob.untilTold('PAIRED with ann');
    for (const member of [ann, bob]) member.listener?.stop();
    await Promise.all([run, hosting]);
    expect(bob.lines[0]).toBe(`RESUMED channel=${room.channelId} name=bob`);
    expect(bob.cursors[0]).toBe(0);
    expect(bob.link.seat.identity.participantId).not.toBe(before);
    expect(bob.saved).toEqual([{ participantId: bob.link.seat.identity.participantId, name: 'bob' }]);
  });

  test('takes the next free name when its own was taken meanwhile', async () => {
    const bob = await Member.join(room, 'bob');
    await clock.advance(2 * IDLE_MS);
    await Member.join(room, 'Bob');
    await bob.link.seat.rejoin();
    expect(bob.saved).toMatchObject([{ name: 'bob-1' }]);
    expect(bob.link.seat.identity.name).toBe('bob-1');
  });

  test('is woken by a send, which is delivered once, and the listener follows', async () => {
    const transport = new FlakyTransport(server.url, clock);
    transport.faults.push(...Array.from({ length: 6 }, () => unreachable));
    const ann = await Member.join(room, 'ann', { transport });
    const listening = ann.listen();
    for (const [n, seconds] of [2, 4, 8, 16, 30].entries()) {
      await ann.waits(n + 1);
      await clock.advance(seconds * 1000);
    }
    await ann.waits(6);
    await clock.advance(5_000);
    await ann.say('wake up');
    const bob = await Member.join(room, 'bob');
    const hearing = bob.listen();
    await bob.untilTold('BROADCAST from=ann');
    await clock.advance(25_000);
    await ann.untilTold('RESUMED');
    for (const member of [ann, bob]) member.listener?.stop();
    await Promise.all([listening, hearing]);
    expect(ann.lines).toEqual([`RESUMED channel=${room.channelId} name=ann`]);
    expect(bob.lines).toEqual(['BROADCAST from=ann bytes=7 file=/rx/1 preview=wake up']);
  });

  test('goes on as the identity that another program of ours saved', async () => {
    let stored: Membership | undefined;
    const bob = await Member.join(room, 'bob', { loadIdentity: () => stored });
    await clock.advance(2 * IDLE_MS);
    const other = await Member.join(room, 'bob');
    stored = { ...other.link.seat.identity };
    const run = bob.listen({ cursor: 2 });
    await bob.untilTold('RESUMED');
    await new RawClient(server).parked(1);
    bob.listener?.stop();
    await run;
    expect(bob.link.seat.identity.participantId).toBe(stored.participantId);
    expect(bob.saved).toEqual([]);
  });

  test('ends when it has slept too long', async () => {
    const bob = await Member.join(room, 'bob');
    await clock.advance(2 * IDLE_MS + SLEEP_MS);
    expect(await bob.listen()).toMatchObject({ kind: 'gone', reason: 'evicted_hibernate_expired' });
  });
});

describe('channel listener › eviction notice', () => {
  test('ends with the reason of the notice', async () => {
    const clock = new FakeClock();
    const server = await startServer({ clock, chMaxLifetimeMs: 100_000, chEvictNoticeMs: 5_000 });
    const bob = await Member.join(await newRoom(server.url, clock), 'bob');
    const run = bob.listen();
    await new RawClient(server).parked(1);
    await clock.advance(50_000);
    await new RawClient(server).parked(1);
    await clock.advance(70_000);
    expect(await run).toMatchObject({ kind: 'gone', reason: 'evicted_max_lifetime' });
    expect(bob.lines).toEqual(['SYSTEM evicted_max_lifetime']);
    await server.close();
  });
});
