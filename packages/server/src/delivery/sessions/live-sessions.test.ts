import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LiveSessionAnswer } from '@parley/protocol/delivery/types';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tally } from '../../identity/testing/people.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { AgentClient, expectStatus } from '../testing/agent-client.ts';

const TOKEN = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

describeEachServer('live sessions', (start) => {
  const clock = new FakeClock();
  const directory = mkdtempSync(join(tmpdir(), 'parley-beats-'));
  const told: string[] = [];
  let server: TestServer;
  let max: AgentClient;
  let slug: string;
  let id: string;
  let count = 0;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false, dlHeartbeatDir: directory });
    max = await AgentClient.register(server, 'max@example.com');
    for (const { context } of server.nodes) {
      context.delivery.agents.observers.add({
        sessionDetached: async (_tx, session) => void told.push(`detached ${session.agent}`),
        sessionFresh: async (_tx, session) => void told.push(`fresh ${session.agent}`),
        agentDeleted: async (_tx, agent) => void told.push(`deleted ${agent}`),
      });
    }
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  beforeEach(async () => {
    ({ slug, id } = await max.create({ slug: `app-${++count}` }));
    told.length = 0;
  });

  const suffix = () => id.slice('agent_'.length);
  /** What was told of this test's agent: sessions of earlier ones fall silent meanwhile. */
  const toldOfIt = () => told.filter((line) => line.endsWith(suffix())).map((line) => line.split(' ')[0]);
  const list = (query: Record<string, string> = {}) =>
    max.call<LiveSessionAnswer[]>('GET', `/v1/agents/${slug}/live-sessions`, { query });
  const sessions = async (query: Record<string, string> = {}): Promise<LiveSessionAnswer[]> =>
    expectStatus(200, await list(query));
  const only = async (): Promise<LiveSessionAnswer | undefined> => (await sessions())[0];
  const beat = (label = 'main', body?: unknown) => max.session('POST', slug, `${label}/heartbeat`, body);

  const touch = (at: number, label = 'main') => {
    mkdirSync(join(directory, id), { recursive: true });
    const file = join(directory, id, `${label}.heartbeat`);
    writeFileSync(file, '');
    utimesSync(file, at / 1000, at / 1000);
  };

  const patch = (label: string, body: unknown) => max.session('PATCH', slug, label, body);

  describe('attach', () => {
    test('answers with the session; attaching is the first beat', async () => {
      const session = await max.attach(slug, {
        session_token: TOKEN,
        is_default: true,
        monitor_version: '1.2',
      });
      expect(session).toEqual({
        label: 'main',
        cue_id: expect.stringMatching(/^cue_[a-z0-9]{12}$/),
        task_name: `${slug}-main-live`,
        is_default: true,
        attached: true,
        heartbeat_age_sec: 0,
        fresh: true,
        last_claim_at: null,
        last_claim_age_sec: null,
        monitor_version: '1.2',
        attached_at: new Date(clock.now()).toISOString(),
        detached_at: null,
        detached_reason: null,
        session_token: TOKEN,
      });
      expect((await max.read(slug)).body).toMatchObject({
        live_attached: true,
        heartbeat_age_sec: 0,
        live_sessions: [session],
        delivery_capabilities: ['live', 'inbox'],
        last_seen_at: session.attached_at,
      });
      expect(toldOfIt()).toEqual(['fresh']);
    });

    test('refuses a second session with the label, the default or the cue id', async () => {
      await max.attach(slug, { is_default: true, cue_id: `c-${slug}` });
      const conflicts = [
        { label: 'main', task_name: 't' },
        { label: 'other', task_name: 't', is_default: true },
        { label: 'other', task_name: 't', cue_id: `c-${slug}` },
      ];
      for (const body of conflicts) {
        expect((await max.tryAttach(slug, body)).body.error).toMatchObject({
          code: 'live_session_conflict',
          status: 409,
        });
      }
      await max.create({ slug: `second-${slug}` });
      const elsewhere = await max.tryAttach(`second-${slug}`, {
        label: 'x',
        task_name: 't',
        cue_id: `c-${slug}`,
      });
      expect(elsewhere.status).toBe(409);
    });

    test('works again with the same label, default and cue id after detaching', async () => {
      const same = { is_default: true, cue_id: `again-${slug}` };
      await max.attach(slug, same);
      await max.session('DELETE', slug, 'main');
      await max.attach(slug, same);
      expect(await sessions()).toHaveLength(1);
      expect(await sessions({ include_detached: 'true' })).toHaveLength(2);
    });

    test('lets exactly one of many at once in', async () => {
      const racers = Array.from({ length: 20 }, () =>
        max.tryAttach(slug, { label: 'main', task_name: 't', is_default: true }),
      );
      expect(tally(await Promise.all(racers))).toEqual({ 201: 1, 409: 19 });
    });

    test.each([
      { task_name: 't' },
      { label: '', task_name: 't' },
      { label: 'x'.repeat(65), task_name: 't' },
      { label: 'l' },
      { label: 'l', task_name: 't', session_token: 'x'.repeat(81) },
      { label: 'l', task_name: 't', attestation_key: 'AAAA' },
    ])('refuses %j', async (body) => {
      expect((await max.tryAttach(slug, body)).status).toBe(422);
    });

    test('keeps tokens sealed', async () => {
      await max.attach(slug, { session_token: `${TOKEN}-${slug}` });
      const rows = await server.context.database.read
        .kysely<{ live_sessions: Record<string, unknown> }>()
        .selectFrom('live_sessions')
        .selectAll()
        .execute();
      expect(JSON.stringify(rows)).not.toContain(`${TOKEN}-${slug}`);
    });
  });

  describe('beats', () => {
    test.each([
      [119_900, true],
      [120_000, false],
      [120_100, false],
    ])('after %i ms of silence it is fresh: %s', async (ms, fresh) => {
      await max.attach(slug);
      await clock.advance(ms);
      expect(await only()).toMatchObject({ attached: true, fresh, heartbeat_age_sec: ms / 1000 });
    });

    test('a heartbeat makes it fresh again, and says so to whoever holds offers', async () => {
      await max.attach(slug);
      told.length = 0;
      await clock.advance(60_000);
      await beat();
      expect(toldOfIt()).toEqual([]);
      await clock.advance(200_000);
      expect(expectStatus(200, await beat('main', { monitor_version: '2' }))).toMatchObject({
        fresh: true,
        heartbeat_age_sec: 0,
        monitor_version: '2',
      });
      expect(toldOfIt()).toEqual(['fresh']);
    });

    test('15 minutes of silence detach it, and not a moment before', async () => {
      await max.attach(slug);
      told.length = 0;
      await clock.advance(600_000);
      await beat();
      await clock.advance(899_000);
      expect(await only()).toMatchObject({ attached: true, fresh: false });
      await clock.advance(2_000);
      await expect.poll(sessions).toEqual([]);
      expect((await sessions({ include_detached: 'true' }))[0]).toMatchObject({
        attached: false,
        heartbeat_age_sec: null,
        detached_reason: 'heartbeat_lost',
      });
      await expect.poll(toldOfIt).toEqual(['fresh', 'detached']);
      expect((await beat()).body.error).toMatchObject({ code: 'live_session_not_found', status: 404 });
    });

    describe('by file', () => {
      test('the later of call and file counts', async () => {
        await max.attach(slug);
        await clock.advance(200_000);
        expect((await only())?.fresh).toBe(false);
        touch(clock.now() - 50_000);
        expect(await only()).toMatchObject({ fresh: true, heartbeat_age_sec: 50 });
        await beat();
        expect(await only()).toMatchObject({ heartbeat_age_sec: 0 });
      });

      test('a time from the future counts as now', async () => {
        await max.attach(slug);
        await clock.advance(300_000);
        touch(clock.now() + 3_600_000);
        expect(await only()).toMatchObject({ fresh: true, heartbeat_age_sec: 0 });
      });

      test('keeps a silent session attached', async () => {
        await max.attach(slug);
        touch(clock.now() + 600_000);
        await clock.advance(1_200_000);
        expect(await only()).toMatchObject({ attached: true });
      });

      test('a label never leads out of the folder', async () => {
        writeFileSync(join(directory, 'outside.heartbeat'), '');
        await max.attach(slug, { label: '../outside' });
        await clock.advance(200_000);
        expect(await only()).toMatchObject({ label: '../outside', fresh: false });
      });
    });
  });

  describe('patch', () => {
    test('moves the default in one step', async () => {
      await max.attach(slug, { is_default: true });
      await max.attach(slug, { label: 'second' });
      await max.attach(slug, { label: 'third' });
      await Promise.all(
        ['second', 'third', 'main', 'third'].map((label) => patch(label, { is_default: true })),
      );
      expect((await sessions()).filter(({ is_default }) => is_default)).toHaveLength(1);
      await patch('second', { is_default: true });
      expect((await sessions()).find(({ is_default }) => is_default)?.label).toBe('second');
    });

    test('rotates the token', async () => {
      await max.attach(slug, { session_token: TOKEN });
      expect((await patch('main', { session_token: 'fresh-one' })).body.session_token).toBe('fresh-one');
    });

    test.each([
      [{}, 'no_mutable_fields', 400],
      [{ is_default: null, session_token: null }, 'no_mutable_fields', 400],
      [{ is_default: false }, 'invalid_default_flip', 400],
      [{ label: 'x' }, 'no_mutable_fields', 400],
    ])('refuses %j', async (body, code, status) => {
      await max.attach(slug);
      expect((await patch('main', body)).body.error).toMatchObject({ code, status });
    });
  });

  describe('detach', () => {
    test('answers with the session that was', async () => {
      await max.attach(slug);
      const gone = expectStatus(200, await max.session('DELETE', slug, 'main'));
      expect(gone).toMatchObject({
        attached: false,
        fresh: false,
        detached_at: new Date(clock.now()).toISOString(),
      });
      expect((await max.session('DELETE', slug, 'main')).status).toBe(404);
      expect((await max.read(slug)).body).toMatchObject({
        live_attached: false,
        delivery_capabilities: ['inbox'],
      });
      expect(toldOfIt()).toEqual(['fresh', 'detached']);
    });

    test('happens once, whoever asks how often', async () => {
      await max.attach(slug);
      told.length = 0;
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => max.session('DELETE', slug, 'main')),
      );
      expect(tally(answers)).toEqual({ 200: 1, 404: 9 });
      expect(toldOfIt()).toEqual(['detached']);
    });

    test('happens to all sessions of an agent that is deleted', async () => {
      await max.attach(slug);
      await max.attach(slug, { label: 'second' });
      told.length = 0;
      await max.call('DELETE', `/v1/agents/${slug}`);
      expect(toldOfIt()).toEqual(['detached', 'detached', 'deleted']);
    });
  });
});
