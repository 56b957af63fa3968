import type { AgentAnswer } from '@parley/protocol/delivery/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { noteClaim } from '../sessions/session-store.ts';
import { AgentClient, resolveNames } from '../testing/agent-client.ts';

const suffix = ({ id }: AgentAnswer): string => id.slice('agent_'.length);

describeEachServer('recipients', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: AgentClient;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false, resolve: resolveNames, dlInboundPolicy: 'owner_only' });
    max = await AgentClient.register(server, 'max@example.com');
  });

  const recipients = () => server.context.delivery.agents.recipients;
  const find = (agent: AgentAnswer) => recipients().find(server.context.database.read, suffix(agent));
  const handlersBeat = (handlers: string[]) =>
    server.context.database.write((tx) => recipients().handlersBeat(tx, max.owner.id, handlers));

  test('an agent that never said anything has an inbox and the policy of the server', async () => {
    const agent = await max.create({ slug: 'quiet' });
    expect(await find(agent)).toEqual({
      suffix: suffix(agent),
      ownerId: max.owner.id,
      ownerSlug: 'max',
      slug: 'quiet',
      capabilities: ['inbox'],
      preferred: null,
      webhookUrl: null,
      inboundPolicy: 'owner_only',
      inboundAllow: [],
      background: { task: 'quiet-bg', beat: 'unknown', beatAt: null },
      parent: null,
      sessions: [],
    });
  });

  test('sessions come with their latest beat; a claim is one', async () => {
    const agent = await max.create({ slug: 'live' });
    await max.attach('live', { is_default: true });
    const attachedAt = clock.now();
    await clock.advance(5000);
    const [session] = (await find(agent))?.sessions ?? [];
    expect(session).toMatchObject({ label: 'main', isDefault: true, beatAt: attachedAt, tokenHash: null });
    await server.context.database.write((tx) => noteClaim(tx, session?.id ?? '', clock.now()));
    const [claimed] = await recipients().sessions(server.context.database.read, suffix(agent));
    expect(claimed?.beatAt).toBe(clock.now());
    expect((await max.read('live')).body.live_sessions[0]).toMatchObject({
      last_claim_at: new Date(clock.now()).toISOString(),
      last_claim_age_sec: 0,
    });
  });

  test('a live sibling knows whether its parent takes bg pushes, and under which task', async () => {
    const parent = await max.create({ slug: 'parent', delivery_capabilities: ['bg'], bg_task: 'run-parent' });
    const child = await max.create({
      slug: 'child',
      parent_agent_id: 'parent',
      delivery_capabilities: ['live'],
    });
    expect((await find(child))?.parent).toEqual({
      suffix: suffix(parent),
      takesBg: true,
      background: { task: 'run-parent', beat: 'unknown', beatAt: null },
    });
    await max.patch('parent', { delivery_capabilities: ['inbox'] });
    // Another node may have changed it, of which this one hears a moment later.
    await expect.poll(async () => (await find(child))?.parent?.takesBg).toBe(false);
    await max.call('DELETE', '/v1/agents/parent');
    await expect.poll(async () => (await find(child))?.parent).toBeNull();
  });

  test('a deleted agent is none, and keeps its address', async () => {
    const agent = await max.create({ slug: 'leaver' });
    await max.call('DELETE', '/v1/agents/leaver');
    expect(await find(agent)).toBeUndefined();
    const addresses = await recipients().addresses(server.context.database.read, [
      suffix(agent),
      'aaaaaaaaaaaa',
    ]);
    expect([...addresses]).toEqual([[suffix(agent), 'leaver@max']]);
  });

  describe('worker handlers', () => {
    test.each([
      ['task', () => 'run-w'],
      ['slug', () => 'w'],
      ['address', () => 'w@max'],
      ['id', (agent: AgentAnswer) => agent.id],
    ])('beat for the agent they name by %s', async (_, name) => {
      const agent = await max.create({ slug: 'w', bg_task: 'run-w' });
      await handlersBeat(['something-else', 'w@eve', name(agent)]);
      expect((await find(agent))?.background.beat).toBe('fresh');
      await clock.advance(120_000);
      expect((await find(agent))?.background.beat).toBe('stale');
      await max.call('DELETE', '/v1/agents/w');
    });

    test('never beat for another owner’s agent', async () => {
      const eve = await AgentClient.register(server);
      const agent = await eve.create({ slug: 'foreign', bg_task: 'run-foreign' });
      await handlersBeat(['run-foreign', 'foreign', agent.address, agent.id]);
      expect((await find(agent))?.background.beat).toBe('unknown');
    });
  });

  test('what was merely noted as seen is written in time, and at the end', async () => {
    const agent = await max.create({ slug: 'noted' });
    recipients().seen(suffix(agent));
    const seenAt = new Date(clock.now()).toISOString();
    const stored = () =>
      server.context.database.read
        .kysely<{ agent_delivery: { agent: string; last_seen_at: number | null } }>()
        .selectFrom('agent_delivery')
        .select('last_seen_at')
        .where('agent', '=', suffix(agent))
        .executeTakeFirst();
    expect((await stored())?.last_seen_at).toBeNull();
    await expect.poll(async () => (await max.read('noted')).body.last_seen_at).toBe(seenAt);
    await server.context.delivery.agents.close();
    expect(new Date((await stored())?.last_seen_at ?? 0).toISOString()).toBe(seenAt);
  });
});
