import { beforeAll, expect, test } from 'vitest';
import { tally } from '../identity/testing/people.ts';
import { describeEachServer } from '../testing/each-server.ts';
import {
  type CoordinationScene,
  coordinationScene,
  must,
  statuses,
  told,
  ZEROS,
} from './testing/coordination-scene.ts';

describeEachServer('coordination › shared state', (start) => {
  let scene: CoordinationScene;
  beforeAll(async () => {
    scene = await coordinationScene(start);
  });

  test('is a board with its participants, or with none', async () => {
    const { a } = scene;
    const { shared, path, created } = must(
      await a.share({ participant_peers: ['b'], task_id: 't', ignored: 1 }),
    );
    expect([created, path]).toEqual([true, `memory/coordination/shared/${shared.shared_id}.json`]);
    expect(shared).toEqual({
      schema_type: 'coordination_shared_state',
      schema_version: '1.0',
      shared_id: expect.stringMatching(/^shared_[0-9a-f]{32}$/),
      created_at: shared.updated_at,
      updated_at: '2026-04-01T12:00:00Z',
      created_by: 'a',
      owner_peer: 'a',
      participant_peers: ['b'],
      task_id: 't',
      thread_id: null,
      title: 'board',
      summary: null,
      shared_state: { constraints: ['c'], drift_signals: [], coordination_alerts: [] },
      version: 1,
      last_updated_by: 'a',
    });
    expect(await statuses(a.share(), a.share({ participant_peers: [] }))).toEqual([200, 200]);
  });

  test.each<[string, object, number, string?]>([
    [
      'its owner among the participants',
      { participant_peers: ['a'] },
      400,
      'participant_peers must not include owner_peer',
    ],
    ['one twice', { participant_peers: ['b', 'b'] }, 400, 'participant_peers must not contain duplicates'],
    ['one nobody knows', { participant_peers: ['b', 'nobody'] }, 404, 'Peer not found: nobody'],
    ['one nobody trusts', { participant_peers: ['u'] }, 409, 'Peer is untrusted: u'],
    ['nine', { participant_peers: Array.from({ length: 9 }, (_, at) => `p${at}`) }, 422],
    ['no items', { constraints: [] }, 400],
    ['an empty item', { constraints: [''] }, 400],
    ['a long item', { drift_signals: ['x'.repeat(161)] }, 400],
    ['nine items', { constraints: Array.from({ length: 9 }, () => 'x') }, 422],
    ['items that are no texts', { constraints: [1] }, 422],
    ['no title', { title: undefined }, 422],
    ['an empty title', { title: '' }, 400],
    ['a long title', { title: 'x'.repeat(121) }, 400],
    ['an empty summary', { summary: '' }, 400],
    ['a long summary', { summary: 'x'.repeat(241) }, 400],
    ['a long commit message', { commit_message: 'x'.repeat(121) }, 400],
    ['a long task', { task_id: 'x'.repeat(201) }, 422],
  ])('refuses %s', async (_name, more, status, text) => {
    const answer = await scene.a.share(more);
    expect(answer.status).toBe(status);
    if (text !== undefined) expect(answer.body.detail).toBe(text);
  });

  test('is read by its owner, its participants and the administrator', async () => {
    const { a, b, c, admin } = scene;
    const { shared_id: id } = await a.shared({ participant_peers: ['b'] });
    expect(
      await statuses(a.readShared(id), b.readShared(id), admin.readShared(id), c.readShared(id)),
    ).toEqual([200, 200, 200, 403]);
    expect(await statuses(a.readShared('nope'), a.readShared(`shared_${ZEROS}`))).toEqual([400, 404]);
  });

  test('is listed for who names itself', async () => {
    const { a, b, admin, clock } = scene;
    await a.shared({ task_id: 't9', participant_peers: ['b'], title: 'one' });
    await clock.advance(1_000);
    const two = await a.shared({ task_id: 't9', title: 'two', thread_id: 'th' });
    await clock.advance(1_000);
    const { shared_artifacts: rows } = must(await a.queryShared('?owner_peer=a&task_id=t9'));
    expect(rows.map(({ title }) => title)).toEqual(['two', 'one']);
    must(await a.updateShared(rows[1]?.shared_id ?? '', 1, { title: 'one again' }));
    expect(
      must(await a.queryShared('?owner_peer=a&task_id=t9')).shared_artifacts.map(({ title }) => title),
    ).toEqual(['one again', 'two']);
    expect(must(await b.queryShared('?participant_peer=b&task_id=t9'))).toMatchObject({
      count: 1,
      total_matches: 1,
    });
    expect(must(await admin.queryShared('?thread_id=th')).shared_artifacts).toEqual([two]);
    expect(await statuses(a.queryShared('?task_id=t9'), admin.queryShared('?task_id=t9'))).toEqual([
      403, 200,
    ]);
    expect(
      await statuses(
        a.queryShared('?owner_peer=a&participant_peer=b'),
        a.queryShared(''),
        admin.queryShared(''),
      ),
    ).toEqual([403, 400, 400]);
  });

  test('is found by a task or thread that no database could keep as it is', async () => {
    const { a } = scene;
    const odd = await a.shared({ task_id: 'a\0b', thread_id: '\0' });
    for (const filter of ['task_id=a%00b', 'thread_id=%00']) {
      expect(must(await a.queryShared(`?owner_peer=a&${filter}`)).shared_artifacts).toEqual([odd]);
    }
  });

  test('is not that of a peer whose name it only begins with', async () => {
    const { a, b, admin } = await scene.tenant();
    must(await admin.register('b\0x'));
    const only = await a.handed('b\0x');
    await a.shared({ participant_peers: ['b\0x'] });
    expect(must(await b.handoffs('?recipient_peer=b')).total_matches).toBe(0);
    expect(must(await b.queryShared('?participant_peer=b')).total_matches).toBe(0);
    expect(must(await admin.queryShared('?owner_peer=a%00b')).total_matches).toBe(0);
    expect(must(await admin.handoffs('?recipient_peer=b%00x')).handoffs).toEqual([only]);
  });

  test('is replaced by its owner, at the version that was seen', async () => {
    const { a, b, admin, clock } = scene;
    const first = await a.shared({ participant_peers: ['b'], summary: 's', drift_signals: ['d'] });
    const { shared_id: id } = first;
    expect(await statuses(b.updateShared(id, 1), admin.updateShared(id, 1))).toEqual([403, 403]);
    expect(await a.updateShared(id, 2)).toMatchObject({
      status: 409,
      body: { detail: 'Shared coordination version conflict', code: 'shared_version_conflict' },
    });
    await clock.advance(1_000);
    const updated = must(await a.updateShared(id, 1, { constraints: undefined, coordination_alerts: ['x'] }));
    expect(updated).toMatchObject({ updated: true, warnings: [], latest_commit: expect.any(String) });
    expect(updated.shared).toEqual({
      ...first,
      updated_at: expect.not.stringContaining(first.updated_at),
      summary: null,
      shared_state: { constraints: [], drift_signals: [], coordination_alerts: ['x'] },
      version: 2,
    });
    expect(await statuses(a.updateShared(id, 1))).toEqual([409]);
    expect(
      await statuses(a.updateShared(id, 2, { participant_peers: [] }), a.updateShared(id, 2, { title: '' })),
    ).toEqual([422, 400]);
    expect(await statuses(a.updateShared('nope', 1), a.updateShared(`shared_${ZEROS}`, 1))).toEqual([
      400, 404,
    ]);
    expect(told(await b.updateShared(id, 9, { title: '' }))).toEqual([
      403,
      'Only the owner may update a shared artifact',
    ]);
  });

  test('of 200 writers at once one wins each version', async () => {
    const { a } = scene;
    const { shared_id: id } = await a.shared();
    const write = (version: number, at: number) =>
      a.updateShared(id, version, { title: `v${version} w${at}` });
    const all = await Promise.all(Array.from({ length: 200 }, (_, at) => write(1, at)));
    expect(tally(all)).toEqual({ 200: 1, 409: 199 });
    const [winner] = all.filter(({ status }) => status === 200);
    expect(must(await a.readShared(id)).shared).toEqual(winner?.body.shared);
    // Some are ahead of their time: who names a version before it is there is refused, or wins it once it is.
    const mixed = await Promise.all(Array.from({ length: 200 }, (_, at) => write(2 + (at % 4), at)));
    const won = mixed.filter(({ status }) => status === 200).map(({ body }) => body.shared);
    expect(mixed.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const versions = won.map(({ version }) => version).toSorted((x, y) => x - y);
    expect(versions).toEqual(versions.map((_, index) => 3 + index));
    expect(versions.length).toBeGreaterThan(0);
    const { shared } = must(await a.readShared(id));
    expect(shared).toEqual(won.find(({ version }) => version === versions.at(-1)));
  });
});
