import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createReadStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { channels } from '@parley/sdk/channels';
import { official } from '@parley/server/mcp/testing/official-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

interface Entry {
  command: string;
  args: string[];
}

let server: TestServer;
let ada: Terminal;

beforeAll(async () => {
  server = await startServer({ rateLimits: false });
  ada = new Terminal({ PARLEY_URL: server.url });
  const { code, stderr } = await ada.run(['agent', 'register', 'ada']);
  if (code !== 0) throw new Error(stderr);
});
afterAll(async () => {
  ada.remove();
  await server.close();
});

/** What is printed for a client, as the client would read it. */
async function printed(client: string): Promise<{ path: string; content: string }[]> {
  const { stdout, stderr, code } = await ada.run(['install', client, '--print', '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return (JSON.parse(stdout) as { files: { path: string; content: string }[] }).files;
}

async function entry(): Promise<Entry> {
  const [file] = await printed('cursor');
  return (JSON.parse(file?.content ?? '') as { mcpServers: { parley: Entry } }).mcpServers.parley;
}

/** A client that speaks line by line. */
class LineClient {
  readonly told: string[] = [];
  readonly #child: ChildProcess;
  #count = 0;

  constructor({ command, args }: Entry, more: readonly string[]) {
    this.#child = spawn(command, [...args, ...more], {
      env: { PATH: process.env['PATH'] ?? '', HOME: ada.home },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#child.stdout ?? process.stdin }).on('line', (line) =>
      this.told.push(line),
    );
  }

  async ask(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++this.#count;
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const answers = () =>
      this.told
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter((said) => said['id'] === id);
    await expect.poll(answers).toHaveLength(1);
    return answers()[0] ?? {};
  }

  async call(name: string, given: object): Promise<Record<string, unknown>> {
    const { result } = await this.ask('tools/call', { name, arguments: given });
    return (result as { structuredContent: Record<string, unknown> }).structuredContent;
  }

  async close(): Promise<number> {
    this.#child.stdin?.end();
    const [code] = (await once(this.#child, 'close')) as [number];
    return code;
  }
}

describe('parley mcp', () => {
  test('serves a client that is configured as printed, without a secret in the configuration', async () => {
    const key = readFileSync(join(ada.home, '.config/parley/credentials.json'), 'utf8');
    const secret = /ak_[\w-]+/.exec(key)?.[0] ?? 'none';
    for (const client of ['claude-code', 'codex', 'gemini', 'cursor', 'vscode', 'openclaw']) {
      expect(JSON.stringify(await printed(client))).not.toContain(secret);
    }
    const answer = await official(
      { library: 'newer', stdio: await entry(), calls: [{ name: 'agents.whoami', arguments: {} }] },
      { HOME: ada.home },
    );
    expect(answer.tools).toEqual(expect.arrayContaining(['messages.send', 'channels.create']));
    expect(answer.results).toMatchObject([
      { isError: false, structuredContent: { agent: { display_name: 'ada' } } },
    ]);
  });

  test('seals channels by itself: the server never has the key', async () => {
    const client = new LineClient(await entry(), ['--tools', 'messages']);
    const created = await client.call('channels.create', { name: 'ada' });
    const bob = await channels.join(String(created['join_url']), { name: 'bob' });
    await bob.send('hello ada');
    const heard: unknown[] = [];
    await expect
      .poll(
        async () => {
          heard.push(...((await client.call('channels.read', { wait_seconds: 5 }))['events'] as unknown[]));
          return JSON.stringify(heard);
        },
        { timeout: 20_000 },
      )
      .toContain('hello ada');
    expect(await client.call('channels.send', { text: 'hello bob' })).toMatchObject({ ok: true });
    expect(await client.call('channels.leave', {})).toEqual({ ok: true });
    expect(await client.call('channels.send', { text: 'x' })).toMatchObject({ ok: false });
    expect(server.rawLog()).not.toContain(String(created['join_url']).split('#')[1] ?? 'none');
    expect(await client.close()).toBe(0);
  });

  test('hands on how far a rebuild is, and answers after that', async () => {
    const client = new LineClient(await entry(), []);
    await client.call('memory.write', { path: 'docs/tides.md', content: 'high at six' });
    const { result } = await client.ask('tools/call', {
      name: 'index.rebuild_full',
      arguments: {},
      _meta: { progressToken: 'p' },
    });
    expect(result).toMatchObject({ isError: false, structuredContent: { file_count: 1 } });
    const [told, answer] = client.told.slice(-2).map((line) => JSON.parse(line) as unknown);
    expect(told).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 1, total: 1 },
    });
    expect(answer).toMatchObject({ result });
    expect(await client.close()).toBe(0);
  });

  test('tells a client what wakes the agent', async () => {
    const client = new LineClient(await entry(), ['--wakes', 'on']);
    const { result } = await client.ask('initialize', { protocolVersion: '2025-11-25' });
    expect(result).toMatchObject({ capabilities: { experimental: { 'claude/channel': {} }, tools: {} } });
    const { id } = (await client.call('agents.whoami', {}))['agent'] as { id: string };
    const other = new Terminal({ PARLEY_URL: server.url });
    await other.run(['agent', 'register', 'bob']);
    const key =
      /ak_[\w-]+/.exec(readFileSync(join(other.home, '.config/parley/credentials.json'), 'utf8'))?.[0] ?? '';
    const sent = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: id, body: 'wake up' }),
    });
    expect(sent.status).toBe(201);
    await expect.poll(() => client.told.join('\n')).toContain('message.wake');
    expect(client.told.join('\n')).toContain('notifications/claude/channel');
    other.remove();
    expect(await client.close()).toBe(0);
  });
});

describe('parley install', () => {
  test.each(['claude-code', 'codex', 'gemini', 'cursor', 'vscode', 'openclaw'])(
    'writes the files of %s beside what is there, once, and takes them out again',
    async (client) => {
      const someone = new Terminal({ PARLEY_URL: server.url });
      const installed = await someone.run(['install', client, '--json']);
      expect([installed.code, installed.stderr]).toEqual([0, '']);
      const { files } = JSON.parse(installed.stdout) as { files: { path: string; content: string }[] };
      const first = files[0]?.path ?? '';
      if (first.endsWith('.json')) {
        const theirs = JSON.parse(readFileSync(first, 'utf8')) as Record<string, unknown>;
        writeFileSync(first, JSON.stringify({ ...theirs, theirs: 1 }));
      }
      await someone.run(['install', client]);
      for (const { path, content } of files.slice(1)) expect(readFileSync(path, 'utf8')).toBe(content);
      const undone = await someone.run(['install', client, '--undo', '--json']);
      const left = (JSON.parse(undone.stdout) as { files: { content: string }[] }).files.map(
        ({ content }) => content,
      );
      expect(left).toEqual(
        files.map(({ path }, at) => (at === 0 && path.endsWith('.json') ? '{\n  "theirs": 1\n}\n' : '')),
      );
      someone.remove();
    },
  );

  test('takes out what was written for every client, and leaves alone what it cannot read', async () => {
    const someone = new Terminal({ PARLEY_URL: server.url });
    await someone.run(['install', 'claude-code']);
    await someone.run(['install', 'vscode']);
    const theirs = join(someone.home, '.cursor/mcp.json');
    mkdirSync(join(someone.home, '.cursor'));
    writeFileSync(theirs, '// theirs\n{}\n');
    const undone = await someone.run(['install', '--undo']);
    expect([undone.code, undone.stderr]).toEqual([
      0,
      expect.stringContaining(`${theirs} is no JSON object, and left as it is`),
    ]);
    const left = readdirSync(someone.home, { recursive: true, withFileTypes: true });
    expect(left.flatMap((file) => (file.isFile() ? [file.name] : []))).toEqual(['mcp.json']);
    expect((await someone.run(['install'])).code).toBe(2);
    someone.remove();
  });

  test('tells agents whose client has no hooks to save what they know', async () => {
    for (const client of ['gemini', 'cursor', 'vscode'])
      expect((await printed(client)).at(-1)?.content).toContain('continuity.save');
    for (const client of ['claude-code', 'codex'])
      expect((await printed(client)).at(-1)?.content).toContain('.parley/state.json');
  });

  test('names the profile that it was asked for, and what it writes acts as that one', async () => {
    const two = new Terminal({ PARLEY_URL: server.url });
    await two.run(['agent', 'register', 'first']);
    await two.run(['agent', 'register', 'second', '--replace']);
    const { stdout } = await two.run(['profile', 'list', '--json']);
    const [first] = stdout.split('\n').map((line) => JSON.parse(line || '{}') as { name?: string });
    const asked = ['install', 'claude-code', '--print', '--json', '--profile', first?.name ?? ''];
    const { files } = JSON.parse((await two.run(asked)).stdout) as { files: { content: string }[] };
    const [config, hooks] = files.map(({ content }) => content);
    expect(hooks).toContain(`--profile ${first?.name}`);
    const stdio = (JSON.parse(config ?? '') as { mcpServers: { parley: Entry } }).mcpServers.parley;
    const calls = [{ name: 'agents.whoami', arguments: {} }];
    const { results } = await official({ library: 'newer', stdio, calls }, { HOME: two.home });
    expect(results).toMatchObject([{ structuredContent: { agent: { display_name: 'first' } } }]);
    two.remove();
  });

  test('writes through no link that leads out of the project', async () => {
    const someone = new Terminal({ PARLEY_URL: server.url });
    const outside = join(someone.home, 'outside');
    const folder = join(someone.home, 'project');
    mkdirSync(outside);
    mkdirSync(folder);
    writeFileSync(join(outside, 'profile'), 'theirs\n');
    const install = (client: string) => someone.run(['install', client, '--folder', folder]);
    for (const [client, link, target] of [
      ['claude-code', 'CLAUDE.md', join(outside, 'profile')],
      ['claude-code', '.claude', outside],
      ['cursor', '.cursor', join(outside, 'not-there')],
    ] as const) {
      symlinkSync(target, join(folder, link));
      expect(await install(client)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('is a link that leads out of') as string,
      });
      rmSync(join(folder, link));
    }
    expect([readdirSync(folder), readdirSync(outside)]).toEqual([[], ['profile']]);
    expect(readFileSync(join(outside, 'profile'), 'utf8')).toBe('theirs\n');
    // One that stays inside is a matter of taste.
    writeFileSync(join(folder, 'AGENTS.md'), '# Rules\n');
    symlinkSync('AGENTS.md', join(folder, 'CLAUDE.md'));
    expect(await install('claude-code')).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(folder, 'AGENTS.md'), 'utf8')).toMatch(/^# Rules\n\n<!-- >>> parley/);
    someone.remove();
  });

  test('says how to install a program that is in no file', async () => {
    const program = createReadStream(join(import.meta.dirname, '../../dist/cli.mjs'));
    const piped = spawn(process.execPath, ['-', 'install', 'cursor'], {
      env: { HOME: ada.home, PARLEY_URL: server.url },
      cwd: ada.home,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    program.pipe(piped.stdin);
    const [stderr, [code]] = await Promise.all([text(piped.stderr), once(piped, 'close')]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/not in a file.*\n.*install\.sh/)]);
  });
});
