import { EventEmitter, once } from 'node:events';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NodeTransport } from '../node-transport.ts';
import { StreamFeed } from './stream-feed.ts';
import { answer } from '../testing/flaky-transport.ts';
import { Member, newRoom, type Room } from '../testing/member.ts';
import {
  type HttpAnswer,
  type HttpRequest,
  type HttpStream,
  type Transport,
  TransportError,
} from '../transport.ts';

const clock = new FakeClock();
let server: TestServer;
let room: Room;

beforeAll(async () => {
  server = await startServer({ clock, rateLimits: false });
});
afterAll(() => server.close());
beforeEach(async () => {
  room = await newRoom(server.url, clock);
});

/** Counts polls and streams; what `instead` gives is answered in place of a stream. */
class WatchedTransport implements Transport {
  readonly #real: NodeTransport;
  readonly instead: ((request: HttpRequest) => HttpStream)[] = [];
  polls = 0;
  streams = 0;

  constructor(url: string) {
    this.#real = new NodeTransport(url);
  }

  request(request: HttpRequest): Promise<HttpAnswer> {
    if (request.path.includes('/poll?')) this.polls++;
    return this.#real.request(request);
  }

  async stream(request: HttpRequest): Promise<HttpStream> {
    this.streams++;
    return this.instead.shift()?.(request) ?? this.#real.stream(request);
  }
}

async function* silence(): AsyncGenerator<string> {}

async function* untilAborted(signal: AbortSignal | undefined, began: () => void): AsyncGenerator<string> {
  began();
  yield await new Promise<string>((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new TransportError('aborted')));
  });
}

const missing = (): HttpStream => ({ ...answer(404, '<h1>Not Found</h1>')(), chunks: silence() });

async function streaming(instead: WatchedTransport['instead'] = []) {
  const transport = new WatchedTransport(server.url);
  transport.instead.push(...instead);
  const bob = await Member.join(room, 'bob', { transport });
  const { client, seat } = bob.link;
  const run = bob.listen({ feed: new StreamFeed(client, seat.identity, clock) });
  const stop = async (): Promise<void> => {
    bob.listener?.stop();
    await run;
  };
  return { transport, bob, stop, run };
}

describe('channel stream', () => {
  test('hears through one stream and no poll', async () => {
    const ann = await Member.join(room, 'ann');
    await ann.say('before');
    const { transport, bob, stop } = await streaming();
    await bob.untilTold('BROADCAST from=ann bytes=6');
    await ann.say('now');
    await bob.untilTold('BROADCAST from=ann bytes=3');
    await stop();
    expect([transport.streams, transport.polls]).toEqual([1, 0]);
    expect(bob.files).toEqual(['before', 'now']);
  });

  test('falls back to polling where there is no stream', async () => {
    const ann = await Member.join(room, 'ann');
    const { transport, bob, stop } = await streaming([missing]);
    await ann.say('heard');
    await bob.untilTold('BROADCAST');
    await stop();
    expect(transport.streams).toBe(1);
    expect(transport.polls).toBeGreaterThan(0);
  });

  test('connects again where it was, without repeating or losing anything', async () => {
    const ann = await Member.join(room, 'ann');
    const first = { type: 'join', from: 'ann', index: 0, timestamp: 0 };
    async function* cut(): AsyncGenerator<string> {
      yield `id: 0\ndata: ${JSON.stringify(first)}\n\nid: 1\ndata: {"ty`;
    }
    const headers = { 'content-type': 'text/event-stream' };
    await ann.say('one');
    const { transport, bob, stop } = await streaming([
      () => ({ ...answer(200, '', headers)(), chunks: cut() }),
    ]);
    await bob.untilTold('BROADCAST');
    await stop();
    expect(transport.streams).toBe(2);
    expect(bob.files).toEqual(['one']);
  });

  test('pauses before it connects again to a server that hangs up at once', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    const hangUp = () => ({ ...answer(200, '', headers)(), chunks: silence() });
    const { transport, bob, stop } = await streaming([hangUp, hangUp]);
    const ann = await Member.join(room, 'ann');
    await bob.waits(1);
    expect(transport.streams).toBe(1);
    await clock.advance(2_000);
    await bob.waits(2);
    expect(transport.streams).toBe(2);
    await clock.advance(4_000);
    await ann.say('there you are');
    await bob.untilTold('BROADCAST');
    await stop();
  });

  test('ends with the reason when the channel ends', async () => {
    const { bob, run } = await streaming();
    await bob.leave();
    expect(await run).toMatchObject({ kind: 'gone', reason: 'evicted_empty' });
  });

  test('takes a stream without a sign of life for dead', async () => {
    const events = new EventEmitter();
    const reading = once(events, 'reading');
    const headers = { 'content-type': 'text/event-stream' };
    const { transport, bob, stop } = await streaming([
      ({ signal }) => ({
        ...answer(200, '', headers)(),
        chunks: untilAborted(signal, () => events.emit('reading')),
      }),
    ]);
    await reading;
    await clock.advance(55_000);
    await bob.waits(1);
    await clock.advance(2_000);
    await (await Member.join(room, 'ann')).say('alive');
    await bob.untilTold('BROADCAST');
    expect(transport.streams).toBe(2);
    await stop();
  });
});
