import {
  createAnswerSchema,
  errorAnswerSchema,
  joinAnswerSchema,
  pollAnswerSchema,
  sendAnswerSchema,
} from '@parley/protocol/channels/wire';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChannelError } from './channel-error.ts';
import { ChannelClient } from './client.ts';
import { NodeTransport } from './node-transport.ts';

describe('channel client', () => {
  const clock = new FakeClock();
  let server: TestServer;
  let client: ChannelClient;

  beforeAll(async () => {
    server = await startServer({ clock, rlChannelsPerHour: 4, chPollTimeoutMs: 0 });
    client = new ChannelClient(new NodeTransport(server.url));
  });
  afterAll(() => server.close());

  test('makes the five calls, and every answer is as the schemas say', async () => {
    const created = await client.create();
    expect(createAnswerSchema.parse(created)).toEqual(created);
    const { channel_id: id, token } = created;
    const joined = await client.join(id, { token, name: 'ann', key_fp: 'd4b94cdbd1dd54a6' });
    expect(joinAnswerSchema.parse(joined)).toEqual(joined);
    const who = { token, participant_id: joined.participant_id };
    const sent = await client.send(id, { ...who, text: 'blob', client_id: 'a' });
    expect(sendAnswerSchema.parse(sent)).toEqual({ ok: true, index: 1 });
    expect(await client.send(id, { ...who, text: 'blob', client_id: 'a' })).toMatchObject({
      duplicate: true,
    });
    const page = await client.poll(id, { ...who, since: 0 });
    expect(pollAnswerSchema.parse(page)).toEqual(page);
    expect(page).toMatchObject({
      cursor: 2,
      messages: [{ type: 'join' }, { type: 'message', text: 'blob' }],
    });
    await client.leave(id, who);
    await expect(client.poll(id, { ...who, since: 0 })).rejects.toMatchObject({
      status: 404,
      code: 'channel_or_token_invalid',
      evictedReason: 'evicted_empty',
      evictedSecondsAgo: 0,
      gone: true,
    });
  });

  test('a poll that found nothing says where the log ends, when that is before us', async () => {
    const { channel_id: id, token } = await client.create();
    const { participant_id } = await client.join(id, { token, name: 'ann' });
    const empty = (since: number, roster: boolean) =>
      client.poll(id, { token, participant_id, since, roster });
    expect(await empty(1, false)).toEqual({ messages: [], cursor: 1 });
    expect(await empty(999, false)).toEqual({ messages: [], cursor: 1 });
    expect(await empty(999, true)).toMatchObject({ messages: [], cursor: 1, roster: [{ name: 'ann' }] });
  });

  test('tells how long to wait', async () => {
    const error = await (async () => {
      for (let calls = 0; calls < 1_000; calls += 1) await client.create();
    })().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ChannelError);
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', retryable: true, gone: false });
    expect(error).toMatchObject({ retryAfterSeconds: 900 });
  });

  test('takes an answer that is not of this protocol for trouble that may pass', async () => {
    const page = new ChannelClient({
      request: async () => ({ status: 200, body: '<html>log in first</html>', header: () => undefined }),
      stream: async () => Promise.reject(new Error('not used')),
    });
    await expect(page.create()).rejects.toMatchObject({ status: 502, retryable: true });
    const bare = new ChannelError(503, {});
    expect(bare).toMatchObject({ code: 'http_503', retryable: true });
    expect(errorAnswerSchema.safeParse({ error: bare.code }).success).toBe(true);
  });
});
