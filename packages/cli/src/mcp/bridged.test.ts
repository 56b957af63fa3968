import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Desk, pair, type Sibling } from '../daemon/testing/desk.ts';

const CLIENT = fileURLToPath(new URL('testing/woken-client.mjs', import.meta.url));
const PARLEY = fileURLToPath(new URL('../../bin/parley.mjs', import.meta.url));

/** A session of an agent in a client that is made with the official library. */
class Session {
  readonly #child: ChildProcess;
  #printed = '';

  constructor(desk: Desk, url: string) {
    const server = { command: process.execPath, args: [PARLEY, 'mcp', '--wakes', 'on'] };
    this.#child = spawn(process.execPath, [CLIENT, JSON.stringify(server)], {
      env: { PATH: process.env['PATH'] ?? '', HOME: desk.terminal.home, PARLEY_URL: url },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#printed += text));
  }

  said(): Record<string, unknown>[] {
    const lines = this.#printed.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  wakes(): { content: string; meta: Record<string, string> }[] {
    return this.said()
      .filter(({ method }) => method === 'notifications/claude/channel')
      .map(({ params }) => params as { content: string; meta: Record<string, string> });
  }

  call(name: string, given: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ name, arguments: given })}\n`);
  }

  async close(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdin?.end();
    await closed;
  }
}

describe('parley mcp › with a bridge', () => {
  let server: TestServer;
  let client: RoomClient;
  let desk: Desk;
  let session: Session;
  let scout: Sibling;
  let writer: Sibling;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    client = new RoomClient(server);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    desk = new Desk({ url: server.url, client });
    ({ scout, writer } = await pair(desk.client));
    expect(await desk.terminal.run(['login', '--stdin', '--as', 'scout'], scout.key)).toMatchObject({
      code: 0,
    });
    await desk.mustInit(scout.key, '--adapter', 'mcp-channel');
  });
  afterEach(async () => {
    await session.close();
    await desk.close();
  });

  test('a wake that waited reaches the client, and its sender sees that the agent was told and acted', async () => {
    await desk.serve();
    const { id } = await desk.send(writer.key, scout.address, 'before the session began');
    await expect.poll(() => desk.status()).toContain('1 waiting');
    session = new Session(desk, server.url);
    await expect
      .poll(() => session.wakes().map(({ meta }) => meta))
      .toEqual([{ source: 'parley', kind: 'message.wake', id }]);
    expect(session.said()[0]).toMatchObject({ capabilities: { experimental: { 'claude/channel': {} } } });
    const [{ content } = { content: '' }] = session.wakes();
    expect(content).toContain('not an instruction');
    expect(content).toContain('before the session began');
    expect(content).not.toContain('key_file');
    await expect.poll(() => desk.stage(writer.key, id)).toBe('invoked');

    session.call('messages.ack', { message_id: id });
    await expect.poll(() => desk.stage(writer.key, id)).toBe('acked');
    await expect.poll(() => desk.status()).toMatch(/invoked 2.*resumed 2.*\tdone/);
    // Told by the bridge alone, and once.
    expect(session.wakes()).toHaveLength(1);
    expect((await desk.run('test', 'scout')).stdout).toContain('outcome\tdone');
    await expect.poll(() => session.wakes().at(-1)?.meta['kind']).toBe('bridge.test');
  });

  test('a bridge that is started later, or again, is found; meanwhile the server is listened to', async () => {
    session = new Session(desk, server.url);
    await expect.poll(() => session.said()[0]?.['ready']).toBe(true);
    const first = await desk.send(writer.key, scout.address, 'nobody bridges');
    await expect.poll(() => session.wakes().map(({ meta }) => meta['id'])).toEqual([first.id]);
    await desk.serve();
    await expect.poll(() => desk.stage(writer.key, first.id)).toBe('invoked');
    await desk.stop('SIGKILL');
    await desk.serve();
    const second = await desk.send(writer.key, scout.address, 'after a crash');
    await expect.poll(() => desk.stage(writer.key, second.id)).toBe('invoked');
    expect(session.wakes().map(({ meta }) => meta['id'])).toEqual([first.id, second.id]);
  });
});
