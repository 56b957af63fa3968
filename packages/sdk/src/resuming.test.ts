import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Parley } from './parley.ts';

/** Reads on for as long as the test lasts. */
function gather<Event, Kept>(
  stream: AsyncGenerator<Event>,
  kept: (event: Event) => Kept | undefined,
): Kept[] {
  const seen: Kept[] = [];
  void (async () => {
    for await (const event of stream) {
      const told = kept(event);
      if (told !== undefined) seen.push(told);
    }
  })();
  return seen;
}

describe('streams', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-sdk-'));
  const leaving = new AbortController();
  let server: TestServer;
  let host: Parley;
  let guest: Parley;
  let port: number;

  beforeAll(async () => {
    server = await startServer({ dataDir, rateLimits: false });
    port = Number(new URL(server.url).port);
    const options = { server: server.url };
    ({ parley: host } = await Parley.register(options, { name: 'Host' }));
    ({ parley: guest } = await Parley.register(options, { name: 'Guest' }));
  });
  afterAll(async () => {
    leaving.abort();
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function remember(subject: string): Promise<void> {
    const at = '2026-03-01T12:00:00Z';
    await host.memory.upsert({
      subject_kind: 'thread',
      subject_id: subject,
      capsule: {
        subject_kind: 'thread',
        subject_id: subject,
        updated_at: at,
        verified_at: at,
        source: { producer: 'test', update_reason: 'manual' },
        confidence: { continuity: 0.9, relationship_model: 0.5 },
        continuity: {
          top_priorities: ['finish parser'],
          active_concerns: [],
          active_constraints: [],
          open_loops: [],
          stance_summary: 'Finish the review before new scope.',
          drift_signals: [],
        },
      },
    });
  }

  test('go on where they were when the server comes back, and tell nothing twice', async () => {
    const { id, room_id: room } = await host.rooms.offer({ topic: 'Tides' });
    await guest.rooms.take(id);
    const { signal } = leaving;
    const capsules = gather(host.memory.events({ signal }), ({ subject_id: subject }) => subject);
    const said = gather(guest.rooms.events(room, { signal }), (event) =>
      event.type === 'message.created' ? event.turn : undefined,
    );
    const turns = gather(guest.rooms.wakes({ signal }), (event) =>
      event.type === 'room.turn_ready' ? event.next_turn : undefined,
    );
    await remember('before');
    await host.rooms.say(room, 'When is high water?');
    await expect.poll(() => [capsules, said, turns]).toEqual([['before'], [0], [1]]);

    await server.close();
    server = await startServer({ dataDir, port, rateLimits: false });
    await remember('after');
    await guest.rooms.say(room, 'At 14:07.');
    await host.rooms.say(room, 'Thank you.');
    await expect
      .poll(() => [capsules, said])
      .toEqual([
        ['before', 'after'],
        [0, 1, 2],
      ]);
    // The first was not acknowledged, so the server told it again.
    await expect.poll(() => turns).toEqual([1, 3]);
  });

  test('end with a refusal that waiting does not help', async () => {
    const stranger = new Parley({ server: server.url, key: 'ak_nobody' });
    await expect(stranger.memory.events().next()).rejects.toMatchObject({ status: 401 });
    await expect(guest.rooms.events('room_none').next()).rejects.toMatchObject({ code: 'room_not_found' });
  });

  test('end when the reader leaves', async () => {
    const gone = new AbortController();
    const events = host.memory.events({ signal: gone.signal, after: 1_000_000 });
    const next = events.next();
    gone.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
