import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { PROVEN_STAGES, type ProvenStage } from '@parley/protocol/delivery/vocabulary';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import { type Child, startChild } from '../../testing/child-program.ts';
import { describeEachDialect, type FreshLocation, freshLocation } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { type SinkAnswer, WebhookSink } from '../../testing/webhook-sink.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { MessageClient } from '../testing/message-client.ts';
import { BG, LIVE, WALKS } from '../testing/message-walks.ts';
import { LEASE_OVER, type Scene } from '../testing/recipient-acts.ts';

/** What three messages say after the server was killed, and after it was down for longer than a lease. */
describeEachDialect('what the sender is told › kill -9', (dialect) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-told-'));
  const lives: Child[] = [];
  let place: FreshLocation | undefined;
  afterAll(async () => {
    for (const child of lives) await child.kill();
    await place?.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('a stage that was proven stays so, and the reason tells the present', async () => {
    place = await freshLocation(dialect);
    const store = 'url' in place.at ? { databaseUrl: place.at.url } : {};
    const settings = JSON.stringify({ dataDir, ...store, rateLimits: false });
    const rise = async (ahead: number): Promise<{ url: string }> => {
      await lives.at(-1)?.kill();
      const child = await startChild('serve-delivery', [settings, String(ahead)]);
      lives.push(child);
      return { url: await child.until((line) => line.startsWith('http')) };
    };
    const first = await MessageClient.register(await rise(0), 'max@example.com');
    await first.create({ slug: 'worker', ...BG });
    await first.create({ slug: 'seen', ...BG });
    await first.create({ slug: 'live', ...LIVE });
    await first.attach('live', { session_token: 'T' });
    const worked = await first.send('worker', { delivery_mode: 'bg' });
    const seen = await first.send('seen', { delivery_mode: 'bg' });
    const taken = await first.send('live', { delivery_mode: 'live', live_fallback_mode: 'none' });
    await first.claim(worked.execution_id);
    await first.inbox('seen');
    await first.liveClaim(taken.execution_id, { session_token: 'T' });
    const told = async (ahead: number) => {
      const max = new MessageClient(new People(await rise(ahead)), first.owner);
      return async () =>
        (await Promise.all([worked, seen, taken].map(({ id }) => max.message(id)))).map(
          ({ proven_stage: stage, proven_stage_reason: why }) => [stage, why],
        );
    };
    expect(await (await told(0))()).toEqual([
      ['claimed', 'awaiting_outcome'],
      ['delivered', 'awaiting_worker'],
      ['claimed', 'awaiting_outcome'],
    ]);
    await expect.poll(await told(LEASE_OVER), { interval: 50 }).toEqual([
      ['claimed', 'awaiting_another_worker'],
      ['delivered', 'awaiting_fetch'],
      ['claimed', 'lease_lost'],
    ]);
  });
});

const rank = (stage: ProvenStage): number => PROVEN_STAGES.indexOf(stage);

describeEachDialect('what the sender is told', (dialect) => {
  const clock = new FakeClock();
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-told-'));
  const sink = new WebhookSink<{ execution_id: string }>();
  const answers = new Map<string, (before: number) => SinkAnswer | Promise<SinkAnswer>>();
  const came = new Map<string, number>();
  let place: FreshLocation;
  let server: TestServer;
  let max: MessageClient;
  let agents = 0;

  const boot = async (): Promise<void> => {
    const store = 'url' in place.at ? { databaseUrl: place.at.url } : {};
    const callbackAllow = [sink.host];
    server = await startServer({ clock, dataDir, ...store, rateLimits: false, callbackAllow });
    max = max
      ? new MessageClient(new People(server), max.owner)
      : await MessageClient.register(server, 'max@example.com');
  };

  beforeAll(async () => {
    await sink.listen();
    sink.answer = async ({ path }) => {
      const before = came.get(path) ?? 0;
      came.set(path, before + 1);
      return (await answers.get(path)?.(before)) ?? 204;
    };
    place = await freshLocation(dialect);
    await boot();
  });
  afterAll(async () => {
    await server.close();
    await sink.close();
    await place.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });

  // A store that is opened anew is the same on both; on SQLite it is quickly done.
  const again = dialect === 'sqlite' ? (['a server that restarts after every step'] as const) : [];
  const lives = ['one server', ...again] as const;
  const walks = WALKS.flatMap((walk) => lives.map((life) => [walk.name, life, walk] as const));

  test.each(walks)('%s, %s', async (_name, life, walk) => {
    const slug = `a-${++agents}`;
    const hook = walk.sink && { webhook_url: sink.url(`/${slug}`) };
    if (walk.sink) answers.set(`/${slug}`, walk.sink);
    await max.create({ slug, ...walk.agent, ...hook });
    const scene = (): Scene => ({ max, clock, slug, id: told.id, execution: told.execution_id });
    await walk.before?.({ max, clock, slug, id: '', execution: '' });
    let told: MessageAnswer = await max.send(slug, walk.send);

    const ask = async (): Promise<MessageAnswer> => {
      const now = await max.message(told.id);
      const back = rank(now.proven_stage) < rank(told.proven_stage);
      if (back) throw new Error(`${told.proven_stage} went back to ${now.proven_stage}`);
      if (told.delivered_at !== null) expect(now.delivered_at).toBe(told.delivered_at);
      told = now;
      return now;
    };
    const log: { stage: ProvenStage; at: number } = { stage: walk.first, at: clock.now() };
    let deliveredAt: number | undefined;
    /** The clock stands still meanwhile: whatever is told is told at once, never before and never after it is true. */
    const compare = async (why: string | undefined): Promise<void> => {
      if (rank(log.stage) >= rank('delivered')) deliveredAt ??= log.at;
      const expected = {
        proven_stage: log.stage,
        delivered_at: deliveredAt === undefined ? null : new Date(deliveredAt).toISOString(),
        ...(why !== undefined && { proven_stage_reason: why }),
        ...(log.stage === 'acked' && { proven_stage_reason: null }),
      };
      await expect.poll(ask, { interval: 10 }).toMatchObject(expected);
      expect((await max.sent('self', { counterpart: slug })).messages).toMatchObject([
        { id: told.id, ...expected },
      ]);
    };
    const live = async (): Promise<void> => {
      if (life === 'one server') return;
      await server.close();
      await boot();
    };

    await compare(walk.why);
    await live();
    await compare(walk.why);
    for (const { act, proves, why } of walk.steps) {
      await act(scene());
      if (proves !== undefined && rank(proves) > rank(log.stage)) {
        log.stage = proves;
        log.at = clock.now();
      }
      await compare(why);
      await live();
      await compare(why);
    }
  });
});
