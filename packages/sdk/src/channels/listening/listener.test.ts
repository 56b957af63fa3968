import { newKey } from '@parley/protocol/channels/key';
import { ChannelClient as RawClient } from '@parley/server/testing/channel-client';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SendChain } from '../send-chain.ts';
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

async function listening(members: readonly Member[], act: () => Promise<void>): Promise<void> {
  const runs = members.map((member) => member.listen());
  await act();
  for (const member of members) member.listener?.stop();
  await Promise.all(runs);
}

describe('channel listener › messages', () => {
  test('prints broadcasts and direct messages, and keeps the whole text', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    await ann.say('hello\nworld');
    await ann.say('for you', 'bob');
    await ann.say('not for you', 'eve');
    await ann.say('last');
    await listening([bob], () => bob.untilTold('BROADCAST from=ann bytes=4'));
    expect(bob.lines).toEqual([
      'BROADCAST from=ann bytes=11 file=/rx/1 preview=hello world',
      'DM from=ann bytes=7 file=/rx/2 preview=for you',
      'BROADCAST from=ann bytes=4 file=/rx/3 preview=last',
    ]);
    expect(bob.files).toEqual(['hello\nworld', 'for you', 'last']);
  });

  test('tells who arrived before what they said', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    await ann.send({ hello: 'aa' });
    await ann.say('I am here');
    await listening([bob], () => bob.untilTold('BROADCAST'));
    expect(bob.lines).toEqual(['WELCOMED ann', 'BROADCAST from=ann bytes=9 file=/rx/1 preview=I am here']);
  });

  test('skips what it sent itself', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    await bob.say('mine');
    await ann.say('hers');
    await listening([bob], () => bob.untilTold('BROADCAST'));
    expect(bob.lines).toEqual(['BROADCAST from=ann bytes=4 file=/rx/1 preview=hers']);
  });

  test('reports what it cannot open and goes on', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    await ann.sendRaw('not sealed at all');
    await ann.sendRaw(await bob.seal({ text: 'sealed in the name of somebody else' }));
    await ann.say('fine');
    await listening([bob], () => bob.untilTold('BROADCAST'));
    expect(bob.lines.slice(0, 2)).toEqual(['DECRYPT_FAIL from=ann', 'DECRYPT_FAIL from=ann']);
    expect(bob.files).toEqual(['fine']);
  });

  test('drops a repeated message and says so', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    const blob = await ann.seal({ text: 'pay 10' });
    await ann.sendRaw(blob);
    await ann.sendRaw(blob);
    await listening([bob], () => bob.untilTold('REPLAYED'));
    expect(bob.lines).toEqual(['BROADCAST from=ann bytes=6 file=/rx/1 preview=pay 10', 'REPLAYED from=ann']);
  });

  test('reports messages that were held back', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    const chain = new SendChain();
    for (const text of ['one', 'two', 'three', 'four']) {
      const mark = chain.next(clock.now());
      const blob = await ann.seal({ text, ...mark });
      await chain.sent(mark, blob);
      if (text === 'one' || text === 'four') await ann.sendRaw(blob);
    }
    await listening([bob], () => bob.untilTold('BROADCAST from=ann bytes=4'));
    expect(bob.lines[1]).toBe('GAP from=ann missing=2');
    expect(bob.files).toEqual(['one', 'four']);
  });

  test('what it sends itself carries an unbroken sequence', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    for (let n = 0; n < 5; n++) await ann.say(`m${n}`);
    await listening([bob], () => bob.untilTold('BROADCAST from=ann bytes=2 file=/rx/5'));
    expect(bob.lines.filter((line) => !line.startsWith('BROADCAST'))).toEqual([]);
  });

  test('a message that only just fits is sent without its number', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    const largest = 'x'.repeat(49_124 - '{"text":""}'.length);
    await ann.say('one');
    await ann.say(largest);
    await ann.say('two');
    await listening([bob], () => bob.untilTold('BROADCAST from=ann bytes=3 file=/rx/3'));
    expect(bob.files).toEqual(['one', largest, 'two']);
    expect(bob.lines.filter((line) => line.startsWith('GAP'))).toEqual([]);
  });

  test('reads more than one page', async () => {
    const [ann, bob] = [await Member.join(room, 'ann'), await Member.join(room, 'bob')];
    const blob = await ann.seal({ text: 'x' });
    for (let n = 0; n < 600; n++) await ann.sendRaw(blob);
    await ann.say('end');
    await listening([bob], () => bob.untilTold('BROADCAST from=ann bytes=3'));
    expect(bob.lines.filter((line) => line.startsWith('REPLAYED'))).toHaveLength(599);
    expect(bob.cursors[0]).toBe(500);
    expect(bob.cursors.at(-1)).toBe(603);
  });
});

describe('channel listener › handshake', () => {
  test('both sides prove that they hold the key', async () => {
    const host = await Member.join(room, 'host');
    const guest = await Member.join(room, 'guest');
    const hosting = host.listen();
    const visiting = guest.listen({ challenge: '00ff00ff00ff00ff' });
    await guest.untilTold('PAIRED');
    await host.untilTold('WELCOMED');
    host.listener?.stop();
    guest.listener?.stop();
    await Promise.all([hosting, visiting]);
    expect(host.lines).toEqual(['WELCOMED guest']);
    expect(guest.lines).toEqual(['PAIRED with host']);
  });

  test('a repeated hello is answered once', async () => {
    const [host, guest] = [await Member.join(room, 'host'), await Member.join(room, 'guest')];
    for (const challenge of ['aa', 'aa', 'bb']) await guest.send({ hello: challenge });
    await guest.say('end');
    await listening([host], () => host.untilTold('BROADCAST'));
    expect(host.lines.filter((line) => line === 'WELCOMED guest')).toHaveLength(2);
  });

  test('a welcome for somebody else or for another challenge pairs nobody', async () => {
    const [host, guest] = [await Member.join(room, 'host'), await Member.join(room, 'guest')];
    await host.send({ welcome: 'aa', to: 'eve' });
    await host.send({ welcome: 'bb', to: 'guest' });
    await host.say('end');
    const run = guest.listen({ challenge: 'aa' });
    await guest.untilTold('BROADCAST');
    guest.listener?.stop();
    await run;
    expect(guest.lines).toHaveLength(1);
  });

  test('a person is announced as one, and again when they come back', async () => {
    const [host, person] = [await Member.join(room, 'host'), await Member.join(room, 'Ann')];
    await person.send({ hello: 'aa', human: true });
    await person.send({ hello: 'bb', human: true, resumed: true });
    await listening([host], () => host.untilTold('HUMAN_JOINED name=Ann resumed=1'));
    expect(host.lines).toEqual(['HUMAN_JOINED name=Ann resumed=0', 'HUMAN_JOINED name=Ann resumed=1']);
  });

  test('ends when its first hello is refused', async () => {
    const guest = await Member.join(room, 'guest');
    await guest.leave();
    expect(await guest.listen({ challenge: 'aa' })).toMatchObject({ kind: 'hello_failed' });
    expect(guest.lines).toEqual(['SYSTEM hello_send_failed rc=1']);
  });
});

async function hostAndPerson(): Promise<{ host: Member; ann: Member }> {
  const [host, ann] = [await Member.join(room, 'host'), await Member.join(room, 'Ann')];
  await ann.send({ hello: 'aa', human: true });
  return { host, ann };
}

/** Until the listener waits in a poll and has nothing left to do. */
const idle = () => raw.parked(1);

describe('channel listener › people', () => {
  test('a burst is one line and one file', async () => {
    const { host, ann } = await hostAndPerson();
    await listening([host], async () => {
      await host.untilTold('HUMAN_JOINED');
      for (const text of ['one', 'two', 'three']) await ann.say(text);
      await idle();
      await clock.advance(2_900);
      expect(host.lines).toHaveLength(1);
      await clock.advance(200);
      await host.untilTold('BROADCAST');
    });
    expect(host.lines[1]).toBe(
      'BROADCAST from=Ann human=1 msgs=3 bytes=15 file=/rx/1 preview=one  two  three',
    );
    expect(host.files).toEqual(['one\n\ntwo\n\nthree']);
  });

  test('a leave prints the burst first', async () => {
    const { host, ann } = await hostAndPerson();
    await ann.say('bye');
    await ann.leave();
    await listening([host], () => host.untilTold('PEER_LEFT'));
    expect(host.lines.filter((line) => !line.startsWith('HUMAN'))).toEqual([
      'BROADCAST from=Ann human=1 msgs=1 bytes=3 file=/rx/1 preview=bye',
      'PEER_LEFT name=Ann human=1',
    ]);
  });

  test('another person speaking ends the hold, an agent speaking does not', async () => {
    const { host, ann } = await hostAndPerson();
    const ben = await Member.join(room, 'Ben');
    const agent = await Member.join(room, 'agent');
    await ben.send({ hello: 'bb', human: true });
    await ann.say('from ann');
    await agent.say('from agent');
    await ben.say('from ben');
    await listening([host], () => host.untilTold('BROADCAST from=Ann'));
    const spoken = host.lines
      .filter((line) => line.startsWith('BROADCAST'))
      .map((line) => line.split(' ')[1]);
    expect(spoken).toEqual(['from=agent', 'from=Ann', 'from=Ben']);
  });

  test('a poll that ends empty ends the hold', async () => {
    const { host, ann } = await hostAndPerson();
    await ann.say('hi');
    const run = host.listen({ coalesceSeconds: 100, coalesceMaxSeconds: 100 });
    await host.untilTold('HUMAN_JOINED');
    await idle();
    await clock.advance(51_000);
    await host.untilTold('BROADCAST from=Ann human=1 msgs=1');
    host.listener?.stop();
    await run;
  });

  test('without coalescing each message is its own line', async () => {
    const { host, ann } = await hostAndPerson();
    await ann.say('one');
    await ann.say('two');
    const run = host.listen({ coalesceSeconds: 0 });
    await host.untilTold('BROADCAST from=Ann human=1 msgs=1 bytes=3 file=/rx/2');
    host.listener?.stop();
    await run;
  });
});

describe('channel listener › presence and keys', () => {
  test('tells who left, who went quiet and who came back', async () => {
    const [host, guest] = [await Member.join(room, 'host'), await Member.join(room, 'guest')];
    await listening([host], async () => {
      await raw.parked(1);
      for (let step = 0; step < 5; step++) {
        await clock.advance(51_000);
        await raw.parked(1);
      }
      await host.untilTold('PEER_STALE name=guest unseen=');
      await guest.say('back');
      await host.untilTold('PEER_BACK name=guest');
      await guest.leave();
      await host.untilTold('PEER_LEFT name=guest');
    });
    expect(host.lines.filter((line) => line.startsWith('PEER_STALE'))).toHaveLength(1);
  });

  test('checks the keys of later arrivals, once per name, and not of those who were there', async () => {
    await Member.join(room, 'early', { key: newKey() });
    const host = await Member.join(room, 'host');
    await Member.join(room, 'same');
    await Member.join(room, 'other', { key: newKey() });
    await Member.join(room, 'silent', { keyFp: null });
    await listening([host], async () => {
      await host.untilTold('KEY_UNVERIFIED');
      await raw.parked(1);
      await clock.advance(51_000);
      await raw.parked(1);
    });
    expect(host.lines).toEqual(['KEY_MISMATCH name=other', 'KEY_UNVERIFIED name=silent']);
  });
});
