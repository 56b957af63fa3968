import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bridge } from './bridge.ts';
import { serve } from './serving.ts';
import { BridgeScene } from './testing/bridge-scene.ts';
import { ScriptedServer, turnReady } from './testing/scripted-server.ts';

const ROOM = 'room_Kx4pV9sQ2mTzB7aL';
const ACK = 'POST /v1/agent/stream/ack';

describe('bridge › a server in trouble', () => {
  let scene: BridgeScene;
  let server: ScriptedServer;
  let bridge: Bridge;

  const token = () => ({
    status: 201,
    body: { token: 'rat_1', expires_at: new Date(scene.clock.now() + 300_000).toISOString() },
  });
  const streams = (): number => server.count('GET /v1/agent/stream');
  /** Until there were that many connections; returns how long that took. */
  const connectionsCame = async (count: number): Promise<number> => {
    const start = scene.clock.now();
    await expect
      .poll(async () => {
        if (streams() < count) await scene.clock.advance(100);
        return streams();
      })
      .toBe(count);
    return scene.clock.now() - start;
  };

  beforeEach(async () => {
    scene = await new BridgeScene().open();
    server = await new ScriptedServer().listen();
    server.answers.set('POST /v1/rooms/*/access-token', token);
    bridge = scene.bridge('ak_scripted', { url: server.url });
  });
  afterEach(async () => {
    await scene.close();
    await server.close();
  });

  test.each([410, 404])('a room token refused with %i: acknowledged, and nobody is woken', async (status) => {
    server.answers.set('POST /v1/rooms/*/access-token', () => ({ status, body: { error: 'gone' } }));
    scene.serve(bridge);
    await expect.poll(() => server.streams).toHaveLength(1);
    server.say(turnReady('dly_1', ROOM, 0));
    await expect.poll(() => bridge.state.cursor).toBe('dly_1');
    expect(scene.files('wake-queue')).toEqual([]);
    expect(scene.runtime.calls).toEqual([]);
    expect(streams()).toBe(1);
  });

  test('a room token that is not ours to have: acknowledged', async () => {
    server.answers.set('POST /v1/rooms/*/access-token', () => ({ status: 403 }));
    scene.serve(bridge);
    await expect.poll(() => server.streams).toHaveLength(1);
    server.say(turnReady('dly_1', ROOM, 0));
    await expect.poll(() => bridge.state.cursor).toBe('dly_1');
    expect(scene.files('wake-queue')).toEqual([]);
  });

  test('no room token for now: not acknowledged, and the repeated delivery is taken', async () => {
    server.answers.set('POST /v1/rooms/*/access-token', () => ({
      status: 503,
      headers: { 'retry-after': '4' },
    }));
    scene.serve(bridge);
    await expect.poll(() => server.streams).toHaveLength(1);
    server.say(turnReady('dly_1', ROOM, 0));
    expect(await connectionsCame(2)).toBeGreaterThanOrEqual(4_000);
    expect(server.count(ACK)).toBe(0);
    server.answers.set('POST /v1/rooms/*/access-token', token);
    server.streams.at(-1)?.write(turnReady('dly_1', ROOM, 0));
    await expect.poll(() => bridge.state.cursor).toBe('dly_1');
    await scene.runtime.sink.count(1);
  });

  test('an acknowledgement that fails leaves the wake, and its repetition wakes nobody twice', async () => {
    server.answers.set(ACK, () => ({ status: 500 }));
    scene.serve(bridge);
    await expect.poll(() => server.streams).toHaveLength(1);
    server.say(turnReady('dly_1', ROOM, 0));
    await connectionsCame(2);
    expect(bridge.state.cursor).toBe('');
    await scene.runtime.sink.count(1);
    server.answers.set(ACK, () => ({ status: 200 }));
    server.streams.at(-1)?.write(turnReady('dly_1', ROOM, 0));
    await expect.poll(() => bridge.state.cursor).toBe('dly_1');
    await expect.poll(() => scene.files('wake-queue')).toEqual([]);
    await scene.clock.advance(60_000);
    expect(scene.runtime.calls).toHaveLength(1);
  });

  test('an acknowledgement of what the server does not know counts, and is no cursor', async () => {
    server.answers.set(ACK, () => ({ status: 404 }));
    scene.serve(bridge);
    await expect.poll(() => server.streams).toHaveLength(1);
    server.say(turnReady('dly_1', ROOM, 0));
    await scene.runtime.sink.count(1);
    expect(bridge.state.cursor).toBe('');
    expect(streams()).toBe(1);
  });

  test('frames with returns, comments, several lines of data and names nobody knows are read', async () => {
    scene.serve(bridge);
    await expect.poll(() => server.streams).toHaveLength(1);
    const lines = JSON.stringify({ room_id: ROOM, next_turn: 0, next_actor_id: 'agt_x' }, null, 1).split(
      '\n',
    );
    const data = lines.map((line) => `data: ${line}\r\n`).join('');
    server.say(
      `: hello\r\n\r\nevent: news\r\ndata: {}\r\n\r\nid: dly_7\r\nevent: room.turn_ready\r\n${data}\r\n`,
    );
    await expect.poll(() => bridge.state.cursor).toBe('dly_7');
    await scene.runtime.sink.count(1);
    expect(scene.runtime.wakes[0]).toMatchObject({ delivery_id: 'dly_7', room_id: ROOM, next_turn: 0 });
  });

  test.each([
    ['no room', { room_id: undefined }],
    ['an id that is no file name', { room_id: '../../etc/passwd' }],
    ['a delivery that is no file name', { delivery_id: '../x' }],
  ])('a delivery with %s is passed over', async (_what, more) => {
    scene.serve(bridge);
    await expect.poll(() => server.streams).toHaveLength(1);
    server.say(turnReady('dly_1', ROOM, 0, more) + turnReady('dly_2', ROOM, 2));
    await expect.poll(() => bridge.state.cursor).toBe('dly_2');
    expect(server.count(ACK)).toBe(1);
  });

  test('a stream that says nothing for a minute is given up', async () => {
    scene.serve(bridge);
    await expect.poll(() => server.streams).toHaveLength(1);
    await expect.poll(() => bridge.session.agentId).toBe('agt_scripted');
    await scene.clock.advance(59_000);
    server.say(server.greeting);
    await expect.poll(() => scene.log.join('').match(/stream\.connected/g)).toHaveLength(2);
    await scene.clock.advance(59_000);
    expect(streams()).toBe(1);
    await scene.clock.advance(1_000);
    await connectionsCame(2);
    expect(scene.log.join('')).toContain('stream.silent');
  });

  test('a server that accepts and drops is asked less and less often', async () => {
    server.answers.set('GET /v1/agent/stream', () => 'drop');
    scene.serve(bridge);
    await connectionsCame(1);
    for (const wait of [1_000, 2_000, 4_000, 8_000, 10_000]) {
      const took = await connectionsCame(streams() + 1);
      expect(took).toBeGreaterThanOrEqual(wait - 200);
      expect(took).toBeLessThanOrEqual(wait + 400);
    }
    server.answers.delete('GET /v1/agent/stream');
    await connectionsCame(streams() + 1);
    await expect.poll(() => server.streams).toHaveLength(1);
    server.say(turnReady('dly_1', ROOM, 0));
    await expect.poll(() => bridge.state.cursor).toBe('dly_1');
    // It was good for something: back to the first step.
    server.streams[0]?.destroy();
    expect(await connectionsCame(streams() + 1)).toBeLessThanOrEqual(1_500);
    expect(server.asked.at(-1)?.query.get('last_delivery_id')).toBe('dly_1');
  });

  test.each([
    ['25', 25_000],
    ['Mon, 01 Jun 2026 09:00:40 GMT', 30_000],
  ])('a server that asks to be left alone (%s) is', async (wish, wait) => {
    const headers = { 'retry-after': wish, date: 'Mon, 01 Jun 2026 09:00:10 GMT' };
    server.answers.set('GET /v1/agent/stream', () => ({ status: 503, headers }));
    scene.serve(bridge);
    await expect.poll(() => scene.log.join('')).toContain('stream.waiting');
    const took = await connectionsCame(2);
    expect(took).toBeGreaterThanOrEqual(wait - 200);
    expect(took).toBeLessThanOrEqual(wait + 400);
  });

  test('the pause the stream asks for is kept', async () => {
    server.greeting = `retry: 7000\n\n${server.greeting}`;
    scene.serve(bridge);
    await expect.poll(() => bridge.session.agentId).toBe('agt_scripted');
    server.streams[0]?.end();
    expect(await connectionsCame(2)).toBeGreaterThanOrEqual(6_800);
  });

  test('recovery that fails keeps the cursor, and is tried again', async () => {
    bridge.state.acknowledged('dly_old');
    server.greeting = server.greeting.replace('fresh', 'replay_required');
    server.answers.set('GET /v1/agent/actionable-rooms', () => ({ status: 502 }));
    scene.serve(bridge);
    await connectionsCame(2);
    expect(bridge.state.cursor).toBe('dly_old');
    const waiting = { room_id: ROOM, next_turn: 4, next_actor_id: 'agt_scripted', room_token: 'rat_2' };
    server.answers.set('GET /v1/agent/actionable-rooms', () => ({
      status: 200,
      body: { actionable: [waiting, { room_id: 7 }], terminal: [{ room_id: 'room_over' }] },
    }));
    await expect
      .poll(async () => {
        if (scene.runtime.calls.length === 0) await scene.clock.advance(100);
        return scene.runtime.wakes;
      })
      .toMatchObject([{ delivery_id: `recovery-${ROOM}-4`, next_turn: 4, reason: 'replay_recovery' }]);
    expect(bridge.state.cursor).toBe('');
    await connectionsCame(streams() + 1);
    expect(server.asked.findLast(({ path }) => path === '/v1/agent/stream')?.query.size).toBe(0);
  });

  test('a server that can never be recovered from is not asked without a pause', async () => {
    server.greeting = server.greeting.replace('fresh', 'replay_required');
    server.answers.set('GET /v1/agent/actionable-rooms', () => ({ status: 200, body: {} }));
    scene.serve(bridge);
    await expect.poll(streams).toBe(2);
    expect(await connectionsCame(3)).toBeGreaterThanOrEqual(800);
    expect(await connectionsCame(4)).toBeGreaterThanOrEqual(1_800);
  });

  test.each([
    ['POST', '/v1/agent/login'],
    ['POST', '/v1/rooms/*/access-token'],
    ['POST', '/v1/agent/stream/ack'],
    ['GET', '/v1/rooms/*/state'],
    ['POST', '/v1/rooms/*/typing'],
  ])('a stop takes no two seconds while the server leaves %s %s without an answer', async (method, path) => {
    const state = { state: 'ACTIVE', next_turn: 0, next_actor_id: 'agt_scripted' };
    server.answers.set('GET /v1/rooms/*/state', () => ({ status: 200, body: state }));
    server.answers.set(`${method} ${path}`, () => 'hang');
    server.greeting += turnReady('dly_1', ROOM, 0);
    const stop = new AbortController();
    const ended = serve(bridge, stop.signal).then(() => scene.clock.now());
    await expect.poll(() => server.count(`${method} ${path.replace('*', ROOM)}`)).toBe(1);
    const told = scene.clock.now();
    stop.abort();
    await scene.clock.advance(1_999);
    expect((await ended) - told).toBeLessThan(2_000);
    for (const job of bridge.queue.list()) expect(job.attempt_count).toBe(0);
  });
});
