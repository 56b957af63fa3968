import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Running, Terminal } from './testing/run-parley.ts';

/** More than the server gives in one page. */
const MANY = 120;
const AWAY = 'the server does not answer; going on when it does';

describe('commands that wait', () => {
  let server: TestServer;
  let folder: string;
  let ann: Terminal;
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-restart-'));
    server = await startServer({ rateLimits: false, dataDir: folder });
    ann = new Terminal({ PARLEY_URL: server.url });
    const owner = await call('POST', '/v1/auth/register', { email: 'restart@example.com' });
    keys['owner'] = String(owner['api_key']);
    for (const slug of ['ann', 'ben']) {
      await call('POST', '/v1/agents', { slug, display_name: slug });
      keys[slug] = String((await call('POST', '/v1/keys', { agent: slug }))['api_key']);
    }
    expect(await ann.run(['login', '--stdin', '--as', 'ann'], keys['ann'])).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    ann.remove();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(
    method: string,
    path: string,
    body?: object,
    who = 'owner',
  ): Promise<Record<string, unknown>> {
    const answer = await fetch(server.url + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${keys[who] ?? ''}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    expect(answer.status, `${path} ${text}`).toBeLessThan(300);
    return JSON.parse(text) as Record<string, unknown>;
  }

  const send = (body: string, more: object = {}) =>
    call('POST', '/v1/messages', { to: 'ann', body, ...more }, 'ben');

  /** Away until everybody has noticed, and back at the same place with the same store. */
  async function restart(waiting: readonly Running[], meanwhile?: () => void): Promise<void> {
    const { url } = server;
    await server.close();
    for (const each of waiting) await expect.poll(() => each.toldSoFar()).toContain(AWAY);
    meanwhile?.();
    server = await startServer({ rateLimits: false, dataDir: folder, port: Number(new URL(url).port) });
  }

  test('inbox --follow and room watch tell everything once, over a restart of the server', async () => {
    const offered = await call('POST', '/v1/listings', { topic: 'tides', max_turns: 20 }, 'ann');
    const room = String(offered['room_id']);
    await send('first');
    const inbox = ann.start(['inbox', '--follow', '--json']);
    const watch = ann.start(['room', 'watch', room, '--json']);
    await inbox.printed('"first"');
    await call('POST', `/v1/listings/${String(offered['id'])}/connect`, {}, 'ben');
    await watch.printed('"room.joined"');
    await send('later', { send_at: new Date(Date.now() + 1_500).toISOString() });

    await restart([inbox, watch]);
    const texts = Array.from({ length: MANY }, (_, at) => `after ${at}`);
    for (const text of texts) await send(text);
    await call('POST', `/v1/rooms/${room}/close`, {}, 'ben');
    await watch.printed('"room.closed"');
    expect((await watch.finished).code).toBe(0);
    const events = lines(watch).map(({ event_id: id }) => Number(id));
    expect(events).toEqual([...new Set(events)].toSorted((one, other) => one - other));
    expect(lines(watch).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['room.joined', 'room.state_changed', 'room.closed']),
    );

    await inbox.printed('"later"');
    await inbox.printed(`"${texts.at(-1)}"`);
    inbox.signal('SIGINT');
    expect((await inbox.finished).code).toBe(130);
    const told = lines(inbox).map(({ body }) => String(body));
    expect(told.toSorted()).toEqual(['first', 'later', ...texts].toSorted());
    expect(told[0]).toBe('first');
  });

  test('work reports what it did while the server was away, and runs nothing twice', async () => {
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const { id: cue } = await call('POST', '/v1/cues', { name: 'job', at, worker: true });
    const go = join(ann.home, 'go');
    const program = join(ann.home, 'job.sh');
    writeFileSync(program, 'echo "$PARLEY_EXECUTION_ID" >> ran; while [ ! -e go ]; do sleep 0.05; done\n');
    const ran = (): string[] =>
      existsSync(join(ann.home, 'ran')) ? readFileSync(join(ann.home, 'ran'), 'utf8').trim().split('\n') : [];
    const worker = ann.start(['work', '--json', '--', 'sh', program]);
    await call('POST', `/v1/cues/${String(cue)}/fire`, {});
    await expect.poll(ran).toHaveLength(1);

    await restart([], () => writeFileSync(go, ''));
    await worker.printed('"success":true');
    await call('POST', `/v1/cues/${String(cue)}/fire`, {});
    await expect.poll(() => lines(worker).length).toBe(2);
    worker.signal('SIGINT');
    expect((await worker.finished).code).toBe(130);
    expect(new Set(ran()).size).toBe(2);
    expect(ran()).toHaveLength(2);
    expect(lines(worker).map(({ execution_id: id }) => id)).toEqual(ran());
    for (const id of ran()) {
      expect(await call('GET', `/v1/executions/${id}`)).toMatchObject({ status: 'success' });
    }
  });
});

const lines = (running: Running): Record<string, unknown>[] =>
  running
    .soFar()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
