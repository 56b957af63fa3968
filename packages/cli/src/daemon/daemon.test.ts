import { readdirSync } from 'node:fs';
import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Desk, pair, type Place } from './testing/desk.ts';

const SUBJECT = { subject_kind: 'thread', subject_id: 'tide' };
const CAPSULE = {
  ...SUBJECT,
  updated_at: '2026-03-01T12:00:00Z',
  verified_at: '2026-03-01T12:00:00Z',
  source: { producer: 'writer', update_reason: 'manual' },
  confidence: { continuity: 1, relationship_model: 1 },
  continuity: {
    top_priorities: [],
    active_concerns: [],
    active_constraints: [],
    open_loops: [],
    stance_summary: '',
    drift_signals: [],
  },
};

describe('parley bridge', () => {
  let server: TestServer;
  let place: Place;
  let desk: Desk;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    place = { url: server.url, client: new RoomClient(server) };
  });
  afterAll(() => server.close());
  beforeEach(() => {
    desk = new Desk(place);
  });
  afterEach(() => desk.close());

  test('an agent is started for a message, and the sender sees how far it came', async () => {
    const { scout, writer } = await pair(desk.client);
    await desk.setUp(scout.key, ['ack']);
    await desk.serve();
    const text = '$(touch hacked); "quoted" `x`\n--flag';
    const { id } = await desk.send(writer.key, scout.address, text);
    await expect.poll(() => desk.stage(writer.key, id)).toBe('acked');
    expect(await desk.message(writer.key, id)).toMatchObject({
      invoked_by: 'scout',
      delivery_state: 'acked',
    });
    const [run] = desk.runs();
    expect(run?.input).toMatchObject({
      contract: 'parley.wake.v1',
      type: 'message.wake',
      agent: scout.address,
      message_id: id,
      from: writer.address,
      data: { preview: text },
      item: { id, body: text },
    });
    expect(run?.env).toMatchObject({ PARLEY_MESSAGE_ID: id, PARLEY_WAKE_TYPE: 'message.wake' });
    await expect.poll(() => desk.status()).toMatch(/invoked 2.*\tresumed 2.*\tdone /);
    const { body } = await desk.client.call('GET', '/v1/agents/scout/wakes', { key: scout.key });
    expect(body).toMatchObject({
      wakes: [{ kind: 'message', id, bridge: 'scout', resumed_at: expect.any(String) }],
    });
    expect(await desk.stop()).toBe(0);
  });

  test('what was not acknowledged by the agent does not start it again', async () => {
    const { scout, writer } = await pair(desk.client);
    await desk.setUp(scout.key);
    const { id } = await desk.send(writer.key, scout.address, 'while it was down');
    await desk.serve();
    await expect.poll(() => desk.stage(writer.key, id)).toBe('invoked');
    await expect.poll(() => desk.status()).toContain('0 waiting');
    await desk.stop('SIGKILL');
    await desk.serve();
    const { id: second } = await desk.send(writer.key, scout.address, 'another');
    await expect.poll(() => desk.stage(writer.key, second)).toBe('invoked');
    await expect.poll(() => desk.runs().map(({ input }) => input.message_id)).toEqual([id, second]);
  });

  test('a turn in a room starts the agent where rooms may, once', async () => {
    const room = await desk.client.room();
    await desk.setUp(room.a.apiKey, [], ['--allow', 'rooms']);
    await desk.serve();
    await expect.poll(() => desk.runs()).toHaveLength(1);
    expect(desk.runs()[0]).toMatchObject({
      input: { type: 'room.turn_ready', room_id: room.id, data: { next_turn: 0 }, item: { state: 'ACTIVE' } },
      env: { PARLEY_ROOM_ID: room.id },
    });
    await expect
      .poll(
        async () =>
          (await desk.client.call('GET', `/v1/agents/${room.a.id}/wakes`, { key: room.a.apiKey })).body,
      )
      .toMatchObject({ wakes: [{ kind: 'room', id: `${room.id}-0`, resumed_at: expect.any(String) }] });
  });

  test('a cue and a handoff start the agent once each, though both come as messages too', async () => {
    const { scout, writer, ownerKey } = await pair(desk.client);
    await desk.setUp(scout.key);
    await desk.serve();
    const post = async (key: string, path: string, body: object): Promise<Record<string, unknown>> => {
      const answer = await desk.client.call<Record<string, unknown>>('POST', path, { key, body });
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.body;
    };
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const cue = await post(ownerKey, '/v1/cues', { name: 'tide', at, agent: 'scout', payload: { n: 1 } });
    await post(ownerKey, `/v1/cues/${String(cue['id'])}/fire`, {});
    await expect.poll(() => desk.runs()).toHaveLength(1);
    await post(writer.key, '/v1/continuity/upsert', { ...SUBJECT, capsule: CAPSULE });
    await post(writer.key, '/v1/coordination/handoff/create', {
      ...SUBJECT,
      recipient_peer: 'scout',
      note: 'yours',
    });
    await expect.poll(() => desk.runs()).toHaveLength(2);
    await expect.poll(() => desk.status()).toContain('0 waiting');
    // One of each, and a turn that comes last shows that nothing else was on its way.
    const { id } = await desk.send(writer.key, scout.address, 'the last');
    await expect.poll(() => desk.stage(writer.key, id)).toBe('invoked');
    await expect.poll(() => desk.runs()).toHaveLength(3);
    const [first, second] = desk.runs().map(({ input }) => input);
    expect(first).toMatchObject({ from: '', execution_id: expect.any(String) });
    expect(JSON.stringify(second)).toContain('yours');
  });

  test('the exit code is the outcome', async () => {
    const { scout, writer } = await pair(desk.client);
    await desk.setUp(scout.key, ['note', '3']);
    await desk.serve();
    await desk.send(writer.key, scout.address, 'fails');
    await expect.poll(() => desk.status()).toContain('\tfailed ');
    await desk.stop();
    await desk.setUp(scout.key, ['note', '75']);
    await desk.serve();
    const { id } = await desk.send(writer.key, scout.address, 'not now');
    await expect.poll(() => desk.told()).toContain('asked to be started again');
    expect((await desk.run('status', '--json', '--wakes')).stdout).toContain(id);
  });

  test('an agent whose key is refused does not stop the others', async () => {
    const { scout, writer } = await pair(desk.client);
    await desk.setUp(scout.key);
    const other = await pair(desk.client);
    const words = ['bridge', 'init', 'other', '--stdin', '--adapter', 'file', '--folder', desk.path('drop')];
    expect((await desk.terminal.run(words, other.scout.key)).code).toBe(0);
    const keys = await desk.client.call<{ keys: { id: string; agent: string | null }[] }>('GET', '/v1/keys', {
      key: other.ownerKey,
    });
    for (const { id, agent } of keys.body.keys) {
      if (agent !== null) await desk.client.call('DELETE', `/v1/keys/${id}`, { key: other.ownerKey });
    }
    await desk.serve();
    await expect.poll(() => desk.told()).toContain('other error agent.stopped');
    const { id } = await desk.send(writer.key, scout.address, 'still there?');
    await expect.poll(() => desk.stage(writer.key, id)).toBe('invoked');
    expect(await desk.stop()).toBe(4);
    expect(readdirSync(desk.terminal.home)).not.toContain('drop');
  });

  test('is set up as the profile that is named, not as the one in use', async () => {
    const none = await desk.run('init', 'scout', '--adapter', 'stdout');
    expect([none.code, none.stderr]).toEqual([4, expect.stringMatching(/no key for .*\n.*parley login/)]);
    const ids: string[] = [];
    for (const name of ['first', 'second']) {
      const { stdout } = await desk.terminal.run(['agent', 'register', name, '--replace', '--json']);
      ids.push((JSON.parse(stdout) as { agent_id: string }).agent_id);
    }
    const init = async (...words: string[]): Promise<unknown> =>
      JSON.parse((await desk.run('init', 'scout', '--adapter', 'stdout', '--json', ...words)).stdout);
    expect(await init()).toMatchObject({ agent_id: ids[1] });
    expect(await init('--profile', ids[0] ?? '')).toMatchObject({ agent_id: ids[0] });
  });

  test('a set-up that cannot work is refused', async () => {
    expect((await desk.run('run')).code).toBe(2);
    const key = (await desk.client.agent()).apiKey;
    for (const words of [
      ['scout', '--adapter', 'command'],
      ['../x', '--adapter', 'stdout'],
      ['scout', '--adapter', 'tmux', '--pane', '-x; rm'],
      ['scout', '--adapter', 'stdout', '--starts-per-hour', '0'],
      ['scout', '--adapter', 'stdout', '--preset', 'claude'],
    ]) {
      const { code } = await desk.terminal.run(['bridge', 'init', ...words, '--stdin'], key);
      expect(code, words.join(' ')).toBe(2);
    }
    expect((await desk.init('ak_nobody', '--adapter', 'stdout')).code).toBe(4);
    expect((await desk.init(key, '--adapter', 'stdout', '--server', 'http://127.0.0.1:1')).code).toBe(7);
  });

  test('neither key nor wakes leave this machine in the clear, unless that is allowed', async () => {
    const { apiKey: key } = await desk.client.agent();
    const hooked = new Desk(place, { env: { PARLEY_HOOK_TOKEN: 'hook-token' } });
    const plain = await hooked.init(key, '--adapter', 'stdout', '--server', 'http://parley.example.com');
    expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining('carry the key unencrypted')]);
    const away = ['--adapter', 'http-hook', '--hook-url', 'http://192.0.2.1/hooks/agent'];
    const remote = await hooked.init(key, ...away);
    expect([remote.code, remote.stderr]).toEqual([2, expect.stringContaining('is not on this machine')]);
    expect((await hooked.init(key, ...away, '--allow-remote-hook')).code).toBe(0);
    await hooked.close();
  });
});
