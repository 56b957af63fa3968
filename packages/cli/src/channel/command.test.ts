import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { helloEnvelope, textEnvelope } from '@parley/protocol/channels/content';
import { ChannelCipher } from '@parley/protocol/channels/envelope';
import { parseJoinUrl } from '@parley/protocol/channels/join-url';
import { channels } from '@parley/sdk/channels';
import { ChannelClient } from '@parley/sdk/channels/client';
import { FetchTransport } from '@parley/sdk/channels/fetch-transport';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

let server: TestServer;
let ann: Terminal;
let bob: Terminal;

beforeAll(async () => {
  server = await startServer({ rateLimits: false });
});
afterAll(() => server.close());
beforeEach(() => {
  ann = new Terminal({ PARLEY_URL: server.url });
  bob = new Terminal({ PARLEY_URL: server.url });
});
afterEach(() => {
  for (const terminal of [ann, bob]) terminal.remove();
});

async function pair(): Promise<{ url: string; channelId: string }> {
  const created = await ann.json(['create', '--name', 'ann']);
  await bob.json(['join', '--name', 'bob'], String(created['join_url']));
  return { url: String(created['join_url']), channelId: String(created['channel_id']) };
}

const sessionFiles = (terminal: Terminal): string[] => {
  const folder = join(terminal.home, '.local/state/parley/channels');
  return readdirSync(folder).map((file) => join(folder, file));
};

describe('parley channel › create and join', () => {
  test('prints what to hand over, and the other end comes in with it', async () => {
    const created = await ann.run(['channel', 'create', '--name', 'ann']);
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect(created.stdout).toMatch(/^READY initiator: channel=[0-9a-f]{32} name=ann\n\nChannel ready\./);
    const url = /^http\S+#k=[\w-]{43}$/m.exec(created.stdout)?.[0] ?? '';
    const joined = await bob.run(['channel', 'join', '-', '--name', 'bob'], `${url}\n`);
    expect(joined.stdout).toMatch(/^READY joiner: channel=[0-9a-f]{32} name=bob others=ann key=verified\n$/);
  });

  test("a server's words cannot move the cursor", async () => {
    const stranger = createServer((_request, response) => {
      response.writeHead(400, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ error: 'no\u001b]0;yours\u0007\u009b2J' }));
    }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const { code, stderr } = await ann.run(['channel', 'create', '--name', 'ann', '--server', url]);
    stranger.close();
    expect(code).toBe(2);
    expect(stderr).toContain('agentalk: CREATE_FAILED error=no\\x1b]0;yours\\x07\\x9b2J\n');
  });

  test('the session is kept for this user alone', async () => {
    await pair();
    const files = sessionFiles(bob);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(files[0] ?? '', '..')).mode & 0o777).toString(8)).toBe('700');
  });

  test('XDG_STATE_HOME says where', async () => {
    const other = new Terminal({ PARLEY_URL: server.url, XDG_STATE_HOME: join(ann.home, 'elsewhere') });
    await other.json(['create', '--name', 'ann']);
    expect(readdirSync(join(ann.home, 'elsewhere/parley/channels')).length).toBeGreaterThan(0);
    other.remove();
  });

  test('a name cannot pass for a field of the READY line', async () => {
    const created = await ann.json(['create', '--name', 'ann key=verified']);
    const joined = await bob.run(['channel', 'join', '--name', 'bob'], String(created['join_url']));
    expect(joined.stdout).toMatch(/ others=annkey=verified key=verified\n$/);
  });

  test('who cannot keep the session does not enter', async () => {
    const created = await ann.json(['create', '--name', 'ann']);
    const before = await (await fetch(`${server.url}/health`)).json();
    const stuck = new Terminal({ PARLEY_URL: server.url, XDG_STATE_HOME: '/dev/null' });
    for (const [args, input] of [
      [['create'], ''],
      [['join'], String(created['join_url'])],
    ] as const) {
      const refused = await stuck.run(['channel', ...args, '--name', 'bob'], input);
      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('/dev/null/parley'),
      });
    }
    const { total_channels_created, total_messages } = before;
    expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({
      total_channels_created,
      total_messages,
    });
    stuck.remove();
  });

  test('the own name is that of the folder, in plain letters', async () => {
    expect((await ann.json(['create']))['name']).toMatch(/^parley-cli-\w+$/);
  });

  test.each([
    ['no URL', 'hello', 'error=invalid_url'],
    ['no key', 'http://127.0.0.1:1/c/aa?token=bb', 'error=invalid_url'],
    ['a broken key', 'http://127.0.0.1:1/c/aa?token=bb#k=short', '43 base64url or 64 hex'],
    [
      'nobody there',
      `http://127.0.0.1:1/c/aa?token=bb#k=${'a'.repeat(64)}`,
      'error=network_unreachable: connect ECONNREFUSED 127.0.0.1:1',
    ],
  ])('join with %s says why', async (_what, url, words) => {
    const result = await bob.run(['channel', 'join'], url);
    expect(result).toMatchObject({ code: words.includes('network') ? 7 : 2, stdout: '' });
    expect(result.stderr).toContain(`agentalk: JOIN_FAILED error=`);
    expect(result.stderr).toContain(words);
  });

  test('join where the channel is gone: exit 3', async () => {
    const { url } = await pair();
    const result = await bob.run(['channel', 'join', url.replace(/token=\w+/, 'token=00'), '--json']);
    expect(result.code).toBe(3);
    expect(JSON.parse(result.stderr)).toMatchObject({ error: 'channel_or_token_invalid' });
  });

  test('join with another key than everyone has: leaves, exit 1', async () => {
    const { url } = await pair();
    const eve = new Terminal({});
    const result = await eve.run([
      'channel',
      'join',
      url.replace(/k=.*/, `k=${'a'.repeat(64)}`),
      '--name',
      'eve',
    ]);
    expect(result.code).toBe(4);
    expect(result.stderr).toContain('fingerprint mismatch');
    expect(result.stderr).toContain('disagreeing peers: ann bob');
    eve.remove();
  });
});

describe('parley channel › say, dm and listen', () => {
  test('a message comes through: exit 0, one line, the whole text in a private file', async () => {
    await pair();
    const text = 'quotes " \' $HOME `x` *\nsecond line\n';
    const sent = await ann.run(['channel', 'say', '-'], text);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toMatch(/^agentalk: SENT index=\d+\n$/);
    const heard = await bob.run(['channel', 'listen', '--timeout', '20']);
    expect(heard.code).toBe(0);
    const line = heard.stdout.split('\n').find((each) => each.includes('BROADCAST')) ?? '';
    const file = /file=(\S+)/.exec(line)?.[1] ?? '';
    expect(line).toContain(`BROADCAST from=ann bytes=${text.length} file=`);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  });

  test('one message at a time, each once, as lines or as objects', async () => {
    await pair();
    for (const text of ['one', 'two']) await ann.run(['channel', 'say', text]);
    await ann.run(['channel', 'dm', 'bob', 'three']);
    const heard: unknown[] = [];
    for (let n = 0; n < 3; n++) {
      const { stdout, code } = await bob.run(['channel', 'listen', '--timeout', '20', '--json']);
      expect(code).toBe(0);
      heard.push(
        ...stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      );
    }
    expect(heard).toEqual([
      { type: 'message', kind: 'broadcast', from: 'ann', human: false, count: 1, text: 'one', bytes: 3 },
      { type: 'message', kind: 'broadcast', from: 'ann', human: false, count: 1, text: 'two', bytes: 3 },
      { type: 'message', kind: 'dm', from: 'ann', human: false, count: 1, text: 'three', bytes: 5 },
    ]);
    expect((await bob.run(['channel', 'listen', '--timeout', '0.3'])).code).toBe(2);
  });

  test('dm to nobody is not sent: exit 3, and who is here', async () => {
    await pair();
    const lost = await ann.run(['channel', 'dm', 'eve', 'not for bob']);
    expect(lost).toMatchObject({ code: 3, stdout: '' });
    expect(lost.stderr).toMatch(/SEND_FAILED error=not_present to=eve\n.*here are: bob/);
    const asJson = await ann.run(['channel', 'dm', 'eve', 'x', '--json']);
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: 'not_present', present: ['bob'] });
    expect((await bob.run(['channel', 'listen', '--timeout', '0.3'])).stdout).not.toContain('DM');
  });

  test('dm finds the member whose name has spaces, by the name that the lines show', async () => {
    const created = await ann.json(['create', '--name', 'ann']);
    await bob.json(['join', '--name', 'bob the builder'], String(created['join_url']));
    for (const name of ['bobthebuilder', 'bob the builder']) await ann.run(['channel', 'dm', name, name]);
    for (const name of ['bobthebuilder', 'bob the builder']) {
      const heard = await bob.run(['channel', 'listen', '--timeout', '20', '--json']);
      expect(heard.stdout).toContain(`"kind":"dm","from":"ann","human":false,"count":1,"text":"${name}"`);
    }
  });

  test('both ends prove the key while they listen', async () => {
    await pair();
    const listening = ann.start(['channel', 'listen', '--follow']);
    await listening.printed('agentalk: WELCOMED bob\n');
    const heard = bob.start(['channel', 'listen', '--follow']);
    await heard.printed('agentalk: PAIRED with ann\n');
    for (const each of [listening, heard]) each.signal('SIGINT');
    expect((await listening.finished).code).toBe(130);
    expect((await heard.finished).code).toBe(130);
  });

  test('nothing in time: exit 2', async () => {
    await pair();
    expect(await bob.run(['channel', 'listen', '--timeout', '0.2'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('what a person was still writing when the time was over is a message: exit 0', async () => {
    const { url } = await pair();
    await personSays(url, 'are you there');
    const heard = await bob.run(['channel', 'listen', '--timeout', '2', '--json']);
    expect(heard.stdout).toContain('"human":true,"count":1,"text":"are you there"');
    expect(heard.code).toBe(0);
  });

  test('--follow goes on until the channel ends: exit 3', async () => {
    await pair();
    const follow = bob.start(['channel', 'listen', '--follow']);
    for (const text of ['one', 'two']) await ann.run(['channel', 'say', text]);
    await follow.printed('preview=two\n');
    for (const terminal of [ann, bob]) await leaveBehindItsBack(terminal);
    const { code, stdout } = await follow.finished;
    expect(code).toBe(3);
    expect(stdout).toMatch(/agentalk: SYSTEM \w+\n$/);
    expect((await bob.run(['channel', 'list', '--json'])).stdout).toBe('');
  });

  test('a send to a channel that is gone: exit 3, and it is forgotten', async () => {
    await pair();
    for (const terminal of [ann, bob]) await leaveBehindItsBack(terminal);
    const result = await bob.run(['channel', 'say', 'anyone?']);
    expect(result).toMatchObject({ code: 3, stdout: '' });
    expect(result.stderr).toBe(
      'agentalk: SEND_FAILED error=channel_or_token_invalid evicted_reason=evicted_empty\n' +
        'parley: the channel is over; ask for a new link, or make one with "parley channel create"\n',
    );
    expect((await bob.run(['channel', 'list', '--json'])).stdout).toBe('');
  });

  test('the numbering goes on from one command to the next', async () => {
    const { url } = await pair();
    for (const text of ['one', 'two', 'three']) await ann.run(['channel', 'say', text]);
    const reader = await channels.join(url, { name: 'reader', history: true });
    const seen: unknown[] = [];
    for await (const event of reader.stream()) {
      if (event.type === 'message' || event.type === 'gap') seen.push(event.type);
      if (event.type === 'message' && event.text === 'three') break;
    }
    expect(seen).toEqual(['message', 'message', 'message']);
  });

  test.each([
    ['an empty text', ['say', ''], 'empty_text'],
    ['a text that is too long', ['say', '-'], 'text_too_large'],
    ['a channel we are not in', ['say', 'x', '--channel', 'ffff'], 'no such channel'],
    ['input that is no text', ['say'], 'not UTF-8', Buffer.from([0x61, 0xff])],
  ])('refuses %s', async (_what, args, words, input?: Uint8Array) => {
    await pair();
    const result = await ann.run(['channel', ...args], input ?? 'x'.repeat(50_000));
    expect(result).toMatchObject({ code: words === 'no such channel' ? 3 : 2, stdout: '' });
    expect(result.stderr).toContain(words);
  });
});

describe('parley channel › leave and list', () => {
  test('shows what is joined, without secrets, and asks which when it is not clear', async () => {
    await pair();
    const second = await ann.json(['create', '--name', 'ann']);
    const list = await ann.run(['channel', 'list']);
    expect(list.stdout.trim().split('\n')).toHaveLength(2);
    expect(list.stdout).not.toMatch(/token|[0-9a-f]{48}/);
    const unclear = await ann.run(['channel', 'say', 'hi']);
    expect(unclear.code).toBe(2);
    expect(unclear.stderr).toContain(`--channel ${String(second['channel_id'])} --name 'ann'`);
    expect(
      (await ann.run(['channel', 'say', 'hi', '--channel', String(second['channel_id']).slice(0, 8)])).code,
    ).toBe(0);
  });

  test('leaving tells the others and deletes every file', async () => {
    await pair();
    await ann.run(['channel', 'say', 'hi']);
    await bob.run(['channel', 'listen', '--timeout', '20']);
    expect((await bob.run(['channel', 'leave'])).stdout).toMatch(/^left channel=[0-9a-f]{32} name=bob\n$/);
    expect(sessionFiles(bob)).toEqual([]);
    const heard = ann.start(['channel', 'listen', '--follow']);
    await heard.printed('agentalk: PEER_LEFT name=bob\n');
    heard.signal('SIGTERM');
    await heard.finished;
  });
});

describe('parley', () => {
  test('prints its version, and help with the exit codes', async () => {
    expect((await ann.run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = await ann.run(['channel', 'listen', '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('0 a message was received, 2 the timeout passed, 3 the channel is gone');
  });

  test('suggests the command that was meant', async () => {
    const result = await ann.run(['channel', 'lisen']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('listen');
  });
});

describe('parley channel › secrets', () => {
  test('neither key nor text nor token is in the server log', async () => {
    const { url } = await pair();
    await ann.run(['channel', 'say', 'a very secret sentence']);
    await bob.run(['channel', 'listen', '--timeout', '20']);
    const log = server.rawLog();
    expect(log).toContain('"event":"send"');
    for (const secret of [/token=(\w+)/, /#k=([\w-]+)/]) expect(log).not.toContain(secret.exec(url)?.[1]);
    expect(log).not.toContain('secret sentence');
  });
});

function sessionFile(terminal: Terminal): string {
  return sessionFiles(terminal).find((file) => /-[0-9a-f]{12}\.json$/.test(file)) ?? '';
}

/** The participant leaves, but the files of the command line stay as they are. */
async function leaveBehindItsBack(terminal: Terminal): Promise<void> {
  const { channelId, token, participantId } = JSON.parse(readFileSync(sessionFile(terminal), 'utf8'));
  await fetch(`${server.url}/channels/${channelId}/leave`, {
    method: 'POST',
    body: JSON.stringify({ token, participant_id: participantId }),
  });
}

/** A person in a browser, as far as the others can tell. */
async function personSays(url: string, text: string): Promise<void> {
  const { base, channelId, token, key } = parseJoinUrl(url);
  const client = new ChannelClient(new FetchTransport(base));
  const cipher = await ChannelCipher.create(channelId, key);
  const { participant_id } = await client.join(channelId, { token, name: 'pia' });
  for (const envelope of [helloEnvelope('aa', { human: true }), textEnvelope(text)]) {
    const sealed = await cipher.seal('pia', JSON.stringify(envelope));
    await client.send(channelId, { token, participant_id, text: sealed });
  }
}
