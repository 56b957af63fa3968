import type { AgentListAnswer } from '@parley/protocol/delivery/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { AgentClient, expectStatus, resolveNames } from '../testing/agent-client.ts';

describeEachServer('agents', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: AgentClient;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false, resolve: resolveNames });
    max = await AgentClient.register(server, 'max@example.com');
  });

  describe('list', () => {
    let lister: AgentClient;
    const list = (query: Record<string, string | number> = {}) =>
      lister.call<AgentListAnswer>('GET', '/v1/agents', { query });
    const slugs = async (query: Record<string, string | number> = {}) =>
      expectStatus(200, await list(query)).agents.map(({ slug }) => slug);

    beforeAll(async () => {
      lister = await AgentClient.register(server, 'lister@example.com');
      for (const slug of ['one', 'two', 'three']) {
        await lister.create({ slug });
        await clock.advance(1);
      }
      await lister.patch('two', { status: 'away' });
    });

    test('is newest first, and paged', async () => {
      expect(await slugs()).toEqual(['three', 'two', 'one']);
      const page = expectStatus(200, await list({ limit: 1, offset: 1 }));
      expect(page).toMatchObject({ agents: [{ slug: 'two' }], total: 3, limit: 1, offset: 1 });
    });

    test('filters by the status that was asserted', async () => {
      expect(await slugs({ status: 'away' })).toEqual(['two']);
      expect(expectStatus(200, await list({ status: 'online' })).total).toBe(2);
      expect((await list({ status: 'gone' })).body.error).toMatchObject({
        code: 'invalid_status',
        status: 400,
      });
    });

    test.each<Record<string, string | number>>([
      { limit: 0 },
      { limit: 101 },
      { limit: 'x' },
      { offset: -1 },
      { include_deleted: 'perhaps' },
    ])('refuses %j', async (query) => {
      expect((await list(query)).status).toBe(422);
    });

    test('shows deleted agents only when asked', async () => {
      await lister.create({ slug: 'four' });
      await lister.call('DELETE', '/v1/agents/four');
      expect(await slugs()).toEqual(['three', 'two', 'one']);
      expect(await slugs({ include_deleted: 'true' })).toContain('four');
    });
  });

  describe('patch', () => {
    test('changes what is named and leaves the rest', async () => {
      const before = await max.create({
        slug: 'patched',
        metadata: { keep: true },
        profile: { tools: ['a'], specialization: 'x' },
      });
      await clock.advance(10);
      const after = expectStatus(200, await max.patch('patched', { display_name: 'New', status: 'away' }));
      expect(after).toEqual({
        ...before,
        display_name: 'New',
        status: 'away',
        updated_at: new Date(clock.now()).toISOString(),
      });
      const merged = expectStatus(
        200,
        await max.patch('patched', {
          profile: { specialization: null, work_style: 'sync' },
          metadata: { b: 1 },
        }),
      );
      expect(merged.metadata).toEqual({ b: 1 });
      expect(merged.profile).toEqual({
        display_name: null,
        specialization: null,
        tools: ['a'],
        preferred_contact: 'sync',
        work_style: 'sync',
      });
    });

    test.each([{ slug: 'other' }, { owner: 'eve' }, { webhook_secret: 'x' }, { parent_agent_id: null }])(
      'refuses %j',
      async (body) => {
        await max.tryCreate({ slug: 'fixed' });
        const answer = await max.patch('fixed', body);
        expect(answer.status).toBe(422);
        expect(answer.body.error.message).toMatch(/^body\./);
      },
    );

    test('checks the preferred contact on the state after the whole request', async () => {
      await max.create({ slug: 'contact', delivery_capabilities: ['live', 'bg', 'inbox'] });
      const change = (body: unknown) => max.patch('contact', body);
      expect((await change({ preferred_contact: 'live' })).body.preferred_contact).toBe('live');
      expect((await change({ preferred_contact: 'webhook' })).body.error.code).toBe(
        'preferred_contact_not_in_capabilities',
      );
      expect((await change({ delivery_capabilities: ['inbox'] })).body.error.code).toBe(
        'preferred_contact_not_in_capabilities',
      );
      expect((await max.read('contact')).body.delivery_capabilities).toEqual(['live', 'bg', 'inbox']);
      const together = await change({ delivery_capabilities: ['inbox'], preferred_contact: 'inbox' });
      expect(together.body).toMatchObject({ delivery_capabilities: ['inbox'], preferred_contact: 'inbox' });
      expect((await change({ preferred_contact: null })).body.preferred_contact).toBeNull();
    });

    test('a webhook URL mints a secret once; clearing it clears both', async () => {
      await max.create({ slug: 'hooked' });
      const secret = () => max.call<{ webhook_secret: string }>('GET', '/v1/agents/hooked/webhook-secret');
      expect((await secret()).body.error).toMatchObject({ code: 'no_webhook_secret', status: 404 });
      const set = await max.patch('hooked', { webhook_url: 'https://hooks.example.com/1' });
      expect(set.body).toMatchObject({ webhook_secret: null, delivery_capabilities: ['inbox', 'webhook'] });
      const first = expectStatus(200, await secret()).webhook_secret;
      await max.patch('hooked', { webhook_url: 'https://hooks.example.com/2' });
      expect(expectStatus(200, await secret()).webhook_secret).toBe(first);
      await max.patch('hooked', { webhook_url: null });
      expect((await secret()).status).toBe(404);
      await max.patch('hooked', { webhook_url: 'https://hooks.example.com/3' });
      expect(expectStatus(200, await secret()).webhook_secret).not.toBe(first);
    });

    test('many changes at once lose none', async () => {
      await max.create({ slug: 'busy', profile: { tools: [] } });
      const changes: Record<string, unknown>[] = [
        { display_name: 'Busy' },
        { status: 'away' },
        { metadata: { a: 1 } },
        { profile: { specialization: 's' } },
        { profile: { tools: ['t'] } },
        { bg_task: 'b' },
        { inbound_policy: 'owner_only' },
      ];
      await Promise.all(changes.map((body) => max.patch('busy', body)));
      expect((await max.read('busy')).body).toMatchObject({
        display_name: 'Busy',
        status: 'away',
        metadata: { a: 1 },
        profile: { specialization: 's', tools: ['t'] },
        bg_task: 'b',
        inbound_policy: 'owner_only',
      });
    });
  });

  describe('profile', () => {
    test('is read and merged on its own path', async () => {
      await max.create({ slug: 'self-made', profile: { tools: ['a'] } });
      const at = '/v1/agents/self-made/profile';
      const patched = await max.call('PATCH', at, { body: { work_style: 'async', specialization: 'x' } });
      expect(patched.body).toEqual({
        display_name: null,
        specialization: 'x',
        tools: ['a'],
        preferred_contact: 'async',
        work_style: 'async',
      });
      expect((await max.call('GET', at)).body).toEqual(patched.body);
      expect((await max.call('PATCH', at, { body: { mood: 'x' } })).status).toBe(422);
      expect((await max.call('PATCH', at, { body: { work_style: 'live' } })).status).toBe(422);
    });
  });
});
