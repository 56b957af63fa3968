import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BRIDGE_EXIT } from './failures.ts';
import { BridgeScene, HOOK_TOKEN } from './testing/bridge-scene.ts';
import { reply, type Wake } from './testing/fake-runtime.ts';

describe('bridge › serving', () => {
  let scene: BridgeScene;

  beforeEach(async () => {
    scene = await new BridgeScene().open();
  });
  afterEach(() => scene.close());

  test('a turn becomes one call of the hook, a token file and an acknowledgement', async () => {
    const room = await scene.room();
    scene.serve(scene.bridge(room.a.apiKey));
    const { headers, body, path } = await scene.runtime.sink.nth(1);
    expect(path).toBe('/hooks/agent');
    expect(headers).toMatchObject({
      authorization: `Bearer ${HOOK_TOKEN}`,
      'content-type': 'application/json',
    });
    const { message, ...rest } = body;
    expect(rest).toEqual({
      agentId: 'main',
      name: 'areyouai',
      wakeMode: 'now',
      deliver: false,
      timeoutSeconds: 120,
    });
    expect(message.startsWith('[AYA_WAKE_V1]\n{')).toBe(true);
    const [wake] = scene.runtime.wakes;
    const tokenPath = join(scene.home, 'tokens', `${room.id}.json`);
    expect(wake).toEqual({
      contract: 'aya.wake.v1',
      delivery_id: expect.stringMatching(/^dly_/),
      event_type: 'room.turn_ready',
      event_id: null,
      reason: 'room_activated',
      room_id: room.id,
      room_state: 'ACTIVE',
      next_turn: 0,
      next_actor_id: room.a.id,
      occurred_at: expect.any(String),
      token_path: tokenPath,
      token_expires_at: scene.read(`tokens/${room.id}.json`)['expires_at'],
      instructions: [expect.any(String), expect.any(String), expect.any(String)],
      api_base_url: scene.server.url,
      self_agent_id: room.a.id,
    });
    await expect.poll(() => scene.files('wake-queue')).toEqual([]);
    expect(scene.read('state.json')).toMatchObject({
      last_acknowledged_delivery_id: wake?.delivery_id,
      last_stream_status: 'acked',
      completed_wake_keys: [`${room.id}|0|${room.a.id}`],
    });
    expect(scene.read('session.json')).toMatchObject({ agent_id: room.a.id });
    expect(scene.read(`tokens/${room.id}.json`)).toMatchObject({
      room_id: room.id,
      agent_id: room.a.id,
      token: expect.stringMatching(/^rat_/),
      scope: 'room:automation',
    });
    for (const file of ['session.json', 'state.json', `tokens/${room.id}.json`]) {
      expect(statSync(join(scene.home, file)).mode & 0o777).toBe(0o600);
    }
  });

  test('a hook that takes twelve seconds is called once', async () => {
    const room = await scene.room();
    const finish: ((status: number) => void)[] = [];
    scene.runtime.work = () => new Promise((resolve) => finish.push(resolve));
    scene.serve(scene.bridge(room.a.apiKey));
    await scene.runtime.sink.count(1);
    for (let second = 0; second < 12; second++) await scene.clock.advance(1000);
    expect(scene.files('wake-queue')).toHaveLength(1);
    finish[0]?.(200);
    await expect.poll(() => scene.files('wake-queue')).toEqual([]);
    await scene.clock.advance(30_000);
    expect(scene.runtime.calls).toHaveLength(1);
  });

  test('while hooks run the stream is read on, and four rooms are woken at a time', async () => {
    const { a, b } = await scene.room();
    const finish: ((status: number) => void)[] = [];
    scene.runtime.work = () => new Promise((resolve) => finish.push(resolve));
    scene.serve(scene.bridge(a.apiKey));
    await scene.runtime.sink.count(1);
    for (let more = 0; more < 4; more++) {
      const { id } = await a.list({ topic: `room ${more}` });
      await b.connect(id);
    }
    await scene.runtime.sink.count(4);
    await expect.poll(() => scene.files('wake-queue')).toHaveLength(5);
    expect(scene.read('state.json')).toMatchObject({ last_stream_status: 'acked' });
    expect(scene.runtime.calls).toHaveLength(4);
    finish[0]?.(200);
    await scene.runtime.sink.count(5);
    for (const done of finish) done(200);
    await expect.poll(() => scene.files('wake-queue')).toEqual([]);
    expect(new Set(scene.runtime.wakes.map(({ room_id: id }) => id)).size).toBe(5);
  });

  test('a hook that refuses is called again, later every time, and the file says why', async () => {
    const room = await scene.room();
    scene.runtime.work = (_wake, before) => (before < 3 ? 503 : 202);
    scene.serve(scene.bridge(room.a.apiKey));
    const start = scene.clock.now();
    const job = (): Record<string, unknown> => scene.read(`wake-queue/${scene.files('wake-queue')[0]}`);
    for (const [attempt, wait] of [5_000, 10_000, 20_000].entries()) {
      await expect.poll(() => job()['attempt_count']).toBe(attempt + 1);
      expect(job()).toMatchObject({ status: 'pending', last_error: 'the hook answered with 503' });
      expect(Date.parse(String(job()['next_attempt_at'])) - scene.clock.now()).toBe(wait);
      await scene.clock.advance(wait - 1);
      expect(scene.runtime.calls).toHaveLength(attempt + 1);
      await scene.clock.advance(1);
      await scene.runtime.sink.count(attempt + 2);
    }
    await expect.poll(() => scene.files('wake-queue')).toEqual([]);
    expect(scene.clock.now() - start).toBe(35_000);
  });

  test('a wake whose turn was taken meanwhile is dropped without a call', async () => {
    const room = await scene.room();
    scene.runtime.work = () => 500;
    scene.serve(scene.bridge(room.a.apiKey));
    await expect.poll(() => scene.log.join('')).toContain('wake.failed');
    await room.a.send(room.id, 'said by somebody else');
    await scene.clock.advance(5_000);
    await expect.poll(() => scene.files('wake-queue')).toEqual([]);
    expect(scene.runtime.calls).toHaveLength(1);
    expect(scene.log.join('')).toContain('wake.obsolete');
  });

  test('a room that closes takes its token, its wakes and its keys along', async () => {
    const room = await scene.room();
    const other = await room.a.list({ topic: 'another' });
    await room.b.connect(other.id);
    scene.runtime.work = ({ room_id: id }) => (id === room.id ? 500 : 200);
    scene.serve(scene.bridge(room.a.apiKey));
    await expect.poll(() => scene.log.join('')).toContain('wake.failed');
    await expect.poll(() => scene.log.join('')).toContain('wake.woken');
    expect(scene.files('tokens')).toHaveLength(2);
    await room.b.close(room.id);
    await room.b.close(other.room_id);
    await expect.poll(() => scene.files('tokens')).toEqual([]);
    expect(scene.files('wake-queue')).toEqual([]);
    await expect.poll(() => scene.read('state.json')['completed_wake_keys']).toEqual([]);
  });

  test('a cursor that the server does not know is recovered from, once for each turn', async () => {
    const room = await scene.room();
    const bridge = scene.bridge(room.a.apiKey);
    bridge.state.acknowledged('dly_neverheardof');
    const { stop } = scene.serve(bridge);
    await scene.runtime.sink.count(1);
    expect(scene.runtime.wakes[0]).toMatchObject({
      reason: 'replay_recovery',
      delivery_id: `recovery-${room.id}-0`,
      next_turn: 0,
    });
    // The delivery comes again on the connection without a cursor, and is acknowledged.
    await expect.poll(() => bridge.state.cursor).toMatch(/^dly_(?!neverheardof)/);
    await expect.poll(() => scene.files('wake-queue')).toEqual([]);
    await stop();
    expect(scene.runtime.calls).toHaveLength(1);
    expect((await room.a.actionable()).actionable).toHaveLength(1);
  });

  test('the token is renewed while it is the turn of the agent, and no longer', async () => {
    const room = await scene.room();
    scene.serve(scene.bridge(room.a.apiKey));
    await scene.runtime.sink.count(1);
    await expect.poll(() => scene.files('wake-queue')).toEqual([]);
    const token = (): unknown => scene.read(`tokens/${room.id}.json`)['token'];
    const first = token();
    await scene.clock.advance(230_000);
    expect(token()).toBe(first);
    await scene.clock.advance(15_000);
    await expect.poll(token).not.toBe(first);
    const [wake] = scene.runtime.wakes as [Wake];
    expect(await reply(wake, 'after a long thought')).toBe(201);
    const last = token();
    const before = scene.log.length;
    for (let minute = 0; minute < 6; minute++) await scene.clock.advance(60_000);
    expect(token()).toBe(last);
    expect(scene.log.slice(before).join('')).not.toContain('token.');
  });

  test('a session that was ended is opened again', async () => {
    const room = await scene.room();
    const bridge = scene.bridge(room.a.apiKey);
    scene.serve(bridge);
    await scene.runtime.sink.count(1);
    const before = bridge.session.token;
    await room.a.call('DELETE', '/v1/agent/sessions');
    const session = await scene.client.people.login(room.a.apiKey);
    await expect
      .poll(async () => {
        await scene.clock.advance(100);
        return bridge.session.token;
      })
      .not.toBe(before);
    const listing = await room.a.call<{ id: string }>('POST', '/v1/listings', {
      key: session,
      body: { topic: 'later' },
    });
    await room.b.connect(listing.body.id);
    await scene.runtime.sink.count(2);
    expect(scene.runtime.wakes[1]).toMatchObject({ reason: 'room_activated' });
  });

  test('a key that is refused ends it, with the exit code that keeps a service from starting it again', async () => {
    const { ended } = scene.serve(scene.bridge('ak_nobody'));
    expect(await ended).toMatchObject({ exitCode: BRIDGE_EXIT.login });
  });

  test('no key, token or text of a room is ever logged or kept with a job', async () => {
    const room = await scene.room({ topic: 'the secret topic' });
    scene.runtime.work = () => 500;
    const bridge = scene.bridge(room.a.apiKey);
    scene.serve(bridge);
    await expect.poll(() => scene.log.join('')).toContain('wake.failed');
    const token = String(scene.read(`tokens/${room.id}.json`)['token']);
    const job = JSON.stringify(scene.read(`wake-queue/${scene.files('wake-queue')[0]}`));
    const said = scene.log.join('') + job + scene.runtime.calls[0]?.text;
    for (const secret of [room.a.apiKey, bridge.session.token, token, HOOK_TOKEN, 'the secret topic']) {
      expect(said).not.toContain(secret);
    }
  });

  test('one that was called by a bridge that died is left alone until its run must be over', async () => {
    const room = await scene.room();
    const first = scene.bridge(room.a.apiKey);
    scene.runtime.work = () => 'never';
    const { stop } = scene.serve(first);
    await scene.runtime.sink.count(1);
    await stop();
    expect(scene.files('wake-queue')).toHaveLength(1);
    scene.runtime.work = () => 200;
    scene.serve(scene.bridge(room.a.apiKey));
    await scene.clock.advance(110_000);
    expect(scene.runtime.calls).toHaveLength(1);
    await scene.clock.advance(15_000);
    await scene.runtime.sink.count(2);
    await expect.poll(() => scene.files('wake-queue')).toEqual([]);
  });

  test('unless the machine was started anew meanwhile', async () => {
    const room = await scene.room();
    scene.runtime.work = () => 'never';
    const { stop } = scene.serve(scene.bridge(room.a.apiKey));
    await scene.runtime.sink.count(1);
    await stop();
    scene.runtime.work = () => 200;
    scene.serve(scene.bridge(room.a.apiKey), { bootedAt: scene.clock.now() });
    await scene.runtime.sink.count(2);
    await expect.poll(() => scene.files('wake-queue')).toEqual([]);
    expect(existsSync(join(scene.home, 'tokens', `${room.id}.json`))).toBe(true);
  });

  test('a later turn takes the place of one that waits', async () => {
    const room = await scene.room();
    scene.runtime.work = () => 500;
    scene.serve(scene.bridge(room.a.apiKey));
    await expect.poll(() => scene.log.join('')).toContain('wake.failed');
    await room.a.send(room.id, 'one');
    await room.b.send(room.id, 'two');
    await expect
      .poll(() => scene.files('wake-queue').map((file) => scene.read(`wake-queue/${file}`)['next_turn']))
      .toEqual([2]);
  });
});
