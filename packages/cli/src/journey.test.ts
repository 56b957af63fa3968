import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandLine } from '@parley/server/identity/device-login/testing/command-line';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHere } from './testing/run-here.ts';

/** Two agents of different owners and what they do with each other, on one server. */
describe('parley', () => {
  let server: TestServer;
  let home: string;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    home = mkdtempSync(join(tmpdir(), 'parley-journey-'));
    await done('agent', 'register', 'ann');
    await done('agent', 'register', 'bob', '--replace');
  });
  afterAll(async () => {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  });

  const run = (args: readonly string[], input = '') =>
    runHere(args, input, {
      PARLEY_URL: server.url,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_STATE_HOME: join(home, 'state'),
      TZ: 'UTC',
    });
  async function done(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(args);
    expect([code, stderr], args.join(' ')).toEqual([0, '']);
    return stdout;
  }
  const json = async (...args: string[]) => JSON.parse(await done(...args, '--json'));
  const ann = (...args: string[]) => json(...args, '--profile', 'ann');

  test('status says where we are, what waits and what to type next', async () => {
    await done('send', 'bob', 'hello', '--profile', 'bob');
    expect(await json('--profile', 'bob')).toMatchObject({
      server: server.url,
      whoami: { agent: { slug: 'bob' } },
      waiting: { unread: 1, our_turn_in: [] },
      next: 'parley inbox',
    });
    expect(await done('status', '--profile', 'ann')).toMatch(/^Server\t.*\nWho\tann@ann .*\nUnread\t0\n/);
  });

  test('profiles: the one in use changes, another is meant by name, and one is forgotten with its key', async () => {
    expect(await done('profile', 'list')).toMatch(/^\tann\tagt_\w+\thttp.*\n\*\tbob\t/);
    await done('profile', 'use', 'ann');
    expect(await json('whoami')).toMatchObject({ agent: { slug: 'ann' } });
    expect(await json('whoami', '--profile', 'bob')).toMatchObject({ agent: { slug: 'bob' } });
    expect(await run(['whoami', '--profile', 'eve'])).toMatchObject({
      code: 3,
      stderr: 'parley: there is no profile eve\nparley: there is ann, bob\n',
    });
    await done('agent', 'register', 'eve', '--replace');
    await done('profile', 'remove', 'eve');
    expect((await run(['whoami'])).code).toBe(4);
    await done('profile', 'use', 'ann');
    expect(statSync(join(home, 'config/parley/credentials.json')).mode & 0o777).toBe(0o600);
  });

  test('--profile names a new one where one is made, and the one in use stays', async () => {
    await done('agent', 'register', 'Mary', '--profile', 'night');
    expect(await json('whoami')).toMatchObject({ agent: { slug: 'ann' } });
    expect(await json('whoami', '--profile', 'night')).toMatchObject({ agent: { slug: 'mary' } });
    expect(await run(['agent', 'register', 'Jane', '--profile', 'night'])).toMatchObject({ code: 5 });
    const file = JSON.parse(readFileSync(join(home, 'config/parley/credentials.json'), 'utf8')) as {
      profiles: Record<string, { api_key: string }>;
    };
    await done('profile', 'remove', 'night');
    const login = ['login', '--stdin', '--profile', 'dawn'];
    const { code } = await run(login, file.profiles['night']?.api_key);
    expect(code).toBe(0);
    expect(await json('whoami', '--profile', 'dawn')).toMatchObject({ agent: { slug: 'mary' } });
    await done('profile', 'remove', 'dawn');
    await done('profile', 'use', 'ann');
  });

  test('login through a browser keeps the key that was approved there, and logout forgets it', async () => {
    const links = new CommandLine(server, 'unused-code').links;
    const login = run(['login', '--email', 'new@example.com', '--as', 'desk', '--json']);
    await expect.poll(() => links.length).toBe(1);
    const token = new URL(links[0]?.url ?? '').searchParams.get('token');
    const headers = { 'content-type': 'application/json' };
    await fetch(`${server.url}/v1/auth/session`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ token }),
    });
    const { code, stdout } = await login;
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { profile: 'desk', server: server.url }]);
    expect(await json('agent', 'keys', 'create', '--label', 'spare')).toMatchObject({ label: 'spare' });
    const [spare] = (await done('agent', 'keys', 'list', '--json'))
      .split('\n')
      .filter((line) => line.includes('spare'));
    const { id } = JSON.parse(spare ?? '') as { id: string };
    expect(await done('agent', 'keys', 'revoke', id.slice(0, -2))).toBe(`revoked ${id}\n`);
    const made = await json('agent', 'create', 'helper', '--display-name', 'A helper');
    expect(made).toMatchObject({ slug: 'helper' });
    expect(await json('agent', 'rename', 'helper', 'aide')).toMatchObject({ slug: 'aide' });
    expect(await json('agent', 'policy', 'aide', 'owner_only')).toMatchObject({
      inbound_policy: 'owner_only',
    });
    expect(await done('agent', 'list')).toContain('\taide\t'.slice(1, -1));
    expect((await run(['agent', 'remove', 'aide'])).code).toBe(2);
    await done('agent', 'remove', 'aide', '--yes');
    expect((await run(['agent', 'show', 'aide'])).code).toBe(3);
    await done('logout');
    expect((await run(['whoami', '--profile', 'desk'])).code).toBe(3);
    await done('profile', 'use', 'ann');
  });

  test('a message is sent, read, answered and shown as a thread; each stage is proven', async () => {
    const sent = await json('send', 'bob@bob', 'shall we?', '--subject', 'tides', '--priority', '4');
    expect(sent).toMatchObject({ proven_stage: 'offered', subject: 'tides', priority: 4 });
    expect(await done('sent', '--to', 'bob@bob')).toContain(`${sent.id}\t`);
    const [row] = (await done('inbox', '--profile', 'bob', '--from', 'ann@ann')).split('\n');
    expect(row).toMatch(/^msg_\w{12}\t\S+Z\tann@ann\tdelivered\ttides\tshall we\?$/);
    const read = await done('read', sent.id.slice(0, 10), '--profile', 'bob');
    expect(read).toMatch(new RegExp(`^${sent.id} {2}read\\n[\\s\\S]*shall we\\?`));
    const answer = await done('reply', sent.id, 'we shall', '--profile', 'bob');
    expect(answer).toMatch(/Proven +stored → offered/);
    expect(await json('read', sent.id)).toMatchObject({ proven_stage: 'acked' });
    const thread = await done('thread', sent.id);
    expect(thread.indexOf('shall we?')).toBeLessThan(thread.indexOf('we shall'));
    const waited = await run(['send', 'bob@bob', 'wait for it', '--wait', '0.1']);
    expect(waited.code).toBe(6);
    const later = await json('send', 'bob@bob', 'later', '--at', 'in 2h');
    expect(Date.parse(later.send_at) - Date.now()).toBeGreaterThan(7_000_000);
    expect(await run(['send', 'nobody', 'x'])).toMatchObject({ code: 3 });
  });

  test('who names a message by its beginning, or looks at its thread, has fetched none of the others', async () => {
    const other = await ann('send', 'bob@bob', 'still waiting');
    const { id } = await ann('send', 'bob@bob', 'look at me');
    await done('thread', id.slice(0, 12), '--profile', 'bob');
    await done('read', id.slice(0, 12), '--profile', 'bob');
    expect(await ann('read', id)).toMatchObject({ state: 'read' });
    expect(await ann('read', other.id)).toMatchObject({ state: 'queued' });
  });

  test('a text is read in a pipe as it was written, line by line', async () => {
    const text = `def tide(at):\n    return  at * ${'very_'.repeat(30)}long and then some more words\n\n# end`;
    const { id } = await json('send', 'bob@bob', text);
    const shown = await done('read', id, '--profile', 'bob');
    expect(shown).toContain(text.replaceAll(/^(?=.)/gm, '  '));
    expect(await done('thread', id)).toContain(text.replaceAll(/^(?=.)/gm, '  '));
  });

  test('an agent of the owner is meant by the beginning of its id, too', async () => {
    const { id } = await json('agent', 'show');
    expect(await json('agent', 'show', id.slice(0, 11))).toMatchObject({ id });
    expect(await json('send', id.slice(0, 11).replace('agent_', 'agt_'), 'hello')).toMatchObject({
      to_agent_id: id,
    });
    expect(await run(['agent', 'show', 'agent_zzzzzzz'])).toMatchObject({
      code: 3,
      stderr:
        'parley: there is no agent agent_zzzzzzz\nparley: "parley agent list" shows those of the owner\n',
    });
  });

  test('what another wrote cannot move the cursor', async () => {
    const evil = 'x\u001b]0;owned\u0007\u202e';
    await done('send', 'bob@bob', evil, '--subject', evil);
    for (const args of [['inbox'], ['inbox', '--json'], ['status']]) {
      const { stdout } = await run([...args, '--profile', 'bob']);
      for (const sign of ['\u001b', '\u0007']) expect(stdout).not.toContain(sign);
    }
  });

  test('a wake test says where the way ends, and why', async () => {
    const { code, stdout } = await run(['wake', 'test', 'bob@bob', '--wait', '0.1']);
    expect(code).toBe(6);
    expect(stdout).toContain('ok   offered');
    expect(stdout).toMatch(/stop delivered: awaiting_fetch; it waits in the inbox.*parley bridge run/);
  });

  test('a room is offered, found, taken, spoken in by turns, watched and closed', async () => {
    const offer = await json('room', 'offer', 'tides', '--tag', 'sea', '--turns', '6');
    expect(await done('room', 'find', 'tides')).toMatch(/^lst_[\w-]+\t\S+\ttides\tsea\n$/);
    await done('room', 'take', offer.id.slice(0, 12), '--profile', 'bob');
    const room: string = offer.room_id;
    expect(await json('status')).toMatchObject({ waiting: { our_turn_in: [room] } });
    expect(await done('__complete', '--', 'room', 'say', 'room_')).toBe(`${room}\n`);
    await done('room', 'say', room, 'high at six');
    expect((await run(['room', 'say', room, 'again'])).code).toBe(5);
    await done('room', 'say', room, 'low at noon', '--profile', 'bob');
    expect(await done('room', 'context', room.slice(0, 12))).toContain('low at noon');
    expect(await done('room', 'context', '--', room.slice(5, 12))).toContain('low at noon');
    await done('room', 'close', room.slice(0, 12));
    const watched = await done('room', 'watch', room.slice(0, 12));
    expect(watched).toMatch(
      /\tmessage\.created\tagt_\w+\thigh at six\n[\s\S]*low at noon\n[\s\S]*room\.closed/,
    );
  });

  test('a worker runs a command for what it claims, with the payload on its standard input', async () => {
    await done(
      'cue',
      'create',
      'job',
      '--at',
      'in 30d',
      '--worker',
      '--task',
      'tidy',
      '--payload',
      '{"what":"$(x)"}',
    );
    await done('cue', 'fire', 'job');
    const program =
      'process.stdin.on("data", (text) => process.stdout.write(process.env.PARLEY_TASK + text))';
    const printed = await done(
      'work',
      '--json',
      '--once',
      '--task',
      'tidy',
      '--',
      process.execPath,
      '-e',
      program,
    );
    expect(JSON.parse(printed)).toMatchObject({ success: true, result: 'tidy{"what":"$(x)","task":"tidy"}' });
    await done('cue', 'fire', 'job');
    const failed = await run([
      'work',
      '--once',
      '--task',
      'tidy',
      '--',
      process.execPath,
      '-e',
      'process.exit(4)',
    ]);
    expect([failed.code, failed.stdout]).toEqual([
      1,
      expect.stringContaining('\tfailed\tended with exit code 4'),
    ]);
  });

  test('completion knows commands, flags, choices and names', async () => {
    expect(await done('__complete', '--', 'agent', 'ke')).toBe('keys\n');
    expect(await done('__complete', '--', 'send', '--pri')).toBe('--priority\n');
    expect(await done('__complete', '--', 'completion', '')).toBe('bash\nzsh\nfish\n');
    expect(await done('__complete', '--', 'send', 'a')).toBe('ann\n');
    expect(await done('__complete', '--', 'profile', 'use', 'b')).toBe('bob\n');
    expect(await done('__complete', '--server', 'http://127.0.0.1:2', '--', 'send', '')).toBe('');
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect(await done('completion', shell)).toContain('parley __complete');
    }
  });
});
