import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { breach, type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';
import { plantDocument } from '../testing/plant-document.ts';

describeEachServer('continuity › lifecycle', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });
  const move = (id: string, transition: string, at: string, more: object = {}) =>
    memory.call('lifecycle', {
      subject_kind: 'thread',
      subject_id: id,
      transition,
      updated_at: at,
      ...more,
    });
  const thread_descriptor = { label: 'L' };

  test('suspends, resumes and concludes', async () => {
    await memory.store('thread', 'a', { thread_descriptor });
    const steps = [
      await move('a', 'suspend', T(2)),
      await move('a', 'resume', T(3)),
      await move('a', 'conclude', T(4)),
    ];
    expect(steps.map(({ status, body }) => [status, body.previous_lifecycle, body.lifecycle])).toEqual([
      [200, 'active', 'suspended'],
      [200, 'suspended', 'active'],
      [200, 'active', 'concluded'],
    ]);
  });

  test('refuses moves that lead nowhere', async () => {
    await memory.store('thread', 'b', { thread_descriptor });
    expect(refusal(await move('b', 'resume', T(2)))).toEqual([
      400,
      "lifecycle transition 'resume' not allowed from 'active'",
    ]);
    await move('b', 'suspend', T(2));
    expect(refusal(await move('b', 'suspend', T(3)))).toEqual([
      400,
      "lifecycle transition 'suspend' not allowed from 'suspended'",
    ]);
  });

  test('changes nothing else', async () => {
    await memory.store('thread', 'c', {
      thread_descriptor,
      continuity: { negative_decisions: [{ decision: 'd', rationale: 'r' }] },
    });
    const before = await memory.capsule('thread', 'c');
    await move('c', 'suspend', T(2));
    expect(await memory.capsule('thread', 'c')).toEqual({
      ...before,
      updated_at: T(2),
      thread_descriptor: { ...before.thread_descriptor, lifecycle: 'suspended' },
    });
  });

  test('a successor is named when there is one, and only then', async () => {
    await memory.store('thread', 'd', { thread_descriptor });
    expect(refusal(await move('d', 'supersede', T(2)))).toEqual([
      400,
      "superseded_by is required when transition is 'supersede'",
    ]);
    expect(refusal(await move('d', 'suspend', T(2), { superseded_by: 'e' }))).toEqual([
      400,
      "superseded_by is only allowed when transition is 'supersede'",
    ]);
    expect((await move('d', 'supersede', T(2), { superseded_by: 'e' })).body.lifecycle).toBe('superseded');
    const { body } = await memory.read('thread', 'd');
    expect(body.recovery_warnings).toEqual(['continuity_capsule_superseded:thread:d→e']);
  });

  test('what there is to move', async () => {
    expect(refusal(await move('nobody', 'suspend', T(2)))).toEqual([404, 'continuity capsule not found']);
    await memory.store('thread', 'bare');
    expect(refusal(await move('bare', 'suspend', T(2)))).toEqual([400, 'no thread_descriptor to transition']);
    expect(refusal(await move('bare', 'suspend', T(1)))[0]).toBe(409);
    expect(breach(await move('bare', 'suspend', T(2), { subject_kind: 'user' }))).toEqual([
      422,
      'literal_error',
    ]);
  });

  test('with explain, time and successor are told together', async () => {
    const { body } = await move('a', 'supersede', 'soon', { explain: true });
    expect(body.problems).toEqual([
      { path: 'updated_at', message: 'Invalid UTC timestamp for updated_at' },
      { path: 'request', message: "superseded_by is required when transition is 'supersede'" },
    ]);
  });

  test('an end lost with the descriptor is remembered through other writes', async () => {
    await memory.store('thread', 'lost', { thread_descriptor });
    await move('lost', 'conclude', T(2));
    await memory.store('thread', 'lost', {}, T(3));
    const operations = [{ target: 'continuity.open_loops', action: 'append', value: 'more' }];
    const subject = { subject_kind: 'thread', subject_id: 'lost' };
    expect((await memory.call('patch', { ...subject, updated_at: T(4), operations })).status).toBe(200);
    const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(4), summary: 's' }];
    expect((await memory.call('revalidate', { ...subject, outcome: 'confirm', signals })).status).toBe(200);
    const restored = { ...subject, from: 'active', updated_at: T(5), reason: 'again' };
    expect((await memory.call('restore', restored)).status).toBe(200);
    const { body } = await memory.store('thread', 'lost', { thread_descriptor }, T(6));
    expect([body.lifecycle, body.notices]).toEqual(['active', ['continuity_lifecycle_reset']]);
  });

  test('an end lost with the descriptor in one correction, reset by another', async () => {
    await memory.store('thread', 'corrected', { thread_descriptor });
    await move('corrected', 'conclude', T(2));
    const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(3), summary: 's' }];
    const candidate_capsule = baseCapsule('thread', 'corrected', T(3));
    const subject = { subject_kind: 'thread', subject_id: 'corrected' };
    const correction = { ...subject, outcome: 'correct', candidate_capsule, signals };
    expect((await memory.call('revalidate', correction)).body).toMatchObject({ outcome: 'correct' });
    const again = baseCapsule('thread', 'corrected', T(4), { thread_descriptor });
    const { body } = await memory.call('revalidate', { ...correction, candidate_capsule: again });
    expect(body.notices).toEqual(['continuity_lifecycle_reset']);
    expect((await memory.capsule('thread', 'corrected')).thread_descriptor?.lifecycle).toBe('active');
  });

  test('a capsule that was only moved is still held against the rules by the next write', async () => {
    const entry = { tag: 'a', kind: 'decision', status: 'active', summary: 's', reasoning: 'r' } as const;
    const planted = baseCapsule('thread', 'moved', T(1), {
      thread_descriptor,
      continuity: { rationale_entries: [{ ...entry, created_at: 'long ago', updated_at: T(1) }] },
    });
    await plantDocument(
      home.server.context.continuity.service,
      memory.ownerId,
      'memory/continuity/thread-moved.json',
      Buffer.from(JSON.stringify(planted)),
    );
    expect((await move('moved', 'suspend', T(2))).status).toBe(200);
    const next = baseCapsule('thread', 'moved', T(3), { continuity: { rationale_entries: [entry] } });
    expect(refusal(await memory.upsert(next))).toEqual([
      400,
      'Invalid UTC timestamp for continuity.rationale_entries[].created_at',
    ]);
  });
});
