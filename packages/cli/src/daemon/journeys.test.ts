import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { RoomClient } from '@parley/server/rooms/testing/room-client';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isRunning } from './process-note.ts';
import { Desk, pair, type Place, type Sent } from './testing/desk.ts';
import { overlaps, writeRoomProgram } from './testing/room-program.ts';

/** Takes a message up and answers it, one step for each file that is taken away. */
const CORRESPONDENT = `#!${process.execPath}
const { existsSync, readFileSync } = require('node:fs');
const { server, key_file, message_id, from } = JSON.parse(readFileSync(0, 'utf8'));
const headers = { authorization: 'Bearer ' + readFileSync(key_file, 'utf8'), 'content-type': 'application/json' };
const post = (path, body) => fetch(server + path, { method: 'POST', headers, body: JSON.stringify(body) });
const gone = async (file) => {
  for (let looks = 0; existsSync(file); looks += 1) {
    if (looks === 1_500) throw new Error(file + ' is never taken away');
    await new Promise((done) => setTimeout(done, 20));
  }
};
void (async () => {
  await gone('before-reading');
  await post('/v1/messages/' + message_id + '/read', {});
  await gone('before-answering');
  await post('/v1/messages', { to: from, body: 'calm, two knots', reply_to: message_id });
  await post('/v1/messages/' + message_id + '/ack', {});
})();
`;

describe('parley bridge › journeys', () => {
  let server: TestServer;
  let place: Place;
  const desks: Desk[] = [];

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    place = { url: server.url, client: new RoomClient(server) };
  });
  afterAll(() => server.close());
  afterEach(async () => {
    for (const desk of desks.splice(0)) await desk.close();
  });

  const newDesk = (): Desk => {
    const desk = new Desk(place);
    desks.push(desk);
    writeRoomProgram(desk.path('agent.mjs'));
    return desk;
  };

  test('two bridges carry a room of six turns by wakes alone', async () => {
    const [ann, ben] = await Promise.all([place.client.agent(), place.client.agent()]);
    const both = [newDesk(), newDesk()];
    for (const [at, { apiKey }] of [ann, ben].entries()) {
      await both[at]?.setUp(apiKey, [], ['--allow', 'rooms']);
      await both[at]?.serve();
    }
    const listing = await ann.list({ topic: 'tides', max_turns: 6 });
    await ben.connect(listing.id);
    await expect.poll(async () => (await ann.tryState(listing.room_id)).body.state).toBe('CLOSED');
    const begun = both.map((desk) => desk.lines('turns').filter((line) => line.startsWith('begin')));
    expect(begun.map((lines) => lines.map((line) => line.split(' ')[1]))).toEqual([
      ['0', '2', '4'],
      ['1', '3', '5'],
    ]);
    for (const desk of both) {
      expect(overlaps(desk.lines('turns'))).toEqual([]);
      await expect.poll(() => desk.status()).toContain('0 waiting');
    }
  });

  test('a cursor that the server does not know is recovered from, and the turn is not missed', async () => {
    const desk = newDesk();
    const [ann, ben] = await Promise.all([place.client.agent(), place.client.agent()]);
    await desk.setUp(ann.apiKey, [], ['--allow', 'rooms']);
    const listing = await ann.list({ topic: 'tides', max_turns: 6 });
    await ben.connect(listing.id);
    const state = { cursor: 'dly_0000000000000000', starts: [], ended: [] };
    writeFileSync(desk.kept('state.json'), JSON.stringify(state));
    await desk.serve();
    await expect.poll(async () => (await ann.state(listing.room_id)).next_actor_id).toBe(ben.id);
    expect(desk.told()).toContain('status=replay_required');
    await ben.send(listing.room_id, 'and now?');
    await expect.poll(async () => (await ann.state(listing.room_id)).turn_index).toBe(3);
    await expect.poll(() => readFileSync(desk.kept('state.json'), 'utf8')).toMatch(/"cursor": "dly_(?!0000)/);
    expect(overlaps(desk.lines('turns'))).toEqual([]);
  });

  test('whoever stops the bridge does not stop an agent at work, and the next bridge waits for it', async () => {
    const desk = newDesk();
    const room = await place.client.room();
    await desk.setUp(room.a.apiKey, [], ['--allow', 'rooms']);
    writeFileSync(desk.path('hold'), '');
    writeFileSync(desk.kept('queue', 'broken.json'), '{"id":"../x"');
    await desk.serve();
    await expect.poll(() => desk.lines('turns')).toHaveLength(1);
    expect(await desk.stop()).toBe(0);
    await desk.serve();
    await expect.poll(() => desk.told()).toContain('stream.connected');
    expect(await desk.status()).toContain('1 waiting');
    rmSync(desk.path('hold'));
    await expect.poll(() => desk.status()).toMatch(/0 waiting[\s\S]*obsolete/);
    expect(desk.lines('turns').map((line) => line.split(' ')[0])).toEqual(['begin', 'end']);
    expect((await room.a.state(room.id)).turn_index).toBe(1);
  });

  test('an agent that is over its time is ended, with everything it started', async () => {
    const desk = newDesk();
    const { scout, writer } = await pair(place.client);
    const helper = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })`;
    const program = `require('node:fs').writeFileSync('pids', process.pid + ' ' + ${helper}.pid + '\\n'); setInterval(() => {}, 1000)`;
    await desk.mustInit(
      scout.key,
      '--timeout',
      '1',
      '--cwd',
      desk.terminal.home,
      '--',
      process.execPath,
      '-e',
      program,
    );
    await desk.serve();
    await desk.send(writer.key, scout.address, 'take your time');
    await expect.poll(() => desk.status()).toContain('\tfailed ');
    const pids = (desk.lines('pids')[0] ?? '').split(' ').map(Number);
    expect(pids).toHaveLength(2);
    for (const pid of pids) await expect.poll(() => isRunning({ pid, started: null })).toBe(false);
  });

  test('the program of the guide answers', async () => {
    const { scout, writer } = await pair(place.client);
    const desk = newDesk();
    const guide = readFileSync(new URL('../../../../docs/bridge.md', import.meta.url), 'utf8');
    writeFileSync(desk.path('agent.mjs'), /```javascript\n([\s\S]*?)```/.exec(guide)?.[1] ?? '');
    await desk.setUp(scout.key);
    await desk.serve();
    const { id } = await desk.send(writer.key, scout.address, 'Are you there?');
    await expect.poll(() => desk.stage(writer.key, id)).toBe('acked');
    const inbox = await place.client.call('GET', '/v1/agents/writer/inbox', { key: writer.key });
    expect(inbox.body).toMatchObject({ messages: [{ body: 'Got it.', reply_to: id }] });
  });

  test('an agent that only the bridge starts answers a message sent by curl, and its sender sees each stage', async () => {
    const { scout, writer } = await pair(place.client);
    const desk = newDesk();
    const program = desk.path('correspondent');
    await desk.mustInit(scout.key, '--cwd', desk.terminal.home, '--', program);
    for (const file of ['before-reading', 'before-answering']) writeFileSync(desk.path(file), '');
    const curl = async (path: string, ...more: string[]): Promise<Record<string, unknown>> => {
      const words = ['-fsS', `${server.url}${path}`, '-H', `Authorization: Bearer ${writer.key}`, ...more];
      const { stdout } = await promisify(execFile)('curl', words);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const send_at = new Date(Date.now() + 1_500).toISOString();
    const body = JSON.stringify({ to: scout.address, body: 'How is the tide?', send_at });
    const sent = await curl('/v1/messages', '-H', 'content-type: application/json', '-d', body);
    const stage = async (): Promise<unknown> =>
      (await curl(`/v1/messages/${String(sent['id'])}`))['proven_stage'];
    expect(await stage()).toBe('stored');
    await expect.poll(stage).toBe('offered');
    await desk.serve();
    // The text is on the agent's machine, and its program is not.
    await expect.poll(stage).toBe('delivered');
    writeFileSync(program, CORRESPONDENT, { mode: 0o755 });
    await expect.poll(stage).toBe('invoked');
    rmSync(desk.path('before-reading'));
    await expect.poll(stage).toBe('claimed');
    rmSync(desk.path('before-answering'));
    await expect.poll(stage).toBe('acked');
    const inbox = await curl('/v1/agents/writer/inbox');
    const [answer] = inbox['messages'] as (Sent & { body: string; reply_to: string })[];
    expect(answer).toMatchObject({ body: 'calm, two knots', reply_to: sent['id'] });
  });
});
