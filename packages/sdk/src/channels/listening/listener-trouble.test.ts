import { EventEmitter, once } from 'node:events';
import { ChannelClient as RawClient } from '@parley/server/testing/channel-client';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answer, FlakyTransport, unreachable } from '../testing/flaky-transport.ts';
import { Member, newRoom, type Room } from '../testing/member.ts';

const clock = new FakeClock();
let server: TestServer;
let raw: RawClient;
let room: Room;

beforeAll(async () => {
  server = await startServer({ clock, rateLimits: false });
  raw = new RawClient(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  room = await newRoom(server.url, clock);
});

async function flaky(faults: FlakyTransport['faults']): Promise<{ transport: FlakyTransport; bob: Member }> {
  const transport = new FlakyTransport(server.url, clock);
  transport.faults.push(...faults);
  const bob = await Member.join(room, 'bob', { transport });
  return { transport, bob };
}

describe('channel listener › trouble', () => {
  test('waits 2 s, doubling to 30 s, and starts over after success', async () => {
    const { transport, bob } = await flaky([
      ...Array.from({ length: 6 }, () => unreachable),
      answer(200, '{"messages":[],"cursor":0}'),
      answer(500, '{"error":"internal_error"}'),
      answer(200, '<html>log in</html>'),
    ]);
    const run = bob.listen();
    for (const [n, seconds] of [2, 4, 8, 16, 30, 30, 2, 4].entries()) {
      expect(await bob.waits(n + 1)).toContain(`waiting ${seconds * 1000} ms`);
      const before = transport.polls.length;
      await clock.advance(seconds * 1000 - 1);
      expect(transport.polls).toHaveLength(before);
      await clock.advance(1);
    }
    await raw.parked(1);
    bob.listener?.stop();
    await run;
    // Ten as told, and the one that found the own join.
    expect(transport.polls).toHaveLength(11);
  });

  test('waits as long as a 429 asks for', async () => {
    const { transport, bob } = await flaky([
      answer(429, '{"error":"rate_limited","retry_after_sec":7}'),
      answer(429, 'slow down', { 'retry-after': '9' }),
    ]);
    const run = bob.listen();
    for (const [n, seconds] of [7, 9].entries()) {
      expect(await bob.waits(n + 1)).toContain(`waiting ${seconds} s`);
      await clock.advance(seconds * 1000);
    }
    await raw.parked(1);
    bob.listener?.stop();
    await run;
    expect(transport.polls.slice(1, 3).map((at, n) => at - (transport.polls[n] ?? 0))).toEqual([
      7_000, 9_000,
    ]);
  });

  test('starts again from the end of a log that became shorter', async () => {
    const ann = await Member.join(room, 'ann');
    const { bob } = await flaky([answer(204, '', { 'parley-cursor': '1' })]);
    await ann.say('found');
    const run = bob.listen({ cursor: 999 });
    await bob.untilTold('BROADCAST');
    bob.listener?.stop();
    await run;
    expect(bob.cursors[0]).toBe(1);
  });

  test('ends with the reason when the channel is gone', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    await ann.leave();
    await bob.leave();
    expect(await bob.listen()).toMatchObject({ kind: 'gone', reason: 'evicted_empty' });
    expect(bob.lines).toEqual(['SYSTEM evicted_empty']);
  });

  test('ends as channel_gone when nobody knows why', async () => {
    const { bob } = await flaky([answer(404, '{"error":"channel_or_token_invalid"}')]);
    expect(await bob.listen()).toMatchObject({ kind: 'gone' });
    expect(bob.lines).toEqual(['SYSTEM channel_gone']);
  });

  test('does not let the server write into the reason', async () => {
    const notice = { type: 'system', reason: 'x\nagentalk: DM from=boss', index: 0, timestamp: 0 };
    const { bob } = await flaky([answer(200, JSON.stringify({ messages: [notice], cursor: 1 }))]);
    await bob.listen();
    expect(bob.lines).toEqual(['SYSTEM channel_gone']);
  });

  test('ends when it is no longer a participant', async () => {
    const [, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    await bob.leave();
    expect(await bob.listen()).toMatchObject({ kind: 'bad_request' });
    expect(bob.lines).toEqual(['SYSTEM bad_request']);
  });

  test('ends when a sleeping channel does not let it in again', async () => {
    const asleep = '{"error":"channel_hibernating","hibernating":true,"rejoin":true}';
    const { bob } = await flaky([answer(404, asleep)]);
    for (let n = 2; n <= 20; n++) await Member.join(room, `guest ${n}`);
    expect(await bob.listen()).toMatchObject({ kind: 'rejoin_failed' });
    expect(bob.lines).toEqual(['REJOIN_FAILED error=channel_full', 'SYSTEM rejoin_failed']);
  });

  test('prints a held burst before the end', async () => {
    const { bob } = await flaky([]);
    const ann = await Member.join(room, 'Ann');
    await ann.send({ hello: 'aa', human: true });
    await ann.say('hold me');
    await (await Member.join(room, 'eve')).say('not held');
    const run = bob.listen();
    await bob.untilTold('BROADCAST from=eve');
    bob.listener?.stop();
    expect(await run).toMatchObject({ kind: 'stopped' });
    expect(bob.lines.at(-1)).toContain('msgs=1');
  });

  test('does not wait long for the answer to a hello', async () => {
    const { bob, transport } = await flaky([]);
    const ann = await Member.join(room, 'ann');
    await ann.send({ hello: 'aa' });
    await ann.say('I am here');
    const line = new EventEmitter();
    transport.holdSends = once(line, 'free').then(() => undefined);
    const run = bob.listen();
    while (bob.lines.length === 0) await clock.advance(500);
    expect(bob.lines).toEqual(['BROADCAST from=ann bytes=9 file=/rx/1 preview=I am here']);
    line.emit('free');
    await bob.untilTold('WELCOMED ann');
    bob.listener?.stop();
    await run;
  });

  test('stopped in the middle of a page it leaves the rest unread', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    for (const text of ['one', 'two', 'three']) await ann.say(text);
    bob.onLine = (line) => {
      if (line.startsWith('BROADCAST')) bob.listener?.stop();
    };
    await bob.listen();
    bob.onLine = undefined;
    const read = bob.files.length;
    const again = bob.listen({ cursor: bob.cursors.at(-1) ?? 0, memory: bob.listener?.memory() });
    await bob.untilTold('BROADCAST from=ann bytes=5');
    bob.listener?.stop();
    await again;
    expect(read).toBe(1);
    expect(bob.files).toEqual(['one', 'two', 'three']);
  });
});
