import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { T } from './testing/base-capsule.ts';
import { breach, type Memory, refusal, startMemory } from './testing/memory.ts';

describeEachServer('continuity › lifecycle', (start) => {
  let memory: Memory;
  beforeAll(async () => {
    memory = await (await startMemory(start)).owner();
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

  test('row 67: there and back and to the end', async () => {
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

  test('row 68: moves that lead nowhere', async () => {
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

  test('row 69: nothing else changes', async () => {
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
});
