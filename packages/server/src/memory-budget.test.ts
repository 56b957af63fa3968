import { expect, test } from 'vitest';
import { baseCapsule, T } from './continuity/testing/base-capsule.ts';
import { coordinationScene } from './coordination/testing/coordination-scene.ts';
import { describeEachServer } from './testing/each-server.ts';

const capsule = (id: string) => ({
  subject_kind: 'thread',
  subject_id: id,
  capsule: baseCapsule('thread', id, T(1), {}),
});

describeEachServer('what one account may keep of memory', (start) => {
  test('capsules, documents, tasks, reminders and what is exchanged count together', async () => {
    // The scene has a capsule already.
    const { a, people, owner } = await coordinationScene(start, { budgetDocuments: 6 });
    const make = {
      document: (n: number) => a.call('POST', '/write', { path: `docs/${n}.md`, content: 'x' }),
      line: (n: number) => a.call('POST', '/append', { path: `docs/${n}.jsonl`, record: { n } }),
      task: (n: number) => a.call('POST', '/tasks', { task_id: `t${n}`, title: 't', owner_peer: 'a' }),
      reminder: (n: number) =>
        a.call('POST', '/schedule/items', {
          kind: 'reminder',
          title: `r${n}`,
          due_at: '2030-01-01T00:00:00Z',
        }),
      handoff: () => a.handOver('b'),
      shared: () => a.share(),
      capsule: (n: number) => a.call('POST', '/continuity/upsert', capsule(`c${n}`)),
    };
    const kept = [make.document(1), make.task(1), make.reminder(1), make.handoff(), make.shared()];
    for (const each of kept) expect([200, 201]).toContain((await each).status);
    for (const [name, more] of Object.entries(make)) {
      const { status, text } = await more(2);
      expect([name, status]).toEqual([name, 402]);
      expect(text).toContain('PARLEY_BUDGET_DOCUMENTS');
    }
    // What is there can be changed, and made again by who was not sure.
    expect((await a.call('POST', '/write', { path: 'docs/1.md', content: 'y' })).status).toBe(200);
    expect((await make.reminder(1)).status).toBe(200);
    const usage = await people.call('GET', '/v1/usage', { key: owner.key });
    expect(usage.body).toMatchObject({ budgets: { documents: { limit: 6, used: 6 } } });
  });

  test('documents take no more bytes than an account may have', async () => {
    const { a } = await coordinationScene(start, { budgetBytes: 1 });
    const write = (n: number, length: number) =>
      a.call('POST', '/write', { path: `docs/${n}.md`, content: 'x'.repeat(length) });
    const statuses: number[] = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await write(n, 200_000)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 402]);
    const refused = await a.call('POST', '/append', { path: 'docs/0.md', record: { x: 'x'.repeat(60_000) } });
    expect([refused.status, refused.text]).toEqual([402, expect.stringContaining('PARLEY_BUDGET_BYTES')]);
    expect((await write(0, 10)).status).toBe(200);
    expect((await write(1, 199_999)).status).toBe(200);
  });
});
