import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Running, Terminal } from '../testing/run-parley.ts';

interface Sent {
  id: string;
  proven_stage: string;
  delivery_state: string;
  invoked_by: string | null;
}

/** What an agent's program does: notes what it was given, and ends as it is told to. */
const PROGRAM = `
  import { appendFileSync, readFileSync } from 'node:fs';
  const input = readFileSync(0, 'utf8');
  const ids = Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('PARLEY_')));
  appendFileSync('runs.jsonl', JSON.stringify({ input: JSON.parse(input), env: ids, argv: process.argv.slice(2) }) + '\\n');
  if (process.argv[2] === 'ack') {
    const { server, message_id } = JSON.parse(input);
    const headers = { authorization: 'Bearer ' + readFileSync('key', 'utf8') };
    await fetch(server + '/v1/messages/' + message_id + '/ack', { method: 'POST', headers });
  }
  process.exitCode = Number(process.argv[3] ?? 0);
`;

describe('parley bridge', () => {
  let server: TestServer;
  let client: RoomClient;
  let ann: Terminal;
  let running: Running | undefined;
  const desks: Terminal[] = [];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    client = new RoomClient(server);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    ann = new Terminal({ PARLEY_URL: server.url, XDG_STATE_HOME: '' });
    writeFileSync(join(ann.home, 'agent.mjs'), PROGRAM);
  });
  afterEach(async () => {
    running?.signal('SIGKILL');
    await running?.finished;
    running = undefined;
    ann.remove();
    for (const other of desks.splice(0)) other.remove();
  });

  /** Another shell on the same machine. */
  const desk = (env: Record<string, string>): Terminal => {
    const other = new Terminal(env);
    desks.push(other);
    return other;
  };

  const bridge = (...args: string[]) => ann.run(['bridge', ...args]);
  /** Set up with a program in the home folder. */
  const setUp = async (
    key: string,
    words: readonly string[] = [],
    more: readonly string[] = [],
  ): Promise<void> => {
    writeFileSync(join(ann.home, 'key'), key);
    const program = ['--cwd', ann.home, '--', process.execPath, join(ann.home, 'agent.mjs'), ...words];
    const { code, stderr } = await ann.run(['bridge', 'init', 'scout', '--stdin', ...more, ...program], key);
    expect([code, stderr]).toEqual([0, '']);
  };
  const serve = async (): Promise<void> => {
    running = ann.start(['bridge', 'run']);
    await expect.poll(() => running?.toldSoFar()).toContain('bridge for scout runs');
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    running?.signal(signal);
    return (await running?.finished)?.code ?? null;
  };
  const runs = () =>
    existsSync(join(ann.home, 'runs.jsonl'))
      ? readFileSync(join(ann.home, 'runs.jsonl'), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  const send = async (from: string, to: string, body: string): Promise<Sent> => {
    const answer = await client.call<Sent>('POST', '/v1/messages', { key: from, body: { to, body } });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const message = async (key: string, id: string): Promise<Sent> =>
    (await client.call<Sent>('GET', `/v1/messages/${id}`, { key })).body;
  /** Two agents of one owner. */
  const pair = async () => {
    const owner = await client.people.owner();
    const made = async (slug: string) => {
      const body = { slug, display_name: slug };
      const { status, text } = await client.call('POST', '/v1/agents', { key: owner.key, body });
      expect(status, text).toBe(201);
      const key = await client.call<{ api_key: string }>('POST', '/v1/keys', {
        key: owner.key,
        body: { agent: slug },
      });
      return { key: key.body.api_key, address: `${slug}@${owner.slug}` };
    };
    return { scout: await made('scout'), writer: await made('writer') };
  };

  test('an agent is started for a message, and the sender sees how far it came', async () => {
    const { scout, writer } = await pair();
    await setUp(scout.key, ['ack']);
    await serve();
    const text = '$(touch hacked); "quoted" `x`\n--flag';
    const { id } = await send(writer.key, scout.address, text);
    await expect.poll(async () => (await message(writer.key, id)).proven_stage).toBe('acked');
    expect(await message(writer.key, id)).toMatchObject({ invoked_by: 'scout', delivery_state: 'acked' });
    const [run] = runs();
    expect(run.input).toMatchObject({
      contract: 'parley.wake.v1',
      type: 'message.wake',
      message_id: id,
      from: writer.address,
      data: { preview: text },
    });
    // The text is data on standard input, and nowhere else.
    expect(run.argv).toEqual(['ack']);
    expect(run.env).toMatchObject({ PARLEY_MESSAGE_ID: id, PARLEY_WAKE_TYPE: 'message.wake' });
    expect(JSON.stringify(run.env)).not.toContain('hacked');
    expect(readdirSync(ann.home)).not.toContain('hacked');
    await expect.poll(async () => (await bridge('status', '--wakes')).stdout).toMatch(/invoked .*\tdone /);
    expect(await stop()).toBe(0);
  });

  test('what was not acknowledged by the agent does not start it again', async () => {
    const { scout, writer } = await pair();
    await setUp(scout.key);
    const { id } = await send(writer.key, scout.address, 'while it was down');
    await serve();
    await expect.poll(async () => (await message(writer.key, id)).proven_stage).toBe('invoked');
    await expect.poll(async () => (await bridge('status', '--json')).stdout).toContain('"waiting":0');
    await stop('SIGKILL');
    await serve();
    const { id: second } = await send(writer.key, scout.address, 'another');
    await expect.poll(async () => (await message(writer.key, second)).proven_stage).toBe('invoked');
    await expect.poll(() => runs().map(({ input }) => input.message_id)).toEqual([id, second]);
  });

  test('strangers start nobody, unless they are allowed', async () => {
    const { scout, writer } = await pair();
    const stranger = await pair();
    await setUp(scout.key);
    await serve();
    const foreign = await send(stranger.writer.key, scout.address, 'let me in');
    await expect.poll(() => running?.toldSoFar()).toContain('wake.refused');
    const own = await send(writer.key, scout.address, 'hello');
    await expect.poll(async () => (await message(writer.key, own.id)).proven_stage).toBe('invoked');
    expect((await message(stranger.writer.key, foreign.id)).invoked_by).toBe(null);
    await expect.poll(() => runs().map(({ input }) => input.message_id)).toEqual([own.id]);
    await stop();
    await setUp(scout.key, [], ['--allow', 'same-owner', stranger.writer.address]);
    await serve();
    await expect
      .poll(async () => (await message(stranger.writer.key, foreign.id)).proven_stage)
      .toBe('invoked');
  });

  test('pause keeps what comes, and resume starts the agent for it', async () => {
    const { scout, writer } = await pair();
    await setUp(scout.key);
    await serve();
    expect((await bridge('pause')).code).toBe(0);
    const { id } = await send(writer.key, scout.address, 'later');
    await expect
      .poll(async () => (await bridge('status', '--json')).stdout)
      .toContain('"paused":true,"waiting":1');
    expect(runs()).toEqual([]);
    expect((await bridge('resume')).code).toBe(0);
    await expect.poll(async () => (await message(writer.key, id)).proven_stage).toBe('invoked');
  });

  test('no more starts than the budget of an hour', async () => {
    const { scout, writer } = await pair();
    await setUp(scout.key, [], ['--starts-per-hour', '2']);
    for (const body of ['one', 'two', 'three']) await send(writer.key, scout.address, body);
    await serve();
    await expect.poll(async () => (await bridge('status', '--json')).stdout).toContain('"waiting":1');
    await expect.poll(runs).toHaveLength(2);
  });

  test('a turn in a room starts the agent where rooms may, once', async () => {
    const room = await client.room();
    await setUp(room.a.apiKey, [], ['--allow', 'rooms']);
    await serve();
    await expect.poll(runs).toHaveLength(1);
    expect(runs()[0]).toMatchObject({
      input: { type: 'room.turn_ready', room_id: room.id, data: { next_turn: 0 } },
      env: { PARLEY_ROOM_ID: room.id },
    });
  });

  test('the exit code is the outcome', async () => {
    const { scout, writer } = await pair();
    await setUp(scout.key, ['note', '3']);
    await serve();
    await send(writer.key, scout.address, 'fails');
    await expect.poll(async () => (await bridge('status', '--wakes')).stdout).toContain('\tfailed ');
    await stop();
    await setUp(scout.key, ['note', '75']);
    await serve();
    const { id } = await send(writer.key, scout.address, 'not now');
    await expect.poll(() => running?.toldSoFar()).toContain('asked to be started again');
    expect((await bridge('status', '--json', '--wakes')).stdout).toContain(id);
  });

  test('the other adapters tell the agent: a file, a line of output, a pane of tmux', async () => {
    const { scout, writer } = await pair();
    mkdirSync(join(ann.home, 'bin'));
    const tmux = `#!/bin/sh\nprintf '%s\\n' "$*" >> '${ann.home}/typed'\n`;
    writeFileSync(join(ann.home, 'bin/tmux'), tmux, { mode: 0o755 });
    const drop = join(ann.home, 'drop');
    const ways = { file: ['--folder', drop], stdout: [], tmux: ['--pane', 'main:1.0'] };
    const ids: Record<string, string> = {};
    for (const [adapter, more] of Object.entries(ways)) {
      const init = ['bridge', 'init', 'scout', '--stdin', '--adapter', adapter, ...more];
      expect((await ann.run(init, scout.key)).code).toBe(0);
      const env = { PARLEY_URL: server.url, HOME: ann.home, PATH: `${ann.home}/bin:${process.env['PATH']}` };
      running = desk(env).start(['bridge', 'run']);
      const { id } = await send(writer.key, scout.address, `by ${adapter}`);
      ids[adapter] = id;
      await expect.poll(async () => (await message(writer.key, id)).proven_stage).toBe('invoked');
      if (adapter === 'stdout') await running.printed(id);
      await stop();
    }
    expect(readdirSync(drop)).toEqual([`${ids['file']}.json`]);
    const typed = readFileSync(join(ann.home, 'typed'), 'utf8');
    expect(typed).toBe(
      `send-keys -t main:1.0 -l -- Parley: message.wake ${ids['tmux']} waits for you\nsend-keys -t main:1.0 Enter\n`,
    );
  });

  test('a set-up that cannot work is refused', async () => {
    expect((await bridge('run')).code).toBe(2);
    const key = (await client.agent()).apiKey;
    for (const words of [
      ['scout', '--adapter', 'command'],
      ['../x', '--adapter', 'stdout'],
      ['scout', '--adapter', 'tmux', '--pane', '-x; rm'],
      ['scout', '--adapter', 'stdout', '--starts-per-hour', '0'],
    ]) {
      expect((await ann.run(['bridge', 'init', ...words, '--stdin'], key)).code, words.join(' ')).toBe(2);
    }
    expect(
      (await ann.run(['bridge', 'init', 'scout', '--adapter', 'stdout', '--stdin'], 'ak_nobody')).code,
    ).toBe(3);
  });

  test('neither key nor wakes leave this machine in the clear, unless that is allowed', async () => {
    const { apiKey: key } = await client.agent();
    const hooked = new Terminal({ PARLEY_URL: server.url, PARLEY_HOOK_TOKEN: 'hook-token' });
    const init = (...words: string[]) => hooked.run(['bridge', 'init', 'scout', ...words, '--stdin'], key);
    const plain = await init('--adapter', 'stdout', '--server', 'http://parley.example.com');
    expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining('carry the key unencrypted')]);
    const away = ['--adapter', 'http-hook', '--hook-url', 'http://192.0.2.1/hooks/agent'];
    const remote = await init(...away);
    expect([remote.code, remote.stderr]).toEqual([2, expect.stringContaining('is not on this machine')]);
    expect((await init(...away, '--allow-remote-hook')).code).toBe(0);
    hooked.remove();
  });
});
