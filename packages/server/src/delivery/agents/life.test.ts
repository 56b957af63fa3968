import type { AgentAnswer } from '@parley/protocol/delivery/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { tally } from '../../identity/testing/people.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { AgentClient, expectStatus, resolveNames } from '../testing/agent-client.ts';
import { webhookSecrets } from './webhook-secrets.ts';

const CONFIRMED = { 'x-confirm-destructive': 'true' };
const DAY = 86_400_000;

describeEachServer('agents', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: AgentClient;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false, resolve: resolveNames });
    max = await AgentClient.register(server, 'max@example.com');
  });

  const rotate = (slug: string, body: unknown, headers: Record<string, string> = CONFIRMED) =>
    max.call<{ webhook_secret: string; previous_valid_until: string | null }>(
      'POST',
      `/v1/agents/${slug}/webhook-secret/regenerate`,
      { body, headers },
    );

  const rename = (ref: string, slug: string) =>
    max.call<AgentAnswer>('POST', `/v1/agents/${ref}/rename`, { body: { slug } });

  describe('webhook secret', () => {
    test('rotates, with an overlap if wanted, and asks for confirmation', async () => {
      const { webhook_secret: first, id } = await max.create({
        slug: 'rotor',
        webhook_url: 'https://hooks.example.com/r',
      });
      const suffix = id.slice('agent_'.length);
      const signing = () => webhookSecrets(server.context, server.context.database.read, suffix);
      expect((await rotate('rotor', {}, {})).body.error.code).toBe('confirmation_required');
      const second = expectStatus(200, await rotate('rotor', { overlap_seconds: 60 }));
      expect(second.previous_valid_until).toBe(new Date(clock.now() + 60_000).toISOString());
      expect(await signing()).toEqual({ current: second.webhook_secret, previous: first });
      await clock.advance(60_000);
      expect(await signing()).toEqual({ current: second.webhook_secret, previous: undefined });
      const third = expectStatus(200, await rotate('rotor', {}));
      expect(third.previous_valid_until).toBeNull();
      expect((await rotate('rotor', { overlap_seconds: 86_401 })).status).toBe(422);
    });

    test('needs a URL', async () => {
      await max.create({ slug: 'urlless' });
      expect((await rotate('urlless', {})).body.error).toMatchObject({ code: 'no_webhook_url', status: 409 });
    });

    test('rests sealed', async () => {
      const { webhook_secret } = await max.create({
        slug: 'sealed',
        webhook_url: 'https://hooks.example.com/s',
      });
      const rows = await server.context.database.read
        .kysely<{ agent_delivery: Record<string, unknown> }>()
        .selectFrom('agent_delivery')
        .selectAll()
        .execute();
      expect(JSON.stringify(rows)).not.toContain(webhook_secret?.slice('whsec_'.length));
    });
  });

  describe('rename', () => {
    test('keeps the id; the old slug leads here until another agent takes it', async () => {
      const { id } = await max.create({ slug: 'before' });
      expect(expectStatus(200, await rename('before', 'after'))).toMatchObject({ id, slug: 'after' });
      for (const ref of ['before', 'before@max', 'after', id]) expect((await max.read(ref)).body.id).toBe(id);
      const taker = await max.create({ slug: 'before' });
      // Another node may have been the one that changed it.
      await expect.poll(async () => (await max.read('before')).body.id).toBe(taker.id);
      await max.call('DELETE', '/v1/agents/before');
      await expect.poll(async () => (await max.read('before')).status).toBe(404);
    });

    test('there and back leaves no trace', async () => {
      const { id } = await max.create({ slug: 'home' });
      await rename('home', 'away-from-home');
      await rename(id, 'home');
      expect((await max.read('home')).body.slug).toBe('home');
      expect((await max.read('away-from-home')).body.id).toBe(id);
    });

    test('refuses slugs that are taken, reserved or malformed; its own is fine', async () => {
      await max.create({ slug: 'stay' });
      await max.create({ slug: 'occupied' });
      expect((await rename('stay', 'occupied')).body.error).toMatchObject({
        code: 'slug_taken',
        status: 409,
      });
      expect((await rename('stay', 'billing')).body.error).toMatchObject({
        code: 'reserved_slug',
        status: 400,
      });
      expect((await rename('stay', 'No!')).status).toBe(422);
      expect((await rename('stay', 'stay')).status).toBe(200);
    });

    test('exactly one of many racing for a slug gets it', async () => {
      const racers = await Promise.all(
        Array.from({ length: 10 }, (_, n) => max.create({ slug: `racer-${n}` })),
      );
      const answers = await Promise.all(racers.map(({ id }) => rename(id, 'prize')));
      expect(tally(answers)).toEqual({ 200: 1, 409: 9 });
    });
  });

  describe('delete', () => {
    test('ends the address, frees the slug and leaves a tombstone for 30 days', async () => {
      const { id } = await max.create({ slug: 'mortal' });
      expect((await max.call('DELETE', '/v1/agents/mortal')).status).toBe(204);
      for (const ref of ['mortal', 'mortal@max', id]) {
        const gone = await max.read(ref);
        expect(gone.body.error).toMatchObject({ code: 'agent_not_found', message: `agent ${ref} not found` });
        expect((await max.call('DELETE', `/v1/agents/${ref}`)).status).toBe(404);
      }
      for (const ref of ['mortal', id]) {
        const tombstone = await max.read(ref, { include_deleted: 'true' });
        expect(tombstone.body).toMatchObject({ id, deleted_at: new Date(clock.now()).toISOString() });
      }
      const heir = await max.create({ slug: 'mortal' });
      expect((await max.read('mortal', { include_deleted: 'true' })).body.id).toBe(heir.id);
      await clock.leap(30 * DAY + 1000);
      await expect.poll(async () => (await max.read(id, { include_deleted: 'true' })).status).toBe(404);
    });

    test('ends the keys that act as the agent', async () => {
      await max.create({ slug: 'bound' });
      const made = await max.call<{ api_key: string }>('POST', '/v1/keys', { body: { agent: 'bound' } });
      const whoami = () => max.people.whoami(made.body.api_key);
      expect((await whoami()).body.agent).toMatchObject({ slug: 'bound' });
      await max.call('DELETE', '/v1/agents/bound');
      expect((await whoami()).status).toBe(401);
    });
  });

  test('background handlers beat for an agent, which then takes bg', async () => {
    await max.create({ slug: 'handled' });
    const beat = await max.call('POST', '/v1/agents/handled/heartbeat', { body: { channel: 'bg' } });
    expect(beat.body).toEqual({ acknowledged: true, server_time: new Date(clock.now()).toISOString() });
    expect((await max.read('handled')).body).toMatchObject({
      delivery_capabilities: ['bg', 'inbox'],
      last_seen_at: new Date(clock.now()).toISOString(),
    });
    expect(
      (await max.call('POST', '/v1/agents/handled/heartbeat', { body: { channel: 'live' } })).status,
    ).toBe(422);
  });

  test('ids can be spelled the other way', async () => {
    const other = await start({ dlAgentIdPrefix: 'agt_' });
    const ann = await AgentClient.register(other);
    const { id } = await ann.create({ slug: 'spelled' });
    expect(id).toMatch(/^agt_[a-z0-9]{12}$/);
    expect((await ann.read(`agent_${id.slice(4)}`)).body.id).toBe(id);
  });
});
