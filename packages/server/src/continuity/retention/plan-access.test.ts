import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { Memory, type MemoryServer, startMemory } from '../testing/memory.ts';
import { plantDocument } from '../testing/plant-document.ts';

const FOLDER = 'memory/continuity';
const STAMP = '20260401T120000Z';
const IDS = ['a', 'b', 'c', 'd', 'e'];

interface Plan {
  count: number;
  candidates: { subject_id: string; reason_codes: string[] }[];
  warnings: string[];
  total_candidates?: number;
  has_more?: boolean;
}

const plan = async (by: Memory, name: string, more: object = {}): Promise<Plan> => {
  const { status, text, body } = await by.call<Plan>(`${name}/plan`, more);
  if (status !== 200) throw new Error(text);
  return body;
};

const ids = ({ candidates }: Plan) => candidates.map((row) => row.subject_id);

describeEachServer('continuity › planning › what the caller may read', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
    for (const id of IDS) {
      await memory.store('user', id);
      await memory.call('archive', { subject_kind: 'user', subject_id: id, reason: 'done' });
    }
    for (const id of IDS) await memory.store('user', id);
    await home.clock.leap(91 * 86_400_000);
  });
  /** Reads these paths only, and may write both plans. */
  const narrow = async (paths: readonly string[], owner: Memory = memory): Promise<Memory> => {
    const body = {
      scopes: ['read:files', 'write:projects'],
      read_namespaces: paths.map((path) => `${FOLDER}/${path}`),
      write_namespaces: [`${FOLDER}/refresh_state.json`, `${FOLDER}/retention_state.json`],
    };
    const made = await home.people.call<{ api_key: string }>('POST', '/v1/keys', { key: owner.key, body });
    return new Memory(home.people, { id: owner.ownerId, key: made.body.api_key });
  };

  test('a refresh plan is filled up to its limit with what may be read', async () => {
    const one = await narrow(['user-d.json', 'user-b.json', 'user-e.json']);
    expect(ids(await plan(one, 'refresh'))).toEqual(['b', 'd', 'e']);
    expect(ids(await plan(one, 'refresh', { limit: 2 }))).toEqual(['b', 'd']);
    expect(ids(await plan(one, 'refresh', { limit: 1 }))).toEqual(['b']);
    expect(ids(await plan(memory, 'refresh', { limit: 4 }))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a retention plan likewise, and it counts nothing else', async () => {
    const one = await narrow(['d', 'b', 'e'].map((id) => `archive/user-${id}-${STAMP}.json`));
    const all = await plan(one, 'retention');
    expect([ids(all), all.total_candidates, all.has_more]).toEqual([['b', 'd', 'e'], 3, false]);
    const some = await plan(one, 'retention', { limit: 2 });
    expect([ids(some), some.count, some.total_candidates, some.has_more]).toEqual([['b', 'd'], 2, 3, true]);
    const exactly = await plan(one, 'retention', { limit: 3 });
    expect([ids(exactly), exactly.total_candidates, exactly.has_more]).toEqual([['b', 'd', 'e'], 3, false]);
    const whole = await plan(memory, 'retention', { limit: 5 });
    expect([ids(whole), whole.total_candidates, whole.has_more]).toEqual([IDS, 5, false]);
    const first = await plan(memory, 'retention', { limit: 4 });
    expect([ids(first), first.total_candidates, first.has_more]).toEqual([IDS.slice(0, 4), 5, true]);
  });

  test('archives are no capsules, and capsules no archives', async () => {
    const archives = await narrow(['archive']);
    expect([ids(await plan(archives, 'refresh')), ids(await plan(archives, 'retention'))]).toEqual([[], IDS]);
    const capsules = await narrow(IDS.map((id) => `user-${id}.json`));
    expect(ids(await plan(capsules, 'refresh'))).toEqual(IDS);
    expect(await plan(capsules, 'retention')).toMatchObject({
      count: 0,
      total_candidates: 0,
      has_more: false,
    });
    expect(ids(await plan(await narrow([]), 'refresh'))).toEqual([]);
  });

  test('a kind is counted alone', async () => {
    const none = await plan(memory, 'retention', { subject_kind: 'peer' });
    expect([none.count, none.total_candidates]).toEqual([0, 0]);
    const users = await plan(memory, 'retention', { subject_kind: 'user', limit: 1 });
    expect([ids(users), users.total_candidates, users.has_more]).toEqual([['a'], 5, true]);
  });

  test('a snapshot stands in for a capsule where both may be read', async () => {
    const owner = await home.owner();
    const only = async (...paths: string[]) => ids(await plan(await narrow(paths, owner), 'refresh'));
    await owner.store('user', 'gone');
    await owner.call('delete', {
      subject_kind: 'user',
      subject_id: 'gone',
      reason: 'why',
      delete_active: true,
    });
    expect((await plan(owner, 'refresh')).candidates[0]?.reason_codes).toContain('fallback_only');
    expect(await only('user-gone.json', 'fallback')).toEqual(['gone']);
    expect(await only('user-gone.json')).toEqual([]);
    expect(await only('fallback')).toEqual([]);
  });

  test('nobody is warned of an archive that is none of theirs', async () => {
    const owner = await home.owner();
    const { continuity } = home.server.context;
    for (const id of ['x', 'y']) {
      const path = `${FOLDER}/archive/user-${id}-${STAMP}.json`;
      await plantDocument(continuity.service, owner.ownerId, path, Buffer.from('{nope'));
    }
    const one = await narrow([`archive/user-y-${STAMP}.json`], owner);
    const warning = `continuity_retention_skipped_invalid_archive:${FOLDER}/archive/user-`;
    expect((await plan(owner, 'retention')).warnings).toEqual([
      `${warning}x-${STAMP}.json`,
      `${warning}y-${STAMP}.json`,
    ]);
    expect((await plan(one, 'retention')).warnings).toEqual([`${warning}y-${STAMP}.json`]);
  });
});
