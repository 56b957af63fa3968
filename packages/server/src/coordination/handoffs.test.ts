import { beforeAll, expect, test } from 'vitest';
import { T } from '../continuity/testing/base-capsule.ts';
import { describeEachServer } from '../testing/each-server.ts';
import {
  type CoordinationScene,
  coordinationScene,
  must,
  statuses,
  told,
  ZEROS,
} from './testing/coordination-scene.ts';

describeEachServer('coordination › handoffs', (start) => {
  let scene: CoordinationScene;
  beforeAll(async () => {
    scene = await coordinationScene(start);
  });

  test('give two lists of a capsule to another peer, and nothing else of it', async () => {
    const { a } = scene;
    const { status, body, text } = await a.handOver('b', { note: 'look', task_id: 't', ignored: 1 });
    expect(status).toBe(200);
    const { handoff } = body;
    expect(handoff).toEqual({
      schema_type: 'continuity_handoff',
      schema_version: '1.0',
      handoff_id: expect.stringMatching(/^handoff_[0-9a-f]{32}$/),
      created_at: '2026-04-01T12:00:00Z',
      created_by: 'a',
      sender_peer: 'a',
      recipient_peer: 'b',
      source_selector: { subject_kind: 'thread', subject_id: 'th1' },
      source_summary: {
        path: 'memory/continuity/thread-th1.json',
        updated_at: T(1),
        verified_at: T(1),
        verification_status: expect.any(String),
        health_status: 'healthy',
      },
      task_id: 't',
      thread_id: null,
      note: 'look',
      shared_continuity: { active_constraints: ['k1'], drift_signals: ['d1'] },
      recipient_status: 'pending',
      recipient_reason: null,
      consumed_at: null,
      consumed_by: null,
    });
    expect(Object.keys(handoff).at(-1)).toBe('consumed_by');
    expect(body).toMatchObject({
      ok: true,
      created: true,
      path: `memory/coordination/handoffs/${handoff.handoff_id}.json`,
      latest_commit: expect.any(String),
    });
    for (const word of ['flaky build', 'answer review', 'finish parser']) expect(text).not.toContain(word);
    expect((await a.handed('b', { note: 'look' })).handoff_id).not.toBe(handoff.handoff_id);
    expect(await statuses(a.handOver('a'))).toEqual([200]);
  });

  test('need a recipient that is known and not distrusted, and a capsule of the subject', async () => {
    const { a, peer, remember } = scene;
    expect(await a.handOver('nobody')).toMatchObject({
      status: 404,
      body: { detail: 'Peer not found: nobody', code: 'peer_not_found' },
    });
    expect(told(await a.handOver('u'))).toEqual([409, 'Peer is untrusted: u']);
    expect(told(await a.handOver('b', { subject_id: 'none' }))).toEqual([
      404,
      'Continuity capsule not found',
    ]);
    expect(await statuses(a.handOver('b', { note: 'x'.repeat(241) }))).toEqual([422]);
    expect(await statuses(a.handOver('b', { commit_message: 'x'.repeat(121) }))).toEqual([400]);
    expect(await statuses(a.handOver('b', { commit_message: ' ' }))).toEqual([200]);
    expect(await statuses(a.handOver('', {}), a.handOver('b', { subject_kind: 'x' }))).toEqual([422, 422]);
    const reader = await peer('reader', { scopes: ['read:files'] });
    expect(told(await reader.handOver('b'))).toEqual([403, 'Missing scope: write:projects']);
    const elsewhere = await peer('elsewhere', { write_namespaces: ['memory/continuity'] });
    expect(await statuses(elsewhere.handOver('b'))).toEqual([403]);
    const blind = await peer('blind', { read_namespaces: ['memory/coordination'] });
    expect(told(await blind.handOver('b'))).toEqual([
      403,
      'Read path namespace not allowed: memory/continuity/thread-th1.json',
    ]);
    await remember('gone', { active_constraints: ['x'] });
    must(
      await a.call('POST', '/continuity/delete', {
        subject_kind: 'thread',
        subject_id: 'gone',
        reason: 'test',
        delete_active: true,
      }),
    );
    // Its fallback is still there.
    expect(await statuses(a.handOver('b', { subject_id: 'gone' }))).toEqual([404]);
    const eight = Array.from({ length: 8 }, (_, at) => `k${at}`);
    await remember('eight', { active_constraints: eight });
    const { shared_continuity: given } = await a.handed('b', { subject_id: 'eight' });
    expect(given.active_constraints).toEqual(eight);
  });

  test('are shown to both parties and the administrator', async () => {
    const { a, b, c, admin } = scene;
    const { handoff_id: id } = await a.handed('b');
    expect(await statuses(b.handoff(id), a.handoff(id), admin.handoff(id), c.handoff(id))).toEqual([
      200, 200, 200, 403,
    ]);
    expect(await statuses(a.handoff(`handoff_${ZEROS}`), a.handoff('nope'))).toEqual([404, 404]);
    expect(must(await b.handoff(id))).toMatchObject({
      ok: true,
      path: `memory/coordination/handoffs/${id}.json`,
    });
  });

  test('are listed for who names itself', async () => {
    const { a, b, c, admin } = scene;
    const task = 'listed';
    await scene.clock.advance(1_000);
    const first = await a.handed('b', { task_id: task });
    await scene.clock.advance(1_000);
    const second = await a.handed('b', { task_id: task });
    expect(await statuses(a.handoffs(''), admin.handoffs(''), a.handoffs('?status=pending'))).toEqual([
      400, 400, 400,
    ]);
    expect(
      await statuses(a.handoffs('?recipient_peer=b'), a.handoffs('?sender_peer=a&recipient_peer=b')),
    ).toEqual([403, 403]);
    const mine = must(await b.handoffs('?recipient_peer=b&status=pending&limit=2'));
    expect(mine.handoffs.map(({ handoff_id: id }) => id)).toEqual([second.handoff_id, first.handoff_id]);
    expect([mine.count, mine.total_matches > 2, mine.warnings]).toEqual([2, true, []]);
    const paged = must(await b.handoffs('?recipient_peer=b&limit=1&offset=1'));
    expect(paged.handoffs[0]?.handoff_id).toBe(first.handoff_id);
    expect(must(await admin.handoffs('?sender_peer=a&recipient_peer=b')).total_matches).toBe(
      mine.total_matches,
    );
    expect(must(await c.handoffs('?recipient_peer=c'))).toMatchObject({
      count: 0,
      total_matches: 0,
      handoffs: [],
    });
    expect(
      await statuses(b.handoffs('?recipient_peer=b&status=bogus'), b.handoffs('?recipient_peer=b&limit=101')),
    ).toEqual([422, 422]);
  });

  test('are consumed once, by their recipient', async () => {
    const { a, b, admin, clock } = scene;
    const { handoff_id: id } = await a.handed('b');
    const accept = { status: 'accepted_advisory', note: 'ok' };
    expect(await statuses(a.consume(id, accept), admin.consume(id, accept))).toEqual([403, 403]);
    await clock.advance(1_000);
    const done = must(await b.consume(id, accept));
    expect(done).toMatchObject({ updated: true, latest_commit: expect.any(String) });
    expect(done.handoff).toMatchObject({
      recipient_status: 'accepted_advisory',
      recipient_reason: 'ok',
      consumed_by: 'b',
      consumed_at: expect.stringMatching(/Z$/),
    });
    for (const again of [accept, { status: 'accepted_advisory', reason: 'ok' }]) {
      const repeated = must(await b.consume(id, again));
      expect([repeated.updated, repeated.handoff]).toEqual([false, done.handoff]);
    }
    expect(await b.consume(id, { status: 'rejected' })).toMatchObject({
      status: 409,
      body: { detail: 'Handoff has already been consumed', code: 'handoff_already_consumed' },
    });
    expect(await statuses(b.consume(id, { ...accept, note: 'other' }))).toEqual([409]);
    expect(await statuses(b.consume('nope', accept), b.consume(`handoff_${ZEROS}`, accept))).toEqual([
      400, 404,
    ]);
    expect(
      await statuses(b.consume(id, { ...accept, reason: 'no' }), b.consume(id, { status: 'pending' })),
    ).toEqual([422, 422]);
    const other = await a.handed('b');
    expect(
      must(await b.consume(other.handoff_id, { status: 'deferred' })).handoff.recipient_reason,
    ).toBeNull();
  });

  test('of many at once one consumes it', async () => {
    const { a, b } = scene;
    const { handoff_id: id } = await a.handed('b');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => b.consume(id, { status: 'rejected', note: `n${at}` })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
  });
});
