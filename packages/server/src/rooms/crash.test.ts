import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { RoomHistoryAnswer } from '@parley/protocol/rooms/types';
import { describeEachDatabase } from '../testing/databases.ts';
import { Phoenix } from '../testing/phoenix.ts';
import { SseReader } from '../testing/sse-reader.ts';
import { must, RoomAgent, RoomClient } from './testing/room-client.ts';
import { HookSink } from './webhooks/testing/hook-sink.ts';

const TURNS = 60;
const KILLS = 4;
const CLAIM_MS = 60_000;

/** An agent as a careful client is: speaks only when woken, acknowledges first, repeats what was not answered. */
class Player {
  readonly id: string;
  readonly seen: number[] = [];
  readonly acknowledged: string[] = [];
  readonly wakes: string[] = [];
  readonly #phoenix: Phoenix;
  readonly #roomId: string;
  readonly #agent: RoomAgent;
  closed = false;

  constructor(phoenix: Phoenix, roomId: string, agent: RoomAgent) {
    this.#phoenix = phoenix;
    this.#roomId = roomId;
    this.#agent = agent;
    this.id = agent.id;
  }

  /** Follows both streams over every crash, until the room is over. */
  async play(): Promise<void> {
    while (!this.closed) await this.#connection().catch(() => sleep(5));
  }

  async #connection(): Promise<void> {
    const { url } = this.#phoenix;
    const agent = this.at(url);
    const cursor = this.acknowledged.at(-1);
    const query = cursor === undefined ? '' : `?last_delivery_id=${cursor}`;
    const server = { url };
    const [wakes, events] = await Promise.all([
      SseReader.open(server, `/v1/agent/stream${query}`, { key: agent.session }),
      SseReader.open(server, `/v1/rooms/${this.#roomId}/events?since=${this.seen.at(-1) ?? 0}`, {
        key: agent.session,
      }),
    ]);
    const before = this.seen.length;
    const note = (): void => void this.seen.splice(before, Number.POSITIVE_INFINITY, ...events.ids);
    try {
      for (let next = 1; !this.closed; next++) {
        await wakes.until(({ frames }) => frames.length > next);
        const frame = wakes.frames[next];
        if (frame?.id === undefined) throw new Error(`not resumed: ${wakes.text}`);
        this.wakes.push(frame.id);
        await this.#handle(agent, frame.id, frame.data);
      }
      await events.event('room.closed');
    } finally {
      note();
      wakes.close();
      events.close();
    }
  }

  async #handle(agent: RoomAgent, id: string, data: Record<string, unknown>): Promise<void> {
    if (data.type === 'room.turn_ready') await this.#speak(agent, Number(data.next_turn));
    must(200, await agent.acknowledge(id));
    this.acknowledged.push(id);
    if (data.type === 'room.closed') this.closed = true;
  }

  async #speak(agent: RoomAgent, turn: number): Promise<void> {
    const { bundle_hash: hash, next_turn: current } = await agent.context(this.#roomId);
    // Said already, in a life that ended before the acknowledgement.
    if (current !== turn) return;
    const body = { expected_turn: turn, ciphertext: `turn ${turn}`, bundle_hash: hash };
    must(201, await agent.post(this.#roomId, body, { headers: { 'idempotency-key': `turn ${turn}` } }));
  }

  at(url: string): RoomAgent {
    const { apiKey, session } = this.#agent;
    return new RoomAgent(new RoomClient({ url }), this.id, apiKey, session);
  }
}

describeEachDatabase('rooms › kill -9 in the middle of a room', (_open, { location }) => {
  const cleanups: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('nothing is lost and nothing doubled: turns, events, wakes, webhooks', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-crash-'));
    cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const at = await location();
    const sink = await HookSink.open();
    cleanups.push(() => sink.close());
    const settings = { dataDir, rateLimits: false, callbackAllow: [sink.host] };
    const phoenix = new Phoenix('url' in at ? { ...settings, databaseUrl: at.url } : settings, CLAIM_MS);
    cleanups.push(() => phoenix.die());
    await phoenix.rise();

    const room = await new RoomClient(phoenix).room({ max_turns: TURNS, ttl_seconds: 7200 });
    for (const agent of [room.a, room.b]) {
      const url = sink.url(`/${agent.id}`);
      must(201, await agent.call('POST', '/v1/agent/webhooks', { body: { url, secret: 'hook-secret-1' } }));
    }
    const players = [new Player(phoenix, room.id, room.a), new Player(phoenix, room.id, room.b)];
    const game = Promise.all(players.map((player) => player.play()));
    const turnsTaken = (): number => new Set(sink.received.map(({ body }) => body.event_id)).size;
    for (let kill = 1; kill <= KILLS; kill++) {
      await expect.poll(() => turnsTaken() >= (TURNS / (KILLS + 1)) * kill).toBe(true);
      // At a different moment of a turn each time.
      await sleep(kill * 2);
      await phoenix.die();
      await phoenix.rise();
    }
    await game;

    const [a, b] = players;
    const history: RoomHistoryAnswer['items'] = [];
    for (let since = 0; ; since = history.at(-1)?.event_id ?? 0) {
      const page = await players[0]?.at(phoenix.url).history(room.id, { since });
      if (!page || page.items.length === 0) break;
      history.push(...page.items);
    }
    const said = history.filter(({ type }) => type === 'message.created');
    expect(said.map(({ turn, ciphertext }) => [turn, ciphertext])).toEqual(
      Array.from({ length: TURNS }, (_, turn) => [turn, `turn ${turn}`]),
    );
    const ids = history.map(({ event_id: id }) => id);
    expect(a?.seen).toEqual(ids);
    expect(b?.seen).toEqual(ids);

    for (const { wakes, acknowledged, id } of players) {
      expect(new Set(acknowledged).size).toBe(acknowledged.length);
      // Acknowledged is never sent again; whatever came twice was cut off before.
      for (const delivery of acknowledged) {
        expect(wakes.lastIndexOf(delivery) - wakes.indexOf(delivery)).toBeLessThanOrEqual(KILLS);
      }
      expect(wakes.length - new Set(wakes).size).toBeLessThanOrEqual(KILLS);

      const told = (): { event: number; delivery: string }[] =>
        sink.received
          .filter(({ path }) => path === `/${id}`)
          .map(({ body }) => ({ event: body.event_id, delivery: body.delivery_id }));
      const expected = history
        .filter(({ type, sender_id: sender }) => type === 'message.created' && sender !== id)
        .map(({ event_id: event }) => event);
      const last = history.at(-1);
      if (last?.sender_id !== id) expected.push(last?.event_id ?? 0);
      await expect.poll(() => new Set(told().map(({ event }) => event)).size === expected.length).toBe(true);
      const once = told().filter((hook, at2, all) => at2 === 0 || hook.event !== all[at2 - 1]?.event);
      expect(once.map(({ event }) => event)).toEqual(expected);
      // A hook that was being sent at a kill comes again under its own name.
      expect(new Set(told().map(({ delivery }) => delivery)).size).toBe(expected.length);
      expect(told().length - expected.length).toBeLessThanOrEqual(KILLS);
    }
  }, 120_000);
});
