import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionAnswer, MessageAnswer } from '@parley/protocol/delivery/types';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import { type Child, startChild } from '../../testing/child-program.ts';
import { type FreshLocation, freshLocation, describeEachDialect } from '../../testing/databases.ts';
import type { Owner } from '../testing/agent-client.ts';
import { MessageClient } from '../testing/message-client.ts';

/** Real time: long enough to claim within it on a busy machine. */
const WINDOW = 2_000;

/** A server that is killed as by a power cut and started again on the same store. */
class Mortal {
  readonly #settings: object;
  #child: Child | undefined;
  #owner: Owner | undefined;
  /** How far its clock is ahead of ours. */
  #ahead = 0;
  url = '';

  constructor(settings: object) {
    this.#settings = settings;
  }

  async start(): Promise<void> {
    this.#child = await startChild('serve-delivery', [JSON.stringify(this.#settings), String(this.#ahead)]);
    this.url = await this.#child.until((line) => line.startsWith('http'));
  }

  async kill(): Promise<void> {
    await this.#child?.kill();
    this.#child = undefined;
  }

  /** Down for some time, as its own clock tells it. */
  async startLater(ms: number): Promise<void> {
    this.#ahead += ms;
    await this.start();
  }

  /** Between every two steps: nothing said so far may be lost, nothing may happen twice. */
  async crash(): Promise<MessageClient> {
    await this.kill();
    await this.start();
    return await this.client();
  }

  async client(): Promise<MessageClient> {
    const people = new People(this);
    this.#owner ??= await people.owner('max@example.com');
    return new MessageClient(people, this.#owner);
  }
}

describeEachDialect('executions › kill -9', (dialect) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-mortal-'));
  let place: FreshLocation | undefined;
  let server: Mortal;
  let max: MessageClient;
  let slug: string;
  let count = 0;

  const boot = async () => {
    place = await freshLocation(dialect);
    const database = 'url' in place.at ? { databaseUrl: place.at.url } : {};
    server = new Mortal({
      dataDir,
      ...database,
      rateLimits: false,
      dlClaimWindowMs: WINDOW,
      dlUnclaimedTimeoutMs: 900_000,
    });
    await server.start();
    max = await server.client();
  };

  afterAll(async () => {
    await server.kill();
    await place?.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });

  beforeEach(async () => {
    if (place === undefined) await boot();
    slug = `app-${++count}`;
    await max.create({ slug, delivery_capabilities: ['live', 'bg', 'inbox'] });
    await max.attach(slug, { session_token: 'T' });
  });

  const offer = (more: object = {}) => max.send(slug, { delivery_mode: 'live', ...more });

  test('after the offer: it is still open, and lapses when its time is over', async () => {
    const { id, execution_id: execution } = await offer();
    max = await server.crash();
    await expect
      .poll(() => max.message(id), { interval: 20 })
      .toMatchObject({ delivery_route: 'background_fallback' });
    expect(fallbacks(await max.execution(execution))).toBe(1);
    expect(await max.claimable({ task: `${slug}-bg` })).toHaveLength(1);
  });

  test('after the deadline passed while the server was down', async () => {
    const { id } = await offer({ live_fallback_mode: 'none' });
    await server.kill();
    await server.startLater(WINDOW + 300);
    max = await server.client();
    await expect
      .poll(() => max.message(id), { interval: 20 })
      .toMatchObject({
        delivery_state: 'failed',
        message_dispatch_error: 'live_unclaimed_no_fallback',
      });
  });

  test('after the live-claim: it stays claimed and does not lapse', async () => {
    const { id, execution_id: execution } = await offer();
    const claimed = await max.liveClaim(execution, { session_token: 'T' });
    const later = await offer();
    max = await server.crash();
    // The other one was offered later and nobody claimed it: once it has lapsed, this one would have.
    await expect.poll(() => max.message(later.id)).toMatchObject({ delivery_route: 'background_fallback' });
    const after = await max.execution(execution);
    expect(after).toMatchObject({ status: 'delivering', delivery_route: 'live', attempts: 1 });
    expect(after.live_claimed_at).toBe(claimed.body.live_claimed_at);
    expect(fallbacks(after)).toBe(0);
    expect(await max.liveClaim(execution, { session_token: 'T' })).toMatchObject({
      status: 200,
      body: claimed.body,
    });
    await max.outcome(execution, { success: true, executed_via: 'live' });
    max = await server.crash();
    expect(await max.message(id)).toMatchObject({ delivery_state: 'acked', delivery_route: 'live' });
    expect(await max.outcome(execution, { success: true })).toMatchObject({ status: 409 });
  });

  test('after the fallback, the claim of the background and its outcome', async () => {
    const { id, execution_id: execution } = await offer();
    await max.session('DELETE', slug, 'main');
    max = await server.crash();
    expect(await max.message(id)).toMatchObject({ delivery_route: 'background_fallback' });
    await max.claim(execution, 'w');
    max = await server.crash();
    expect(await max.execution(execution)).toMatchObject({ status: 'delivering', claimed_by_worker: 'w' });
    expect((await max.claim(execution, 'w2')).status).toBe(409);
    await max.outcome(execution, { success: true });
    max = await server.crash();
    const after = await max.execution(execution);
    expect(after).toMatchObject({ status: 'success', attempts: 1 });
    expect(fallbacks(after)).toBe(1);
  });

  test('a scheduled message is sent when it is due, once', async () => {
    const send_at = new Date(Date.now() + 2_000).toISOString();
    const { id, execution_id: execution } = await max.send(slug, { send_at, delivery_mode: 'bg' });
    max = await server.crash();
    await expect.poll(() => max.message(id)).toMatchObject({ delivery_route: 'background_direct' });
    const resolved = (await max.execution(execution)).routing_trace.filter(({ step }) => step === 'resolved');
    expect(resolved).toHaveLength(1);
  });

  test('in the middle of many sends: what was answered is there, what is repeated is stored once', async () => {
    await max.create({ slug: `${slug}-box` });
    const keys = Array.from({ length: 200 }, (_, n) => `${slug}-${n}`);
    const send = async (client: MessageClient, key: string) =>
      await client.trySend({ to: `${slug}-box`, body: key }, { 'Idempotency-Key': key });
    const answered = new Map<string, MessageAnswer>();
    const sending = keys.map(async (key) => {
      const answer = await send(max, key).catch(() => undefined);
      if (answer?.status === 201) answered.set(key, answer.body);
    });
    await expect.poll(() => answered.size, { interval: 1 }).toBeGreaterThanOrEqual(20);
    await server.kill();
    await Promise.all(sending);
    const before = answered.size;
    await server.start();
    max = await server.client();
    for (const { id, body } of answered.values()) expect(await max.message(id)).toMatchObject({ body });
    const again = await Promise.all(keys.map(async (key) => (await send(max, key)).body));
    for (const message of again) {
      const first = answered.get(message.body);
      if (first) expect(message.id).toBe(first.id);
    }
    const { total } = await max.inbox(`${slug}-box`, { peek: 'true' });
    const { messages } = await max.inbox(`${slug}-box`, { peek: 'true', limit: 200 });
    expect([total, messages.length]).toEqual([200, 200]);
    expect(new Set(messages.map(({ body }) => body)).size).toBe(200);
    expect(before).toBeGreaterThan(0);
  });
});

const fallbacks = ({ routing_trace: trace }: ExecutionAnswer): number =>
  trace.filter(({ step }) => step === 'live_window').length;
