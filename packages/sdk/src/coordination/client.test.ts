import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MemoryClient } from '../memory/client.ts';
import { MemoryError } from '../memory/memory-error.ts';
import { ScheduleClient } from '../schedule/client.ts';
import { CoordinationClient } from './client.ts';

const AT = '2026-04-01T12:00:00Z';
const LATER = '2026-04-01T13:00:00Z';

describe('sdk › schedule and coordination', () => {
  let server: TestServer;
  let owner: string;
  let keyOf: (agent: string) => Promise<string>;

  beforeAll(async () => {
    server = await startServer({ clock: new FakeClock(Date.parse(AT)), rateLimits: false });
    const post = async (path: string, body: object, key = ''): Promise<{ api_key: string }> => {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return (await answer.json()) as { api_key: string };
    };
    owner = (await post('/v1/auth/register', { email: 'max@example.com' })).api_key;
    keyOf = async (agent) => {
      await post('/v1/agents', { slug: agent, display_name: agent }, owner);
      return (await post('/v1/keys', { agent }, owner)).api_key;
    };
  });
  afterAll(() => server.close());

  test('a reminder from its making to its end', async () => {
    const schedule = new ScheduleClient({ server: server.url, key: await keyOf('clock') });
    const { item, created } = await schedule.create({
      kind: 'reminder',
      title: 'x',
      due_at: LATER,
      task_id: 't',
    });
    expect([created, item.created_by, item.version]).toEqual([true, 'clock', 1]);
    expect(
      (await schedule.create({ kind: 'reminder', title: 'x', due_at: LATER, task_id: 't' })).created,
    ).toBe(false);
    const { schedule_id: id } = item;
    expect((await schedule.get(id)).item).toEqual(item);
    expect((await schedule.list({ due: false, task_id: 't', limit: 5 })).items).toEqual([item]);
    expect((await schedule.update(id, { expected_version: 1, title: 'y' })).item.version).toBe(2);
    expect((await schedule.acknowledge(id, { expected_version: 2, status: 'done' })).item.status).toBe(
      'done',
    );
    expect((await schedule.retire(id, { expected_version: 3 })).item.status).toBe('retired');
    const refused = await schedule
      .update(id, { expected_version: 3, title: 'z' })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MemoryError);
    expect(refused).toMatchObject({ status: 409, code: 'schedule_version_conflict' });
    await expect(schedule.get('sched_none')).rejects.toMatchObject({
      status: 404,
      code: 'schedule_not_found',
    });
  });

  test('a handoff, a board, a reconciliation and the peers', async () => {
    const keys = [await keyOf('day'), await keyOf('night')] as const;
    const [day, night] = keys.map((key) => new CoordinationClient({ server: server.url, key }));
    const boss = new CoordinationClient({ server: server.url, key: owner });
    if (!day || !night) throw new Error('two clients');
    const subject = { subject_kind: 'thread', subject_id: 'th' } as const;
    await new MemoryClient({ server: server.url, key: keys[0] }).upsert({
      ...subject,
      capsule: {
        ...subject,
        updated_at: AT,
        verified_at: AT,
        source: { producer: 'p', update_reason: 'manual' },
        confidence: { continuity: 1, relationship_model: 1 },
        continuity: {
          top_priorities: [],
          active_concerns: [],
          active_constraints: ['k'],
          open_loops: [],
          stance_summary: '',
          drift_signals: [],
        },
      },
    });
    const { handoff } = await day.handOver({ recipient_peer: 'night', ...subject });
    expect((await night.handoff(handoff.handoff_id)).handoff).toEqual(handoff);
    expect((await night.handoffs({ recipient_peer: 'night', status: 'pending' })).handoffs).toEqual([
      handoff,
    ]);
    expect((await night.consume(handoff.handoff_id, { status: 'deferred' })).updated).toBe(true);
    const { shared } = await day.share({ title: 't', constraints: ['c'], participant_peers: ['night'] });
    expect((await night.shared(shared.shared_id)).shared).toEqual(shared);
    expect(
      (await day.updateShared(shared.shared_id, { expected_version: 1, title: 'u' })).shared.version,
    ).toBe(2);
    await expect(
      day.updateShared(shared.shared_id, { expected_version: 1, title: 'v' }),
    ).rejects.toMatchObject({
      code: 'shared_version_conflict',
    });
    expect((await night.sharedStates({ participant_peer: 'night' })).total_matches).toBe(1);
    const claims = ['day', 'night'].map((peer) => ({
      source_kind: 'handoff' as const,
      source_id: handoff.handoff_id,
      claimant_peer: peer,
      claim_summary: 's',
      epistemic_status: 'frame_present' as const,
    }));
    const { reconciliation } = await day.openReconciliation({
      task_id: 't',
      title: 't',
      classification: 'contradictory',
      trigger: 'handoff_vs_handoff',
      claims,
    });
    const { reconciliation_id: id } = reconciliation;
    expect((await night.reconciliation(id)).reconciliation).toEqual(reconciliation);
    expect((await day.reconciliations({ owner_peer: 'day' })).count).toBe(1);
    const end = { expected_version: 1, resolution_outcome: 'rejected', resolution_summary: 's' } as const;
    expect((await day.resolve(id, end)).reconciliation.status).toBe('resolved');
    expect((await boss.registerPeer({ peer_id: 'far', base_url: 'http://far.example' })).created).toBe(true);
    const trusted = await boss.trustPeer('far', { trust_level: 'untrusted', reason: 'gone' });
    expect(trusted.peer.trust_level).toBe('untrusted');
    expect((await day.peers()).peers.map(({ peer_id: peer }) => peer)).toContain('night');
  });
});
