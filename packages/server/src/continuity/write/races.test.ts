import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule } from '../testing/base-capsule.ts';
import { type ReadAnswer, startMemory } from '../testing/memory.ts';

const WRITERS = 200;
const at = (index: number): string => `2026-03-01T12:00:00.${String(index).padStart(6, '0')}Z`;

describeEachServer('continuity › races', (start) => {
  test('200 writers on one subject leave exactly the strictly newer ones', async () => {
    const home = await startMemory(start);
    const memory = await home.owner();
    const order = Array.from({ length: WRITERS }, (_, index) => index + 1).toSorted(
      () => Math.random() - 0.5,
    );
    const answers = await Promise.all(
      order.map((index) =>
        memory.upsert(
          baseCapsule('user', 'one', at(index), { continuity: { open_loops: [`writer ${index}`] } }),
        ),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    const { body } = await memory.call<{
      revisions: { revision: number; updated_at: string }[];
    }>('history', { subject_kind: 'user', subject_id: 'one', limit: 100 });
    const times = body.revisions.map((row) => row.updated_at).toReversed();
    expect(times).toEqual(times.toSorted());
    expect(new Set(times).size).toBe(times.length);
    const accepted = answers.filter(({ status }) => status === 200).length;
    expect(body.revisions[0]?.revision).toBe(accepted);
    const capsule = await memory.capsule('user', 'one');
    expect(capsule.continuity.open_loops).toEqual([`writer ${WRITERS}`]);
    const fallback = await memory.list({ include_fallback: true });
    expect(fallback.body.capsules.map((row) => row.updated_at)).toEqual([
      capsule.updated_at,
      capsule.updated_at,
    ]);
  }, 60_000);

  test('writers at the same instant: one wins, whoever says the same changes nothing', async () => {
    const memory = await (await startMemory(start)).owner();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        memory.upsert(
          baseCapsule('user', 'one', at(1), { continuity: { open_loops: [`writer ${index % 4}`] } }),
        ),
      ),
    );
    const changed = answers.filter(({ body }) => body.created === true || body.updated === true);
    expect(changed).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(30);
  });

  test('patches that race append once each, or are told to come back', async () => {
    const memory = await (await startMemory(start)).owner();
    await memory.store('user', 'one', { continuity: { open_loops: [] } }, at(0));
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((index) =>
        memory.call('patch', {
          subject_kind: 'user',
          subject_id: 'one',
          updated_at: at(index),
          operations: [{ target: 'continuity.open_loops', action: 'append', value: `item ${index}` }],
        }),
      ),
    );
    const done = answers.filter(({ status }) => status === 200).length;
    const { open_loops: loops } = (await memory.capsule('user', 'one')).continuity;
    expect(loops).toHaveLength(done);
    expect(new Set(loops).size).toBe(done);
  });

  test('readers never see a half of anything', async () => {
    const memory = await (await startMemory(start)).owner();
    await memory.store('user', 'one', { continuity: { open_loops: ['0'], drift_signals: ['0'] } }, at(0));
    const done = new AbortController();
    const reads: ReadAnswer[] = [];
    const reader = (async () => {
      while (!done.signal.aborted) reads.push((await memory.read('user', 'one')).body);
    })();
    for (let index = 1; index <= 50; index++) {
      const text = [String(index)];
      await memory.store('user', 'one', { continuity: { open_loops: text, drift_signals: text } }, at(index));
    }
    done.abort();
    await reader;
    for (const { capsule } of reads)
      expect(capsule.continuity.drift_signals).toEqual(capsule.continuity.open_loops);
    expect(reads.length).toBeGreaterThan(10);
  });
});
