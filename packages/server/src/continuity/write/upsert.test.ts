import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

const STALE = 'Incoming continuity capsule is older than the current stored capsule';
const CONFLICT = 'Incoming continuity capsule conflicts with the current stored capsule timestamp';

describeEachServer('continuity › upsert › outcome', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
  });

  test('the first capsule of a subject is created, and durable', async () => {
    memory = await home.owner();
    const { status, body } = await memory.upsert(baseCapsule('user', 'u1'));
    expect(status).toBe(200);
    const { latest_commit: commit, capsule_sha256: hash, ...rest } = body;
    expect(rest).toEqual({
      ok: true,
      path: 'memory/continuity/user-u1.json',
      created: true,
      updated: false,
      durable: true,
      normalizations_applied: [],
      warnings: [],
      recovery_warnings: [],
      fallback_warning_detail: null,
    });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(commit).toMatch(/^[0-9a-f]{40}$/);
  });

  test('the same body twice changes nothing', async () => {
    memory = await home.owner();
    const first = await memory.upsert(baseCapsule('user', 'u1'));
    const { status, body } = await memory.upsert(baseCapsule('user', 'u1'));
    expect([status, body.created, body.updated]).toEqual([200, false, false]);
    expect(body.latest_commit).toBe(first.body.latest_commit);
  });

  test('other content at the same time is a conflict', async () => {
    memory = await home.owner();
    await memory.store('user', 'u1', {}, T(2));
    const other = baseCapsule('user', 'u1', T(2), { continuity: { open_loops: ['another'] } });
    expect(refusal(await memory.upsert(other))).toEqual([409, CONFLICT]);
  });

  test('an older time is stale', async () => {
    memory = await home.owner();
    await memory.store('user', 'u1', {}, T(2));
    expect(refusal(await memory.upsert(baseCapsule('user', 'u1', T(1))))).toEqual([409, STALE]);
  });

  test('times differ by a microsecond', async () => {
    memory = await home.owner();
    await memory.store('user', 'u1', {}, '2026-03-01T12:00:00.000002Z');
    const at = (time: string) => memory.upsert(baseCapsule('user', 'u1', time));
    expect(refusal(await at('2026-03-01T12:00:00.000001Z'))).toEqual([409, STALE]);
    expect((await at('2026-03-01T12:00:00.000003Z')).body.updated).toBe(true);
  });

  test('an idempotency key never blocks another write', async () => {
    memory = await home.owner();
    await memory.store('user', 'u1', {}, T(1), { idempotency_key: 'k' });
    const next = baseCapsule('user', 'u1', T(2), { continuity: { open_loops: ['new'] } });
    const { status, body } = await memory.upsert(next, { idempotency_key: 'k' });
    expect([status, body.updated]).toEqual([200, true]);
  });

  test('a capsule of another subject than the request names is refused', async () => {
    memory = await home.owner();
    const answer = await memory.upsert(baseCapsule('user', 'A'), { subject_id: 'a' });
    expect(refusal(answer)).toEqual([400, 'Capsule subject does not match request subject']);
  });

  test('a commit message has at most 240 characters, a key 200', async () => {
    memory = await home.owner();
    const capsule = baseCapsule('user', 'u1');
    expect((await memory.upsert(capsule, { commit_message: 'x'.repeat(241) })).status).toBe(422);
    expect((await memory.upsert(capsule, { idempotency_key: 'x'.repeat(201) })).status).toBe(422);
  });

  test('unknown keys are dropped', async () => {
    memory = await home.owner();
    const capsule = { ...baseCapsule('user', 'u1'), mood: 'good' };
    Object.assign(capsule.continuity, { weather: 'fine' });
    expect((await memory.upsert(capsule)).status).toBe(200);
    const read = await memory.capsule('user', 'u1');
    expect(read).not.toHaveProperty('mood');
    expect(read.continuity).not.toHaveProperty('weather');
  });

  test('two spellings of one subject share a capsule; the last one stays', async () => {
    memory = await home.owner();
    await memory.store('user', 'My User', {}, T(1));
    const { body } = await memory.upsert(baseCapsule('user', 'my user', T(2)));
    expect([body.updated, body.notices]).toEqual([true, ['continuity_subject_id_alias:My User']]);
    expect((await memory.capsule('user', 'MY-USER')).subject_id).toBe('my user');
  });

  test('another spelling is told by every operation that finds the capsule', async () => {
    memory = await home.owner();
    await memory.store('thread', 'My Thread', { thread_descriptor: { label: 'L' } });
    const subject = { subject_kind: 'thread', subject_id: 'my-thread' };
    const operations = [{ target: 'continuity.open_loops', action: 'append', value: 'x' }];
    const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }];
    const calls: [string, object][] = [
      ['read', {}],
      ['patch', { updated_at: T(2), operations }],
      ['lifecycle', { updated_at: T(3), transition: 'suspend' }],
      ['revalidate', { outcome: 'confirm', signals }],
    ];
    for (const [operation, more] of calls) {
      const { body } = await memory.call(operation, { ...subject, ...more });
      expect([operation, body.notices]).toEqual([operation, ['continuity_subject_id_alias:My Thread']]);
      const same = { ...subject, subject_id: 'My Thread', ...more, updated_at: T(9), dry_run: true };
      expect((await memory.call(operation, same)).body).not.toHaveProperty('notices');
    }
  });

  test('a clock far ahead is taken, and told', async () => {
    memory = await home.owner();
    const { body } = await memory.upsert(baseCapsule('user', 'u1', '2026-04-01T12:06:00Z'));
    expect(body.notices).toEqual(['continuity_updated_at_in_future']);
  });

  test.each([
    ['300 seconds ahead is not told', '2026-04-01T12:05:00Z', undefined],
    ['301 seconds ahead is told', '2026-04-01T12:05:01Z', ['continuity_updated_at_in_future']],
  ])('a clock %s', async (_, at, notices) => {
    memory = await home.owner();
    const { status, body } = await memory.upsert(baseCapsule('user', 'u1', at));
    expect([status, body.notices]).toEqual([200, notices]);
  });

  test('an empty store has no latest commit; what was written has, and keeps it when nothing goes', async () => {
    memory = await home.owner();
    const nothing = { subject_kind: 'user', subject_id: 'nobody', reason: 'why', delete_active: true };
    expect((await memory.call('delete', nothing)).body.latest_commit).toBeNull();
    const written = await memory.upsert<{ latest_commit: string }>(baseCapsule('user', 'u1'));
    expect((await memory.call('delete', nothing)).body.latest_commit).toBe(written.body.latest_commit);
  });

  test('what is deleted is told in the order active, fallback, archives by name', async () => {
    memory = await home.owner();
    const subject = { subject_kind: 'user', subject_id: 'u1', reason: 'why' };
    for (const day of [1, 2]) {
      await memory.store('user', 'u1', {}, T(day));
      await memory.call('archive', subject);
    }
    await memory.store('user', 'u1', {}, T(3));
    const all = { delete_archive: true, delete_fallback: true, delete_active: true };
    expect((await memory.call('delete', { ...subject, ...all })).body).toMatchObject({
      deleted_paths: [
        'memory/continuity/user-u1.json',
        'memory/continuity/fallback/user-u1.json',
        'memory/continuity/archive/user-u1-20260401T120000Z.json',
        'memory/continuity/archive/user-u1-20260401T120001Z.json',
      ],
      missing_paths: [],
    });
  });

  test('verification and health are not taken from an author', async () => {
    memory = await home.owner();
    await memory.store('user', 'u1', {
      verification_state: {
        status: 'user_confirmed',
        last_revalidated_at: T(1),
        strongest_signal: 'system_check',
      },
      capsule_health: { status: 'degraded', reasons: ['x'], last_checked_at: T(1) },
      verification_kind: 'self_review',
    });
    const capsule = await memory.capsule('user', 'u1');
    expect(capsule).not.toHaveProperty('verification_state');
    expect(capsule).not.toHaveProperty('capsule_health');
    expect(capsule.verification_kind).toBe('self_review');
  });

  test('a NUL in any text is kept', async () => {
    memory = await home.owner();
    const nul = `a\0b`;
    const answer = await memory.upsert(
      baseCapsule('thread', nul, T(1), {
        continuity: { open_loops: [nul] },
        thread_descriptor: { label: nul, keywords: [nul] },
      }),
      { commit_message: nul, idempotency_key: nul },
    );
    expect(answer.status).toBe(200);
    const capsule = await memory.capsule('thread', nul);
    expect([capsule.subject_id, capsule.continuity.open_loops]).toEqual([nul, [nul]]);
    expect((await memory.list({ keyword: nul })).body.count).toBe(1);
  });
});
