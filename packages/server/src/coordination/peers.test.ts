import { hash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import {
  type CoordinationScene,
  coordinationScene,
  must,
  statuses,
  told,
} from './testing/coordination-scene.ts';

const print = (key: string): string => `sha256:${hash('sha256', key)}`;

describeEachServer('coordination › peers', (start) => {
  let scene: CoordinationScene;
  beforeAll(async () => {
    scene = await coordinationScene(start);
  });
  const trust = (id: string, level: string, more: object = {}) =>
    scene.admin.call('POST', `/peers/${id}/trust`, { trust_level: level, reason: 'because', ...more });

  test('are those that were registered, and those that hold a key', async () => {
    const { a, admin, peer } = scene;
    const { ok, count, peers, updated_at: at } = must(await a.call('GET', '/peers'));
    expect([ok, count, at]).toEqual([true, 6, '2026-04-01T12:00:00Z']);
    expect(peers.map(({ peer_id: id, trust_level: level }) => [id, level])).toEqual([
      ['a', 'restricted'],
      ['b', 'restricted'],
      ['boss', 'restricted'],
      ['c', 'restricted'],
      ['self', 'restricted'],
      ['u', 'untrusted'],
    ]);
    expect(peers[2]).toMatchObject({ base_url: null, created_at: null, trust_history: [] });
    const writer = await peer('writer', { scopes: ['write:projects'] });
    expect(told(await writer.call('GET', '/peers'))).toEqual([403, 'Missing scope: read:files']);
    expect(told(await a.register('x'))).toEqual([403, 'Missing scope: admin:peers']);
    expect(
      await statuses(admin.register(''), admin.call('POST', '/peers/register', { peer_id: 'x' })),
    ).toEqual([422, 422]);
    // Who calls is asked before what the call says, even if that is no JSON.
    for (const path of ['/v1/peers/register', '/v1/coordination/shared/create']) {
      expect((await scene.people.call('POST', path, { body: '{bad' })).status).toBe(401);
    }
    // Who holds a key can be given something without being registered.
    expect((await a.handOver('writer')).status).toBe(200);
  });

  test('a key that is gone makes nobody a peer', async () => {
    const { people, owner, a } = scene;
    await people.call('POST', '/v1/agents', { key: owner.key, body: { slug: 'keyless', display_name: 'k' } });
    expect((await a.handOver('keyless')).status).toBe(404);
    const made = await people.call<{ id: string }>('POST', '/v1/keys', {
      key: owner.key,
      body: { agent: 'keyless' },
    });
    expect((await a.handOver('keyless')).status).toBe(200);
    await people.call('DELETE', `/v1/keys/${made.body.id}`, { key: owner.key });
    expect((await a.handOver('keyless')).status).toBe(404);
  });

  test('are entered once, and changed', async () => {
    const { admin, clock } = scene;
    const first = must(await admin.register('p1', { public_key: 'K', allowed_scopes: ['read:files'] }));
    expect([first.created, first.committed]).toEqual([true, true]);
    expect(first.peer).toMatchObject({
      peer_id: 'p1',
      base_url: 'http://p1.example',
      public_key: 'K',
      public_key_fingerprint: print('K'),
      capabilities_url: '/v1/manifest',
      trust_level: 'restricted',
      allowed_scopes: ['read:files'],
      trust_history: [{ from: null, to: 'restricted', by: 'boss' }],
    });
    await clock.advance(1_000);
    const again = must(await admin.register('p1', { public_key: 'K' }));
    expect([again.created, again.committed, again.peer]).toEqual([false, false, first.peer]);
    expect(again.latest_commit).toBe(first.latest_commit);
    const moved = must(await admin.register('p1', { base_url: 'http://elsewhere.example' }));
    expect(moved.peer.base_url).toBe('http://elsewhere.example');
    expect(moved.latest_commit).not.toBe(first.latest_commit);
    expect(await statuses(admin.register('p1', { expected_public_key_fingerprint: print('other') }))).toEqual(
      [400],
    );
  });

  test('are trusted step by step, with a reason, and by a key', async () => {
    const { admin } = scene;
    expect(told(await admin.register('p2', { trust_level: 'trusted' }))[0]).toBe(400);
    must(await admin.register('p2', { public_key: 'K' }));
    expect(await statuses(admin.register('p2', { trust_level: 'trusted' }))).toEqual([400]);
    const up = must(await admin.register('p2', { trust_level: 'trusted', transition_reason: 'met' }));
    expect(up.peer.trust_history.at(-1)).toMatchObject({
      from: 'restricted',
      to: 'trusted',
      reason: 'met',
      by: 'boss',
    });
    expect(await statuses(trust('p2', 'untrusted'))).toEqual([409]);
    const down = must(await trust('p2', 'restricted', { expected_public_key_fingerprint: print('K') }));
    expect(down.peer.trust_level).toBe('restricted');
    expect(down).not.toHaveProperty('created');
    expect(await statuses(trust('p2', 'trusted', { expected_public_key_fingerprint: 'sha256:x' }))).toEqual([
      409,
    ]);
    expect(await statuses(trust('p2', 'trusted', { reason: 'no' }), trust('p2', 'x'))).toEqual([422, 422]);
    must(await trust('p2', 'untrusted'));
    expect(await statuses(trust('p2', 'trusted'))).toEqual([409]);
    expect(told(await trust('none', 'restricted'))).toEqual([404, 'Peer not found: none']);
    expect(await statuses(trust('b', 'trusted'))).toEqual([400]);
    // Who only holds a key can be distrusted as well.
    must(await trust('boss', 'untrusted'));
    expect((await scene.a.handOver('boss')).status).toBe(409);
    must(await trust('boss', 'restricted'));
  });
});
