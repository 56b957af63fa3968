import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';
import { plantDocument } from '../testing/plant-document.ts';

interface History {
  revisions: {
    revision: number;
    operation: string;
    capsule_sha256: string | null;
    changed_fields: string[];
  }[];
}

const subject = { subject_kind: 'user', subject_id: 'a' };
const stance = (text: string) => ({ continuity: { stance_summary: text } });
const document = (text: string, day = 1) => JSON.stringify(baseCapsule('user', 'a', T(day), stance(text)));
const archiveOf = (capsule: string) =>
  `{"schema_type":"continuity_archive_envelope","schema_version":"1.1","archived_at":"${T(1)}","capsule":${capsule}}`;
const snapshotOf = (capsule: string) =>
  `{"schema_type":"continuity_fallback_snapshot","schema_version":"1.1","captured_at":"${T(1)}","capsule":${capsule}}`;

describeEachServer('continuity › history › of archives and documents taken over', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const plant = (name: string, content: string) =>
    plantDocument(
      home.server.context.continuity.service,
      memory.ownerId,
      `memory/continuity/${name}`,
      Buffer.from(content),
    );
  const history = async (more: object = {}) =>
    (await memory.call<History>('history', { ...subject, ...more })).body.revisions;
  const changed = async (more: object = {}) =>
    (await history(more)).map((row) => [row.revision, row.operation, row.changed_fields]);
  const said = async (revision: number) =>
    (await memory.read('user', 'a', { revision })).body.capsule.continuity.stance_summary;

  test('what happens to an archive changes nothing in the capsule', async () => {
    memory = await home.owner();
    await memory.store('user', 'a', stance('first'));
    const { archived_path: path } = (
      await memory.call<{ archived_path: string }>('archive', { ...subject, reason: 'done' })
    ).body;
    await memory.store('user', 'a', stance('second'), T(2));
    const job = { source_archive_path: path };
    await memory.ops('continuity_cold_store', job);
    await memory.ops('continuity_cold_rehydrate', job);
    await memory.store('user', 'a', stance('third'), T(3));
    const fields = ['updated_at', 'continuity.stance_summary'];
    const newest = [
      [6, 'upsert', fields],
      [5, 'cold_rehydrate', []],
      [4, 'cold_store', []],
      [3, 'upsert', fields],
    ];
    expect((await changed()).slice(0, 4)).toEqual(newest);
    for (const limit of [1, 2, 3]) expect(await changed({ limit })).toEqual(newest.slice(0, limit));
    expect(refusal(await memory.read('user', 'a', { revision: 4 }))).toEqual([
      404,
      'Continuity revision not found',
    ]);
  });

  test('an archive has the hash of the capsule it holds', async () => {
    memory = await home.owner();
    const { body } = await memory.store('user', 'a');
    await memory.call('archive', { ...subject, reason: 'done' });
    expect((await history()).map((row) => row.capsule_sha256)).toEqual([
      body.capsule_sha256,
      body.capsule_sha256,
    ]);
  });

  test('documents that were taken over can be read as the revisions they are', async () => {
    memory = await home.owner();
    await plant('user-a.json', document('active'));
    await plant('archive/user-a-20260301T120000Z.json', archiveOf(document('archived')));
    await plant('fallback/user-a.json', snapshotOf(document('kept')));
    await plant('cold/user-a-20260302T120000Z.json.gz', 'x');
    await plant('user-a.json', document('again', 2));
    expect([await said(1), await said(2), await said(3), await said(5)]).toEqual([
      'active',
      'archived',
      'kept',
      'again',
    ]);
    expect((await memory.read('user', 'a', { revision: 4 })).status).toBe(404);
    expect((await history()).map((row) => row.capsule_sha256 !== null)).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
    expect((await changed()).slice(0, 4)).toEqual([
      [5, 'import', ['updated_at', 'continuity.stance_summary']],
      [4, 'import', []],
      [3, 'import', []],
      [2, 'import', []],
    ]);
    const { body } = await memory.call<{ changes: { path: string }[] }>('diff', {
      ...subject,
      from: 2,
      to: 3,
    });
    expect(body.changes.map(({ path }) => path)).toEqual(['continuity.stance_summary']);
  });

  test('a revision is for those who may read the path it was written to', async () => {
    memory = await home.owner();
    await plant('user-a.json', document('active'));
    await plant('archive/user-a-20260301T120000Z.json', archiveOf(document('archived')));
    await plant('fallback/user-a.json', snapshotOf(document('kept')));
    const narrow = await home.people.call<{ api_key: string }>('POST', '/v1/keys', {
      key: memory.key,
      body: {
        scopes: ['read:files', 'write:projects'],
        read_namespaces: ['memory/continuity/user-a.json'],
      },
    });
    const reader = new Memory(home.people, { id: memory.ownerId, key: narrow.body.api_key });
    expect((await reader.read('user', 'a', { revision: 1 })).status).toBe(200);
    for (const [revision, name] of [
      [2, 'archive/user-a-20260301T120000Z.json'],
      [3, 'fallback/user-a.json'],
    ] as const) {
      const refused = [403, `Read path namespace not allowed: memory/continuity/${name}`];
      expect(refusal(await reader.read('user', 'a', { revision }))).toEqual(refused);
      expect(refusal(await reader.call('diff', { ...subject, from: 1, to: revision }))).toEqual(refused);
      const restore = { ...subject, from: revision, updated_at: T(2), reason: 'why' };
      expect(refusal(await reader.call('restore', restore))).toEqual(refused);
    }
  });

  test('what was no capsule has no hash, and one of another subject is not handed out', async () => {
    memory = await home.owner();
    await plant('user-a.json', '{nope');
    await plant('user-a.json', JSON.stringify(baseCapsule('user', 'other')));
    expect((await history()).map((row) => row.capsule_sha256)).toEqual([null, null]);
    for (const revision of [1, 2]) {
      expect((await memory.read('user', 'a', { revision })).status).toBe(404);
    }
  });

  test('an older state warns of what was left out of it', async () => {
    memory = await home.owner();
    const base = baseCapsule('user', 'a');
    await plant(
      'user-a.json',
      JSON.stringify({ ...base, continuity: { ...base.continuity, related_documents: 'x' } }),
    );
    await memory.store('user', 'a', {}, T(2));
    const old = await memory.read('user', 'a', { revision: 1 });
    expect(old.body.recovery_warnings).toEqual(['related_documents_omitted_invalid']);
    expect((await memory.read('user', 'a')).body.recovery_warnings).toEqual([]);
  });
});
