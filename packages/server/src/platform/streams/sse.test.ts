import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { TimerWheel } from '../timer-wheel.ts';
import { StreamHub } from './hub.ts';
import { SseFace, type SseOptions } from './sse.ts';
import { framedOnce, sseFrame } from './sse-frame.ts';
import { SseStream } from './sse-stream.ts';
import type { StreamEvent } from './stream-event.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(handler: (response: ServerResponse) => void): Promise<number> {
  const server: Server = createServer((_request, response) => handler(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

interface Reader {
  response: IncomingMessage;
  text(): string;
  ended: boolean;
}

async function connect(port: number): Promise<Reader> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', reject);
  });
  response.on('error', () => {});
  let text = '';
  const reader: Reader = { response, text: () => text, ended: false };
  response.on('data', (chunk: Buffer) => (text += chunk.toString()));
  response.on('close', () => (reader.ended = true));
  return reader;
}

interface Note extends StreamEvent {
  readonly data: string;
}

/** A stream server on a log in memory. */
async function setUp(options: Partial<SseOptions> = {}) {
  const clock = new FakeClock();
  const wheel = new TimerWheel(clock);
  const errors: unknown[] = [];
  cleanups.push(async () => expect(errors).toEqual([]));
  const hub = new StreamHub<Note>({ wheel, pageSize: 10, onError: (error) => errors.push(error) });
  const face = new SseFace({ wheel, ...options });
  const log: Note[] = [];
  const source = {
    read: async (after: number, limit: number) => log.filter(({ seq }) => seq > after).slice(0, limit),
  };
  let framed = 0;
  const frame = framedOnce(({ seq, data }: Note) => {
    framed += 1;
    return sseFrame({ id: seq, event: 'note', data });
  });
  const closed: string[] = [];
  const after = { cursor: 0 };
  const port = await serve((response) => {
    void new SseStream(face, response, {
      follows: { hub, topic: 't', after: after.cursor, source },
      frame,
      onClosed: (reason, cursor) => closed.push(`${reason} at ${cursor}`),
    });
  });
  const append = (data: string): void => {
    const prev = log.at(-1)?.seq ?? 0;
    const note = { seq: prev + 1, prev, data };
    log.push(note);
    hub.publish('t', note);
  };
  return { clock, wheel, hub, face, port, append, closed, after, framed: () => framed };
}

describe('SSE › frames', () => {
  test('writes id, event and data, in this order, with LF only', () => {
    expect(sseFrame({ id: 128, event: 'message.created', data: '{"a":1}' })).toBe(
      'id: 128\nevent: message.created\ndata: {"a":1}\n\n',
    );
    expect(sseFrame({ event: 'stream.hello', data: '{}' })).toBe('event: stream.hello\ndata: {}\n\n');
    expect(sseFrame({ data: '{}' })).toBe('data: {}\n\n');
  });

  test.each([
    { id: 'a\nevent: x', data: '{}' },
    { id: 'a\0', data: '{}' },
    { event: 'a\nb', data: '{}' },
    { event: 'two words', data: '{}' },
    { event: '', data: '{}' },
    { data: 'a\nid: 9' },
    { data: 'a\rid: 9' },
  ])('refuses what would forge a field: %j', (frame) => {
    expect(() => sseFrame(frame)).toThrow(TypeError);
  });
});

describe('SSE › stream', () => {
  test('answers with the headers and the first bytes at once, before any event', async () => {
    const { port } = await setUp();
    const reader = await connect(port);
    expect(reader.response.statusCode).toBe(200);
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-cache, must-revalidate',
      'x-accel-buffering': 'no',
      connection: 'keep-alive',
    });
    await expect.poll(() => reader.text()).toBe('retry: 3000\n\n');
  });

  test('sends backlog, live events and keepalives byte by byte as specified', async () => {
    const { clock, port, append, after } = await setUp();
    append('{"n":1}');
    append('{"n":2}');
    after.cursor = 1;
    const reader = await connect(port);
    await expect.poll(() => reader.text()).toContain('"n":2');
    append('{"n":3}');
    await expect.poll(() => reader.text()).toContain('"n":3');
    await clock.advance(20_250);
    await expect.poll(() => reader.text()).toContain('keepalive');
    await clock.advance(20_000);
    await expect.poll(() => reader.text().endsWith('keepalive\n\n: keepalive\n\n')).toBe(true);
    expect(reader.text()).toBe(
      'retry: 3000\n\nid: 2\nevent: note\ndata: {"n":2}\n\nid: 3\nevent: note\ndata: {"n":3}\n\n: keepalive\n\n: keepalive\n\n',
    );
  });

  test('serialises an event once for fifty streams', async () => {
    const { port, append, hub, framed } = await setUp();
    const readers = await Promise.all(Array.from({ length: 50 }, () => connect(port)));
    await expect.poll(() => hub.subscribers).toBe(50);
    for (let i = 0; i < 4; i++) append(`{"n":${i}}`);
    await expect.poll(() => readers.every((reader) => reader.text().includes('"n":3'))).toBe(true);
    expect(framed()).toBe(4);
  });

  test('shares one wheel among all streams and leaves it when the client goes', async () => {
    const { port, wheel, hub, closed } = await setUp();
    const readers = await Promise.all(Array.from({ length: 5 }, () => connect(port)));
    await expect.poll(() => hub.subscribers).toBe(5);
    expect(wheel.size).toBe(5);
    for (const { response } of readers) response.destroy();
    await expect.poll(() => closed.length).toBe(5);
    expect(closed).toEqual(Array.from({ length: 5 }, () => 'gone at 0'));
    expect(hub.subscribers).toBe(0);
    expect(wheel.size).toBe(0);
  });

  test('ends with the hub, and tells how far it came', async () => {
    const { port, hub, append, closed } = await setUp();
    const reader = await connect(port);
    await expect.poll(() => hub.subscribers).toBe(1);
    append('{"last":true}');
    hub.close();
    await expect.poll(() => reader.ended).toBe(true);
    expect(reader.text()).toContain('{"last":true}');
    expect(closed).toEqual(['closing at 1']);
  });

  test('drops a client that does not read while it is live, and serves it again from its cursor', async () => {
    const { port, hub, append, closed, after } = await setUp();
    const slow = await connect(port);
    const quick = await connect(port);
    await expect.poll(() => hub.subscribers).toBe(2);
    slow.response.pause();
    const text = `"${'x'.repeat(100_000)}"`;
    let sent = 0;
    while (closed.length === 0) {
      append(text);
      sent += 1;
      const seen = sent;
      await expect.poll(() => quick.text()).toContain(`id: ${seen}\n`);
      if (sent > 1000) throw new Error('a reader that does not read was never dropped');
    }
    expect(closed[0]).toMatch(/^slow at \d+$/);
    slow.response.resume();
    await expect.poll(() => slow.ended).toBe(true);
    const ids = [...slow.text().matchAll(/id: (\d+)\nevent: note\ndata: "x+"\n\n/g)].map(([, id]) =>
      Number(id),
    );
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => i + 1));
    after.cursor = ids.length;
    const again = await connect(port);
    await expect.poll(() => again.text()).toContain(`id: ${sent}\n`);
    expect(again.text()).not.toContain(`id: ${after.cursor}\n`);
    expect(again.text()).toContain(`id: ${after.cursor + 1}\n`);
  });

  test('drops a client that stopped reading its backlog', async () => {
    const { port, hub, append, closed, clock, framed } = await setUp({ stallMs: 60_000 });
    for (let i = 0; i < 300; i++) append(`"${'x'.repeat(100_000)}"`);
    const reader = await connect(port);
    await expect.poll(() => hub.subscribers).toBe(1);
    reader.response.pause();
    // What the network between takes on its own begins the minute anew.
    let [taken, since] = [framed(), clock.now()];
    for (let second = 0; second < 600 && closed.length === 0; second++) {
      await clock.advance(1_000);
      if (framed() > taken) [taken, since] = [framed(), clock.now()];
    }
    expect(closed[0]).toMatch(/^slow at \d+$/);
    expect(clock.now() - since).toBeGreaterThanOrEqual(59_000);
    // It is looked at with every keepalive.
    expect(clock.now() - since).toBeLessThanOrEqual(82_000);
    expect(hub.subscribers).toBe(0);
  });

  test('drops a client when more waits unsent than allowed', async () => {
    const wheel = new TimerWheel(new FakeClock());
    const face = new SseFace({ wheel, maxUnsentBytes: 300_000 });
    const reasons: string[] = [];
    let pour: (() => void) | undefined;
    const port = await serve((response) => {
      const connection = face.open(response, { closed: (reason) => reasons.push(reason) });
      pour = () => {
        for (let i = 0; i < 100; i++) connection.send(Buffer.alloc(100_000, 120));
      };
    });
    const reader = await connect(port);
    pour?.();
    await expect.poll(() => reader.ended).toBe(true);
    expect(reasons).toEqual(['slow']);
  });

  test('takes other first bytes, headers and intervals', async () => {
    const clock = new FakeClock();
    const wheel = new TimerWheel(clock);
    const face = new SseFace({ wheel, keepaliveMs: 5000 });
    const port = await serve((response) => {
      face.open(response, { closed: () => {} }, 'retry: 500\n\n', { 'X-Extra': 'yes' });
    });
    const reader = await connect(port);
    await expect.poll(() => reader.text()).toBe('retry: 500\n\n');
    expect(reader.response.headers['x-extra']).toBe('yes');
    await clock.advance(5250);
    await expect.poll(() => reader.text()).toBe('retry: 500\n\n: keepalive\n\n');
  });
});
