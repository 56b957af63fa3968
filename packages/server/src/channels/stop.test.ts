import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ChannelClient } from '../testing/channel-client.ts';
import { type Child, startNode } from '../testing/child-program.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { head, RawSocket } from '../testing/raw-socket.ts';
import { startServer } from '../testing/start-server.ts';

describe('stopping', () => {
  test('answers parked polls with 204 and accepts nobody new', async () => {
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
    // Reset, where a program that another test starts in this moment still holds a copy of the listening socket.
    await expect(new ChannelClient(server).get('/health')).rejects.toThrow(/ECONNREFUSED|ECONNRESET|hang up/);
  });

  test('tells clients that keep their connections to let go of them', async () => {
    const server = await startServer({ clock: new FakeClock() });
    // Past any proxy, which keeps connections of its own.
    const client = new ChannelClient({ ...server, url: server.nodes[0]?.url ?? server.url });
    const peer = await (await client.create()).join('a');
    expect((await client.get('/health')).headers.connection).toBe('keep-alive');
    const parked = peer.poll({ since: 1 });
    await client.parked(1);
    const closing = server.close();
    expect((await parked).headers.connection).toBe('close');
    await closing;
  });

  test('is not held up by clients that poll again at once', async () => {
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

  test('may be asked for twice', async () => {
    const server = await startServer();
    await Promise.all([server.close(), server.close()]);
    await expect(new ChannelClient(server).get('/health')).rejects.toThrow('ECONNREFUSED');
  });
});

const PROGRAM = new URL('../../dist/main.js', import.meta.url);
if (!existsSync(PROGRAM)) process.stderr.write('the server is not built: it is not tested as a process\n');

async function urlOf(child: Child): Promise<string> {
  const line = await child.until((candidate) => candidate.includes('"event":"listening"'));
  return (JSON.parse(line) as { url: string }).url;
}

// Side by side, because one of them has to wait for the grace time of a stop.
describe.skipIf(!existsSync(PROGRAM)).concurrent('the server as a process', { timeout: 60_000 }, () => {
  const started: { child: Child; dataDir: string }[] = [];
  afterAll(async () => {
    await Promise.all(started.map(({ child }) => child.kill()));
    for (const { dataDir } of started) rmSync(dataDir, { recursive: true, force: true });
  });

  function serve(flags: string[] = [], dataDir = mkdtempSync(join(tmpdir(), 'parley-stop-'))) {
    const script = `process.exitCode = await (await import('${PROGRAM.href}')).serve(process.argv.slice(1))`;
    const settings = ['--port=0', `--data-dir=${dataDir}`, '--log-format=json', ...flags];
    const child = startNode('the server', ['--input-type=module', '--eval', script, '--', ...settings]);
    started.push({ child, dataDir });
    return { child, dataDir };
  }

  test.each(['SIGTERM', 'SIGINT'] as const)('on %s answers parked polls and exits with 0', async (signal) => {
    const { child } = serve();
    const client = new ChannelClient({ url: await urlOf(child) });
    const peer = await (await client.create()).join('a');
    const parked = peer.poll({ since: 1 });
    await client.parked(1);
    child.process.kill(signal);
    expect((await parked).status).toBe(204);
    await child.finished();
    expect(child.lines.some((line) => line.includes('"event":"stopped"'))).toBe(true);
  });

  test('exits with 0 although a client never finishes its request', async () => {
    const { child } = serve();
    const url = await urlOf(child);
    const socket = new RawSocket(url).write(head('POST /channels HTTP/1.1', 'Host: a', 'Content-Length: 9'));
    await new ChannelClient({ url }).get('/health');
    child.process.kill('SIGTERM');
    await child.finished();
    expect(child.process.exitCode).toBe(0);
    socket.destroy();
  });

  test('refuses a folder that another server owns, naming process and folder', async () => {
    const first = serve();
    await urlOf(first.child);
    const refusal = serve([], first.dataDir).child.finished();
    await expect(refusal).rejects.toThrow(/ended with [1-9]/);
    await expect(refusal).rejects.toThrow(String(first.child.process.pid));
    await expect(refusal).rejects.toThrow(first.dataDir);
  });

  test('exits with 2 and says why when a setting is wrong', async () => {
    const { child } = serve(['--ch-idle-timeout=5']);
    await expect(child.finished()).rejects.toThrow(
      /ended with 2: .*--ch-idle-timeout.*did you mean --ch-idle-timeout-ms/s,
    );
  });
});
