import { beforeAll, expect, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule } from '../testing/base-capsule.ts';

describeEachServer('documents one account may have', (start) => {
  let people: People;
  beforeAll(async () => {
    people = new People(await start({ rateLimits: false, budgetDocuments: 2 }));
  });

  const write = (key: string, id: string, second: number) => {
    const at = `2026-01-01T00:00:0${second}.000Z`;
    const body = { subject_kind: 'thread', subject_id: id, capsule: baseCapsule('thread', id, at, {}) };
    return people.call('POST', '/v1/continuity/upsert', { key, body });
  };

  test('a new one beyond the budget is refused and told; those that are there can be changed', async () => {
    const { key } = await people.owner('many@example.com');
    const statuses = [];
    for (const id of ['a', 'b', 'c']) statuses.push((await write(key, id, 1)).status);
    expect(statuses).toEqual([200, 200, 402]);
    const refused = await write(key, 'c', 2);
    expect(refused.body).toMatchObject({ detail: expect.stringContaining('PARLEY_BUDGET_DOCUMENTS') });
    expect((await write(key, 'a', 3)).status).toBe(200);
    const other = await people.owner('other@example.com');
    expect((await write(other.key, 'a', 1)).status).toBe(200);
  });
});
