import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChannelClient } from '../testing/channel-client.ts';
import { type Child, startChild } from '../testing/child-program.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { head, RawSocket } from '../testing/raw-socket.ts';
import { startServer } from '../testing/start-server.ts';

describe('stopping', () => {
  it('answers parked polls with 204 and accepts nobody new', async () => {
    const server = await startServer({ clock: new FakeClock() });
    const client = new ChannelClient(server);
    const channel = await client.create();
    const [a, b] = [await channel.join('a'), await channel.join('b')];
    const parked = [a.poll({ since: 2 }), b.poll({ since: 999 })];
    const withRoster = b.poll({ since: 2, roster: 1 });
    await client.parked(3);
    const closing = server.close();
    for (const { status, text, headers } of await Promise.all(parked))
      expect([status, text, headers['parley-cursor']]).toEqual([204, '', '2']);
    expect(await withRoster).toMatchObject({ status: 200, body: { messages: [], cursor: 2 } });
    await closing;
    await expect(new ChannelClient(server).get('/health')).rejects.toThrow('ECONNREFUSED');
  });

  it('is not held up by clients that poll again at once', async () => {
    const server = await startServer({ clock: new FakeClock() });
    const client = new ChannelClient(server);
    const peer = await (await client.create()).join('a');
    let polls = 0;
    const loyal = (async () => {
      for (;;) {
        polls++;
        const answer = await peer.poll({ since: 1 });
        if (answer.status !== 204) return;
      }
    })().catch(() => undefined);
    await client.parked(1);
    // The fake clock stands still, so nobody is cut: the stop ends only if every poll is answered.
    await server.close();
    await loyal;
    expect(polls).toBeLessThan(5);
  });

  it('cuts off who has not finished a request when the grace is over', async () => {
    const clock = new FakeClock();
    const server = await startServer({ clock });
    const socket = new RawSocket(server.url).write('POST /channels HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n');
    await new ChannelClient(server).get('/health');
    const closing = server.close();
    await clock.advance(4_000);
    await socket.untilClosed();
    await closing;
    expect(socket.received).toBe('');
  });

  it('may be asked for twice', async () => {
    const server = await startServer();
    await Promise.all([server.close(), server.close()]);
  });
});

describe('the server as a process', () => {
  let dataDir: string;
  const children: Child[] = [];

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'parley-stop-'));
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => child.kill()));
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function serve(...flags: string[]): Promise<Child> {
    const child = await startChild('serve', ['--port=0', `--data-dir=${dataDir}`, '--log-format=json', ...flags]);
    children.push(child);
    return child;
  }
  async function urlOf(child: Child): Promise<string> {
    const line = await child.until((candidate) => candidate.includes('"event":"listening"'));
    return (JSON.parse(line) as { url: string }).url;
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('on %s answers parked polls and exits with 0', async (signal) => {
    const child = await serve();
    const client = new ChannelClient({ url: await urlOf(child) });
    const peer = await (await client.create()).join('a');
    const parked = peer.poll({ since: 1 });
    await client.parked(1);
    const started = performance.now();
    child.process.kill(signal);
    expect((await parked).status).toBe(204);
    await child.finished();
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(child.lines.some((line) => line.includes('"event":"stopped"'))).toBe(true);
  });

  it('exits with 0 in five seconds even if a client never finishes its request', async () => {
    const child = await serve();
    const url = await urlOf(child);
    const socket = new RawSocket(url).write(head('POST /channels HTTP/1.1', 'Host: a', 'Content-Length: 9'));
    await new ChannelClient({ url }).get('/health');
    const started = performance.now();
    child.process.kill('SIGTERM');
    await child.finished();
    expect(performance.now() - started).toBeLessThan(5_000);
    socket.destroy();
  });

  it('refuses a folder that another server owns, naming process and folder', async () => {
    const first = await serve();
    await urlOf(first);
    const second = await serve();
    const refusal = second.finished();
    await expect(refusal).rejects.toThrow(/ended with [1-9]/);
    await expect(refusal).rejects.toThrow(String(first.process.pid));
    await expect(refusal).rejects.toThrow(dataDir);
  });

  it('exits with 2 and says why when a setting is wrong', async () => {
    const child = await serve('--ch-idle-timeout=5');
    await expect(child.finished()).rejects.toThrow(
      /ended with 2: .*--ch-idle-timeout.*did you mean --ch-idle-timeout-ms/s,
    );
  });
});
