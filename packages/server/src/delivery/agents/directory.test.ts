import type { DirectoryAnswer, PresenceAnswer, RosterAnswer } from '@parley/protocol/delivery/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { AgentClient, expectStatus, resolveNames } from '../testing/agent-client.ts';

describeEachServer('directory', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: AgentClient;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false, resolve: resolveNames });
    max = await AgentClient.register(server, 'max@example.com');
    await max.create({
      slug: 'scout',
      display_name: 'Scout',
      profile: { specialization: 'finds things', work_style: 'async' },
      webhook_url: 'https://hooks.example.com/',
    });
    await max.create({
      slug: 'app',
      delivery_capabilities: ['live', 'bg', 'inbox'],
      preferred_contact: 'bg',
    });
    await max.create({ slug: 'hook', webhook_url: 'https://hooks.example.com/' });
    await max.create({ slug: 'gone' });
    await max.call('DELETE', '/v1/agents/gone');
    await max.attach('app', { session_token: 'tok-1', is_default: true });
    const eve = await AgentClient.register(server, 'eve@example.com');
    await eve.create({ slug: 'other' });
  });

  const directory = async () =>
    expectStatus(200, await max.call<DirectoryAnswer>('GET', '/v1/agents/directory'));
  const roster = (headers: Record<string, string> = {}) =>
    max.call<RosterAnswer>('GET', '/v1/agents/roster', { headers });
  const described = (slug: string) =>
    roster().then(({ body }) => body.agents.find((agent) => agent.slug === slug)?.description);
  const presence = (headers: Record<string, string> = {}) =>
    max.call<PresenceAnswer>('GET', '/v1/agents/app/presence', { headers });

  const derivedOfSeen = async () =>
    (await directory()).agents.find(({ slug }) => slug === 'seen')?.derived_status;

  test('lists own agents with their sessions and tokens', async () => {
    const { agents, total } = await directory();
    expect(agents.map(({ slug }) => slug)).toEqual(['app', 'hook', 'scout']);
    expect(total).toBe(3);
    expect(agents[0]).toMatchObject({
      address: 'app@max',
      delivery_capabilities: ['live', 'bg', 'inbox'],
      preferred_contact: 'bg',
      online: true,
      live_attached: true,
      live_sessions: [{ label: 'main', session_token: 'tok-1', fresh: true }],
    });
    expect(agents[2]).toMatchObject({ online: false, derived_status: 'offline', bucketed_seen: 'never' });
  });

  describe('roster', () => {
    test('is for display: sorted, with words for times, and nothing secret', async () => {
      const { body, text, headers } = await roster();
      expect(body.agents.map(({ slug }) => slug)).toEqual(['app', 'hook', 'scout']);
      expect(body.agents[2]).toEqual({
        name: 'scout',
        slug: 'scout',
        display_name: 'Scout',
        description: 'finds things',
        online: false,
        status: 'offline',
        derived_status: 'offline',
        last_seen_relative: 'never',
        bucketed_seen: 'never',
        preferred_contact: 'async',
        work_style: 'async',
        preferred_channel: null,
        delivery_capabilities: ['inbox', 'webhook'],
        live_attached: false,
      });
      for (const key of ['id', 'user_id', 'webhook_secret', 'created_at', 'deleted_at', 'session_token']) {
        expect(text).not.toContain(`"${key}"`);
      }
      expect(text).not.toContain('tok-1');
      expect(headers['cache-control']).toBe('private, max-age=300');
      expect(headers.etag).toBe(body.etag);
      expect(body.etag).toMatch(/^W\/"[0-9a-f]{32}"$/);
    });

    test('describes an agent by its metadata, then by its profile', async () => {
      expect(await described('app')).toBeNull();
      await max.patch('app', { metadata: { description: 'an app' } });
      expect(await described('app')).toBe('an app');
      await max.patch('app', { metadata: { description: 7 } });
      expect(await described('app')).toBeNull();
      await max.patch('app', { metadata: {} });
      expect(await described('scout')).toBe('finds things');
    });

    test('shows the work style, which a webhook makes sync unless said otherwise', async () => {
      const { agents } = (await roster()).body;
      expect(agents.map(({ slug, preferred_contact }) => [slug, preferred_contact])).toEqual([
        ['app', 'async'],
        ['hook', 'sync'],
        ['scout', 'async'],
      ]);
      expect(agents[0]?.preferred_channel).toBe('bg');
    });

    test('is not sent again while nothing material changed', async () => {
      const { etag } = (await roster()).body;
      for (const sent of [etag, etag.slice(2), `"x", ${etag}`, '*']) {
        const unchanged = await roster({ 'if-none-match': sent });
        expect([unchanged.status, unchanged.text, unchanged.headers.etag]).toEqual([304, '', etag]);
      }
      expect((await roster({ 'if-none-match': '"other"' })).status).toBe(200);
      await clock.advance(61_000);
      expect((await roster()).body.agents[0]?.last_seen_relative).toBe('1m ago');
      expect((await roster({ 'if-none-match': etag })).status).toBe(304);
      await max.patch('scout', { status: 'away' });
      const changed = await roster({ 'if-none-match': etag });
      expect([changed.status, changed.body.agents[2]?.derived_status]).toEqual([200, 'away']);
    });
  });

  test('presence tells who is there, and has a tag of its own', async () => {
    const { body } = await presence();
    expect(body).toMatchObject({
      slug: 'app',
      online: true,
      derived_status: 'online',
      default_live: { label: 'main', task_name: 'app-main-live', heartbeat_age_sec: expect.any(Number) },
      labeled_sessions: [{ label: 'main' }],
    });
    expect(JSON.stringify(body)).not.toContain('tok-1');
    expect((await presence({ 'if-none-match': body.etag })).status).toBe(304);
    await max.attach('app', { label: 'second' });
    expect((await presence({ 'if-none-match': body.etag })).body.labeled_sessions).toHaveLength(2);
    await max.session('DELETE', 'app', 'second');
    await max.session('DELETE', 'app', 'main');
    expect((await presence()).body).toMatchObject({ default_live: null, labeled_sessions: [] });
  });

  test('who was merely seen is there for five minutes, then away, then offline', async () => {
    const { id } = await max.create({ slug: 'seen' });
    expect(await derivedOfSeen()).toBe('offline');
    server.context.delivery.agents.recipients.seen(id.slice('agent_'.length));
    expect(await derivedOfSeen()).toBe('online');
    await clock.advance(300_000);
    expect(await derivedOfSeen()).toBe('online');
    await clock.advance(1000);
    expect(await derivedOfSeen()).toBe('away');
    await clock.advance(1_500_000);
    expect(await derivedOfSeen()).toBe('offline');
  });
});
