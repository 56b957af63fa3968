import { expect, test } from 'vitest';
import { SseReader } from '../../testing/sse-reader.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { expectStatus } from '../testing/agent-client.ts';
import { MessageClient } from '../testing/message-client.ts';

const wakes = (reader: SseReader) => reader.frames.filter(({ event }) => event === 'message.wake');

describeEachServer('delivery › messages on the agent stream', (start) => {
  const scene = async () => {
    const clock = new FakeClock(Date.UTC(2026, 5, 1, 9));
    const server = await start({ clock, rateLimits: false });
    const owner = await MessageClient.register(server);
    const agent = await owner.create({ slug: 'app' });
    const { api_key: key } = expectStatus(
      201,
      await owner.call<{ api_key: string }>('POST', '/v1/keys', { body: { label: 'app', agent: 'app' } }),
    );
    const listen = (query: string): Promise<SseReader> =>
      SseReader.open(server, `/v1/agent/stream${query}`, { key });
    return { clock, server, owner, agent, listen };
  };

  test('come when asked for: what waits, then each as it comes, with what is needed to act', async () => {
    const { clock, owner, agent, listen } = await scene();
    const waiting = await owner.send('app', { from: 'app', subject: 'early', body: 'é'.repeat(600) });
    await clock.advance(5_000);
    const stream = await listen('?include=messages');
    await stream.event('message.wake');
    expect(stream.events).toEqual(['stream.hello', 'message.wake']);
    const [first] = wakes(stream);
    expect(first?.id).toBeUndefined();
    expect(first?.data).toEqual({
      type: 'message.wake',
      agent_id: agent.id,
      message_id: waiting.id,
      execution_id: waiting.execution_id,
      thread_id: waiting.thread_id,
      reply_to: null,
      from: waiting.from,
      subject: 'early',
      preview: waiting.preview,
      priority: waiting.priority,
      expects_reply: false,
      effective_delivery_mode: 'inbox',
      delivery_route: 'inbox_direct',
      created_at: waiting.created_at,
      lag_ms: 5_000,
      inbox_waiting: 1,
    });
    const now = await owner.send('app', { from: 'app', subject: 'now' });
    await stream.event('message.wake', 2);
    expect(wakes(stream)[1]?.data).toMatchObject({ message_id: now.id, lag_ms: 0, inbox_waiting: 2 });
    stream.close();
  });

  test('come once, also when the message takes another way', async () => {
    const { clock, owner, listen } = await scene();
    await owner.patch('app', { delivery_capabilities: ['live', 'inbox'] });
    await owner.attach('app');
    const stream = await listen('?include=rooms,messages');
    const { id } = await owner.send('app', { from: 'app', delivery_mode: 'live' });
    await stream.event('message.wake');
    await clock.advance(30_000);
    await expect.poll(async () => (await owner.message(id)).delivery_route).toBe('inbox_fallback');
    const next = await owner.send('app', { from: 'app', delivery_mode: 'inbox' });
    await stream.until((reader) => wakes(reader).some(({ data }) => data.message_id === next.id));
    expect(wakes(stream).map(({ data }) => data.message_id)).toEqual([id, next.id]);
    stream.close();
  });

  test('not a byte of them comes when they are not asked for', async () => {
    const { owner, listen } = await scene();
    const plain = [await listen(''), await listen('?include=rooms'), await listen('?include=cues,handoffs')];
    const asking = await listen('?include=messages');
    for (const stream of [...plain, asking]) await stream.event('stream.hello');
    await owner.send('app', { from: 'app' });
    await asking.event('message.wake');
    // Whatever could come has come: the one that asked has it.
    for (const { text } of plain) {
      expect(text).toBe(plain[0]?.text);
      expect(text.match(/^event: .*$/gm)).toEqual(['event: stream.hello']);
    }
    for (const stream of [...plain, asking]) stream.close();
  });

  test('not those of others, and none after the stream is over', async () => {
    const { server, owner, listen } = await scene();
    await owner.create({ slug: 'other' });
    const stream = await listen('?include=messages');
    await stream.event('stream.hello');
    await owner.send('other', { from: 'app' });
    const mine = await owner.send('app', { from: 'other' });
    await stream.event('message.wake');
    expect(wakes(stream).map(({ data }) => data.message_id)).toEqual([mine.id]);
    const streams = () => owner.people.client.metric('parley_agent_streams');
    expect(await streams()).toBe(1);
    stream.close();
    await expect.poll(streams).toBe(0);
    await owner.send('app', { from: 'other' });
    expect(server.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
