import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { RoomClient, type TestRoom } from '@parley/server/rooms/testing/room-client';
import { ROOMS_START } from '@parley/server/rooms/testing/room-scene';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { WebhookSink } from '@parley/server/testing/webhook-sink';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../bridge/log.ts';
import { writeSession } from '../bridge/kept/session-file.ts';
import { AgentDaemon } from './agent-daemon.ts';
import { AgentFiles } from './agent-files.ts';
import type { AgentConfig } from './daemon-config.ts';

/** One daemon with a hook, on a clock that moves when told. */
describe('parley bridge › time', () => {
  const clock = new FakeClock(ROOMS_START);
  let server: TestServer;
  let sink: WebhookSink;
  let home: string;
  let room: TestRoom;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    server = await startServer({ clock, rateLimits: false });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'parley-daemon-'));
    sink = new WebhookSink();
    await sink.listen();
    room = await new RoomClient(server).room({ ttl_seconds: 7200 });
  });
  afterEach(async () => {
    await stop();
    await sink.close();
    rmSync(home, { recursive: true, force: true });
  });

  const start = (): AgentFiles => {
    const agent: AgentConfig = {
      name: 'scout',
      server: server.url,
      adapter: { type: 'http-hook', url: sink.url('/hooks/agent'), token: 'hook-token', agent_id: 'main' },
      allow: ['rooms'],
      startsPerHour: 30,
      concurrency: 1,
      timeoutSeconds: 120,
      startup: false,
    };
    const files = new AgentFiles(home, agent.name);
    const session = { session_token: '', agent_id: '', updated_at: '' };
    writeSession(files.session, { api_key: room.a.apiKey, ...session });
    const transport = new NodeTransport(server.url, {});
    const log = createLog({ clock, write: () => {} });
    const daemon = new AgentDaemon({
      agent,
      files,
      transport,
      clock,
      log,
      random: () => 0,
      isPaused: () => false,
    });
    const end = new AbortController();
    const ended = daemon.run(end.signal);
    stop = async () => {
      end.abort();
      const done = ended.then(() => true);
      while (!(await Promise.race([done, clock.advance(500).then(() => false)])));
      transport.close();
    };
    return files;
  };
  const calls = (): number => sink.received.length;

  test('a hook that takes twelve seconds is called once', async () => {
    const answers: ((status: number) => void)[] = [];
    sink.answer = () => new Promise<number>((resolve) => void answers.push(resolve));
    const files = start();
    await expect.poll(calls).toBe(1);
    for (let second = 0; second < 12; second++) await clock.advance(1000);
    expect(calls()).toBe(1);
    answers[0]?.(200);
    await expect.poll(() => files.ended.map(({ outcome }) => outcome)).toEqual(['done']);
    await clock.advance(60_000);
    expect(calls()).toBe(1);
  });

  test('a hook that fails is called again, each time later', async () => {
    sink.answer = () => 500;
    const files = start();
    await expect.poll(() => files.items()[0]?.attempts).toBe(1);
    for (const [seconds, attempts] of [
      [4, 1],
      [1, 2],
      [9, 2],
      [1, 3],
      [20, 4],
    ] as const) {
      await clock.advance(seconds * 1000);
      await expect.poll(() => files.items()[0]?.attempts).toBe(attempts);
      expect(calls()).toBe(attempts);
    }
    expect(files.items()[0]?.last_error).toContain('500');
  });

  test('after a bridge that was killed during a call, the hook is left alone for as long as one run may take', async () => {
    const files = start();
    await expect.poll(calls).toBe(1);
    await expect.poll(() => files.ended).toHaveLength(1);
    await stop();
    const at = new Date(clock.now()).toISOString();
    const [ended] = files.ended;
    const left = { message_id: null, execution_id: null, handoff_id: null, room_id: room.id };
    rmSync(join(files.folder, 'state.json'));
    const again = start();
    await expect.poll(calls).toBe(1);
    again.put({
      id: ended?.id ?? '',
      type: 'room.turn_ready',
      from: '',
      ...left,
      data: { next_turn: 0 },
      delivered_at: at,
      attempts: 0,
      starting_at: at,
      run_id: 'of a bridge that is gone',
    });
    for (let second = 0; second < 119; second++) await clock.advance(1000);
    expect(calls()).toBe(1);
    await clock.advance(7000);
    await expect.poll(calls).toBe(2);
  });
});
