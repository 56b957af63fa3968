import { newKey, keyToFragment } from '@parley/protocol/channels/key';
import type { ChannelEvent } from '@parley/protocol/channels/event-lines';
import { ChannelClient as RawClient } from '@parley/server/testing/channel-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChannelError } from './channels/channel-error.ts';
import { FetchTransport } from './channels/fetch-transport.ts';
import { NodeTransport } from './channels/node-transport.ts';
import type { ChannelSession } from './channels/session.ts';
import { TransportError } from './channels/transport.ts';
import { channels, KeyMismatchError } from './channels.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ rateLimits: false });
});
afterAll(() => server.close());

async function pair(): Promise<{ ann: ChannelSession; bob: ChannelSession }> {
  const { session: ann } = await channels.create({ server: server.url, name: 'ann' });
  const bob = await channels.join(ann.joinUrl, { name: 'bob' });
  return { ann, bob };
}

/** Reads until an event of this type has come; gives back all that came. */
async function readUntil(
  session: ChannelSession,
  type: ChannelEvent['type'],
  count = 1,
): Promise<ChannelEvent[]> {
  const events: ChannelEvent[] = [];
  for await (const event of session.stream()) {
    events.push(event);
    if (event.type === type && --count === 0) break;
  }
  return events;
}

const texts = (events: ChannelEvent[]) =>
  events.flatMap((event) => (event.type === 'message' ? event.text : []));
const heard = (events: ChannelEvent[]) =>
  events.flatMap((event) => (event.type === 'message' ? [[event.kind, event.text]] : []));

describe('channels › create', () => {
  test('makes a channel, joins it and fills the key into what is shared', async () => {
    const created = await channels.create({ server: `${server.url}/`, name: 'ann' });
    const url = created.session.joinUrl;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/c\/[0-9a-f]{32}\?token=[0-9a-f]{48}#k=[\w-]{43}$/);
    for (const message of [created.shareMessage, created.shareMessageHuman]) {
      expect(message).toContain(url);
      expect(message).not.toContain('__KEY__');
    }
    expect(created.session.name).toBe('ann');
  });

  test('the join URL is the one under which others reach the server', async () => {
    const proxied = await startServer({ publicUrl: 'https://parley.example/base' });
    const { session, shareMessage } = await channels.create({ server: proxied.url, name: 'ann' });
    expect(session.joinUrl).toMatch(/^https:\/\/parley\.example\/base\/c\//);
    expect(shareMessage).toContain(session.joinUrl);
    const again = await channels.open(session.state());
    expect(again.joinUrl).toBe(session.joinUrl);
    await expect(again.send('to the server we know')).resolves.toMatchObject({ index: 1 });
    await proxied.close();
  });

  test.each(['', 'parley.example', 'ftp://parley.example', 'http://'])(
    'refuses the server %j',
    async (bad) => {
      await expect(channels.create({ server: bad, name: 'ann' })).rejects.toThrow('an http or https URL');
    },
  );
});

describe('channels › join', () => {
  test('greets, and both sides find each other', async () => {
    const { ann, bob } = await pair();
    const [annHeard, bobHeard] = await Promise.all([readUntil(ann, 'welcomed'), readUntil(bob, 'paired')]);
    expect(annHeard).toContainEqual({ type: 'welcomed', name: 'bob' });
    expect(bobHeard).toEqual([{ type: 'paired', name: 'ann' }]);
    expect(bob.keyCheck).toMatchObject({ verdict: 'verified', equal: ['ann'] });
  });

  test('takes a number behind a name that is taken', async () => {
    const { ann } = await pair();
    const second = await channels.join(ann.joinUrl, { name: 'Ann' });
    expect(second.name).toBe('Ann-1');
  });

  test('refuses to stay where nobody has the key of the URL', async () => {
    const { ann } = await pair();
    const wrong = ann.joinUrl.replace(/k=.*/, `k=${keyToFragment(newKey())}`);
    const refusal = await channels.join(wrong, { name: 'eve' }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(KeyMismatchError);
    expect(refusal).toMatchObject({ peers: ['ann', 'bob'] });
    expect((await ann.poll(0)).messages.slice(-2)).toMatchObject([
      { type: 'join', from: 'eve' },
      { type: 'leave', from: 'eve' },
    ]);
  });

  test('hears only what comes after it, unless it wants the history', async () => {
    const { ann, bob } = await pair();
    await ann.send('before');
    const late = await channels.join(ann.joinUrl, { name: 'late' });
    const reader = await channels.join(ann.joinUrl, { name: 'reader', history: true });
    await bob.send('after');
    expect(texts(await readUntil(late, 'message'))).toEqual(['after']);
    expect(texts(await readUntil(reader, 'message', 2))).toEqual(['before', 'after']);
  });

  test('comes back as the same participant after a crash', async () => {
    const { ann, bob } = await pair();
    const { participantId } = bob.state();
    const again = await channels.join(ann.joinUrl, { name: 'robert', resume: participantId });
    expect(again.state()).toMatchObject({ name: 'bob', participantId });
    await again.send('here again');
    expect((await readUntil(ann, 'message')).at(-1)).toMatchObject({ from: 'bob', text: 'here again' });
    const joins = (await ann.poll(0)).messages.filter((event) => event.type === 'join');
    expect(joins).toHaveLength(2);
  });

  test('says in typed errors why it failed', async () => {
    const { ann } = await pair();
    await expect(channels.join(ann.joinUrl, { name: 'a\nb' })).rejects.toMatchObject({
      code: 'invalid_name',
      status: 400,
    });
    const gone = ann.joinUrl.replace(/token=[0-9a-f]+/, 'token=00');
    await expect(channels.join(gone, { name: 'bob' })).rejects.toBeInstanceOf(ChannelError);
    await expect(channels.join(gone, { name: 'bob' })).rejects.toMatchObject({
      gone: true,
      retryable: false,
    });
    await expect(channels.create({ server: 'http://127.0.0.1:9', name: 'a' })).rejects.toMatchObject({
      failure: 'unreachable',
    });
  });
});

describe('channels › session', () => {
  test('says nothing rather than an empty text, which receivers drop', async () => {
    const { ann } = await pair();
    await expect(ann.send('')).rejects.toMatchObject({ code: 'empty_text' });
    await expect(ann.dm('bob', '')).rejects.toMatchObject({ code: 'empty_text' });
  });

  test('sends to all and to one', async () => {
    const { ann, bob } = await pair();
    const eve = await channels.join(ann.joinUrl, { name: 'eve' });
    expect(await ann.send('to all')).toMatchObject({ ok: true });
    await ann.dm('bob', 'to bob');
    await ann.send('end');
    expect(heard(await readUntil(bob, 'message', 3))).toEqual([
      ['broadcast', 'to all'],
      ['dm', 'to bob'],
      ['broadcast', 'end'],
    ]);
    expect(heard(await readUntil(eve, 'message', 2))).toEqual([
      ['broadcast', 'to all'],
      ['broadcast', 'end'],
    ]);
  });

  test('keeps what a reader did not take for the next one', async () => {
    const { ann, bob } = await pair();
    for (const text of ['one', 'two', 'three']) await ann.send(text);
    const read: string[] = [];
    for (let n = 0; n < 3; n++) read.push(...texts(await readUntil(bob, 'message')));
    expect(read).toEqual(['one', 'two', 'three']);
  });

  test('goes on from its kept state as the same participant', async () => {
    const { ann, bob } = await pair();
    await bob.send('first');
    const state = JSON.parse(JSON.stringify(bob.state()));
    const again = await channels.open(state, { transport: new NodeTransport(server.url) });
    await again.send('second');
    const events = await readUntil(ann, 'message', 2);
    expect(events.filter((event) => event.type === 'gap')).toEqual([]);
    expect(events.filter((event) => event.type === 'message')).toMatchObject([
      { from: 'bob', text: 'first' },
      { from: 'bob', text: 'second' },
    ]);
  });

  test('leaves once, and leaving twice is no error', async () => {
    const { ann, bob } = await pair();
    await bob.leave();
    await bob.leave();
    expect((await readUntil(ann, 'peer_left')).at(-1)).toEqual({
      type: 'peer_left',
      name: 'bob',
      human: false,
    });
    await ann.leave();
    await ann.leave();
  });

  test('the stream ends with the channel and says why', async () => {
    const { session } = await channels.create({ server: server.url, name: 'solo' });
    const reading = session.stream();
    const next = reading.next();
    await session.leave();
    expect(await next).toMatchObject({ value: { type: 'system' } });
    expect(await reading.next()).toMatchObject({
      done: true,
      value: { kind: 'gone', reason: 'evicted_empty' },
    });
  });

  test('sends in order and each once, however many at a time', async () => {
    const { ann, bob } = await pair();
    await Promise.all(Array.from({ length: 20 }, (_, n) => ann.send(`m${n}`)));
    const events = await readUntil(bob, 'message', 20);
    expect(texts(events)).toEqual(Array.from({ length: 20 }, (_, n) => `m${n}`));
    expect(events.some((event) => event.type === 'gap' || event.type === 'replayed')).toBe(false);
  });

  test('the server sees neither key nor text', async () => {
    const { ann, bob } = await pair();
    await ann.send('a very secret sentence');
    await readUntil(bob, 'message');
    const stored = JSON.stringify(await ann.poll(0)) + server.rawLog();
    expect(stored).not.toContain('secret sentence');
    expect(server.rawLog()).not.toContain(ann.state().token);
    expect(stored).not.toContain(ann.state().key);
  });
});

describe('channels › lost answers', () => {
  test('a send whose answer was lost is stored once', async () => {
    const { session: ann } = await channels.create({ server: server.url, name: 'ann' });
    const real = new FetchTransport(server.url);
    let lost = 0;
    const transport = {
      stream: real.stream.bind(real),
      async request(request: Parameters<typeof real.request>[0]) {
        const answer = await real.request(request);
        if (request.path.endsWith('/send') && JSON.parse(request.body ?? '').client_id && lost++ < 2) {
          throw new TransportError('timeout');
        }
        return answer;
      },
    };
    const bob = await channels.join(ann.joinUrl, { name: 'bob' });
    const flaky = await channels.open(bob.state(), { transport });
    expect(await flaky.send('once')).toMatchObject({ ok: true, duplicate: true });
    const messages = (await ann.poll(0)).messages.filter((event) => event.type === 'message');
    expect(messages).toHaveLength(2);
  });
});

describe.each([
  ['fetch', (url: string) => new FetchTransport(url)],
  ['node', (url: string) => new NodeTransport(url)],
])('channels › %s transport', (_name, transportTo) => {
  test('gives up after the time limit, and at once when told', async () => {
    const { ann } = await pair();
    const { channelId, token, participantId } = ann.state();
    const transport = transportTo(server.url);
    const path = `/channels/${channelId}/poll?token=${token}&participant_id=${participantId}&since=99`;
    await expect(transport.request({ method: 'GET', path, timeoutMs: 50 })).rejects.toMatchObject({
      failure: 'timeout',
    });
    const abort = new AbortController();
    const parked = transport.request({ method: 'GET', path, timeoutMs: 50_000, signal: abort.signal });
    await new RawClient(server).parked(1);
    abort.abort();
    await expect(parked).rejects.toMatchObject({ failure: 'aborted' });
    await new RawClient(server).parked(0);
  });

  test('reaches a server below a path prefix only there', async () => {
    const answer = await transportTo(`${server.url}/nowhere/`).request({
      method: 'POST',
      path: '/channels',
      timeoutMs: 5_000,
    });
    expect(answer.status).toBe(404);
    expect(answer.header('content-type')).toBeDefined();
  });
});
