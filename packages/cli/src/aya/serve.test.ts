import { writeFileSync } from 'node:fs';
import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { reply } from '../bridge/testing/fake-runtime.ts';
import { ServedAgent } from './testing/served-agent.ts';

describe('aya serve', () => {
  let server: TestServer;
  let client: RoomClient;
  let a: ServedAgent;
  let b: ServedAgent;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    client = new RoomClient(server);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    a = new ServedAgent(server.url);
    b = new ServedAgent(server.url);
  });
  afterEach(async () => {
    await Promise.all([a.close(), b.close()]);
  });

  test('two of them carry a room of six turns by wakes alone', async () => {
    const [ann, ben] = await Promise.all([client.agent(), client.agent()]);
    await Promise.all([a.setUp(ann), b.setUp(ben)]);
    for (const { runtime } of [a, b]) {
      runtime.work = async (wake) => {
        expect(await reply(wake, `turn ${wake.next_turn}`)).toBe(201);
        return 202;
      };
    }
    await Promise.all([a.serve(), b.serve()]);
    const listing = await ann.list({ topic: 'six turns', max_turns: 6 });
    await ben.connect(listing.id);
    await expect.poll(async () => (await ann.state(listing.room_id)).state).toBe('CLOSED');
    const { body: transcript } = await client.transcript(listing.room_id, listing.human_code);
    expect(transcript.messages.map(({ sender_id: sender, ciphertext }) => [sender, ciphertext])).toEqual(
      Array.from({ length: 6 }, (_, turn) => [(turn % 2 === 0 ? ann : ben).id, `turn ${turn}`]),
    );
    for (const agent of [a, b]) {
      await expect.poll(() => agent.files('tokens')).toEqual([]);
      expect(agent.files('wake-queue')).toEqual([]);
      expect(agent.runtime.wakes).toHaveLength(3);
      expect(new Set(agent.runtime.wakes.map(({ contract }) => contract))).toEqual(new Set(['aya.wake.v1']));
      expect(agent.read('state.json')['last_acknowledged_delivery_id']).toMatch(/^dly_/);
    }
    expect(await Promise.all([a.stop('SIGTERM'), b.stop('SIGINT')])).toEqual([0, 0]);
  });

  test('what happened while it was down is delivered when it is back, also with a cursor that is lost', async () => {
    const [ann, ben] = await Promise.all([client.agent(), client.agent()]);
    await a.setUp(ann);
    const connected = async (topic: string): Promise<string> => {
      const listing = await ann.list({ topic });
      await ben.connect(listing.id);
      return listing.room_id;
    };
    const first = await connected('while down');
    await a.serve();
    await a.runtime.sink.count(1);
    await expect.poll(() => a.files('wake-queue')).toEqual([]);
    expect(await a.stop()).toBe(0);
    expect(a.read('state.json')['last_stream_status']).toBe('disconnected');

    const gone = await connected('closed before it is back');
    await ben.close(gone);
    const second = await connected('and another');
    await a.serve();
    await a.runtime.sink.count(2);
    expect(a.runtime.wakes.map(({ room_id: room }) => room)).toEqual([first, second]);
    await a.stop();

    const third = await connected('with a lost cursor');
    a.write('state.json', { ...a.read('state.json'), last_acknowledged_delivery_id: 'dly_bogus' });
    await a.serve();
    await a.runtime.sink.count(3);
    expect(a.runtime.wakes[2]).toMatchObject({ room_id: third, reason: 'replay_recovery' });
  });

  test('a home has one server, also after one was killed', async () => {
    await a.setUp(await client.agent());
    await a.serve();
    const second = await a.terminal.run(['serve']);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/process \d+ serves this home already/);
    expect(JSON.parse((await a.terminal.run(['status'])).stdout)).toMatchObject({ serving: true });
    await a.stop('SIGKILL');
    expect(JSON.parse((await a.terminal.run(['status'])).stdout)).toMatchObject({ serving: false });
    await a.serve();
    expect(await a.stop()).toBe(0);
  });

  test('a stop does not wait for a hook that hangs, and its wake stays', async () => {
    const room = await client.room();
    await a.setUp(room.a);
    a.runtime.work = () => 'never';
    const bridge = await a.serve();
    await a.runtime.sink.count(1);
    expect(await a.stop()).toBe(0);
    // Had it waited, the call would have failed in the end.
    expect(bridge.toldSoFar()).not.toContain('wake.failed');
    expect(a.files('wake-queue')).toHaveLength(1);
  });

  test('--once hands over what waits and ends; without a stream it ends with 4', async () => {
    const room = await client.room();
    await a.setUp(room.a);
    const { code, stdout } = await a.terminal.run(['serve', '--once']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, serving: true });
    expect(a.runtime.wakes).toHaveLength(1);
    expect(a.files('wake-queue')).toEqual([]);
    const config = a.read('config.json') as { aya: object };
    a.write('config.json', { ...config, aya: { ...config.aya, api_base_url: 'http://127.0.0.1:1' } });
    expect((await a.terminal.run(['serve', '--once'])).code).toBe(4);
  });

  test('a key that was revoked ends it with 3', async () => {
    const ann = await client.agent();
    await a.setUp(ann);
    a.write('session.json', { ...a.read('session.json'), session_token: 'as_old', api_key: 'ak_revoked' });
    const { code, stderr } = await a.terminal.run(['serve']);
    expect(code).toBe(3);
    expect(stderr).toContain('aya login');
  });

  test('a wake asked for by hand goes through the bridge that serves', async () => {
    const room = await client.room();
    await a.setUp(room.a);
    await a.serve('--json-logs');
    await a.runtime.sink.count(1);
    await expect.poll(() => a.files('wake-queue')).toEqual([]);
    const { stdout } = await a.terminal.run(['wake', '--room', room.id]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, queued: true });
    await a.runtime.sink.count(2);
    expect(a.runtime.wakes[1]).toMatchObject({ reason: 'manual' });
  });

  test('a file that is no wake does not keep the others from being handed over', async () => {
    const room = await client.room();
    await a.setUp(room.a);
    writeFileSync(a.path('wake-queue', 'dly_broken.json'), '{');
    const bridge = await a.serve();
    await a.runtime.sink.count(1);
    expect(bridge.toldSoFar()).toContain('queue.broken');
  });
});
