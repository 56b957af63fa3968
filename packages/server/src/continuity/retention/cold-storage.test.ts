import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';
import { plantDocument } from '../testing/plant-document.ts';

const NAME = 'user-a-20260401T120000Z';
const ARCHIVE = `memory/continuity/archive/${NAME}.json`;
const PAYLOAD = `memory/continuity/cold/${NAME}.json.gz`;
const STUB = `memory/continuity/cold/index/${NAME}.md`;

describeEachServer('continuity › cold storage', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const plant = (path: string, content: string | Uint8Array) =>
    plantDocument(home.server.context.continuity.service, memory.ownerId, path, Buffer.from(content));
  const store = (path = ARCHIVE) => memory.ops('continuity_cold_store', { source_archive_path: path });
  const rehydrate = (args: object = { source_archive_path: ARCHIVE }) =>
    memory.ops('continuity_cold_rehydrate', args);
  const artifact = async (state: number) =>
    await home.server.context.database.read.get<{
      document: string | null;
      raw: Uint8Array | null;
      stub: string | null;
    }>(sql`
      SELECT document, raw, stub FROM continuity_artifacts
      WHERE owner_id = ${memory.ownerId} AND state = ${state} AND slug = 'a'`);
  const archiveText = async (): Promise<string> => (await artifact(2))?.document ?? '';
  const states = async () =>
    (await memory.list({ include_archived: true, include_cold: true })).body.capsules.map(
      (row) => row.artifact_state,
    );

  /** An owner with one archive, `ARCHIVE`. */
  const archived = async (): Promise<string> => {
    memory = await home.owner();
    await memory.store('user', 'a');
    const request = { subject_kind: 'user', subject_id: 'a', reason: 'done' };
    expect((await memory.call('archive', request)).body.archived_path).toBe(ARCHIVE);
    return await archiveText();
  };

  test('exactly the bytes of the archive go in and come out, and the same bytes pack alike', async () => {
    const before = await archived();
    expect((await store()).body.job_result).toEqual({
      ok: true,
      artifact_state: 'cold',
      source_archive_path: ARCHIVE,
      cold_storage_path: PAYLOAD,
      cold_stub_path: STUB,
      cold_stored_at: '2026-04-01T12:00:00Z',
      committed_files: [PAYLOAD, STUB, ARCHIVE],
      durable: true,
      latest_commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      warnings: [],
      recovery_warnings: [],
    });
    const payload = Buffer.from((await artifact(3))?.raw ?? '');
    expect(gunzipSync(payload).toString()).toBe(before);
    // No name, no time: the ten bytes of a bare header.
    expect([...payload.subarray(0, 8)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
    expect((await rehydrate()).body.job_result).toEqual({
      ok: true,
      artifact_state: 'archived',
      source_archive_path: ARCHIVE,
      restored_archive_path: ARCHIVE,
      cold_storage_path: PAYLOAD,
      cold_stub_path: STUB,
      rehydrated_at: '2026-04-01T12:00:00Z',
      committed_files: [ARCHIVE, PAYLOAD, STUB],
      durable: true,
      latest_commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      warnings: [],
      recovery_warnings: [],
    });
    expect(await archiveText()).toBe(before);
    expect(await states()).toEqual(['archived']);
    await store();
    expect(Buffer.from((await artifact(3))?.raw ?? '')).toEqual(payload);
  });

  test('nothing is unpacked over an archive that is there', async () => {
    const document = await archived();
    await store();
    await plant(ARCHIVE, document);
    for (const args of [{ source_archive_path: ARCHIVE }, { cold_stub_path: STUB }]) {
      expect(refusal(await rehydrate(args))).toEqual([409, 'Continuity archive envelope already exists']);
    }
    expect(await states()).toEqual(['archived', 'cold']);
  });

  test('leftovers beside the archive are thrown away and made again', async () => {
    const document = await archived();
    await plant(PAYLOAD, 'half a fi');
    await plant(STUB, '---\n');
    expect((await store()).body.job_result).toMatchObject({ ok: true, recovery_warnings: [] });
    expect(await states()).toEqual(['cold']);
    expect(gunzipSync((await artifact(3))?.raw ?? '').toString()).toBe(document);
    expect((await rehydrate()).status).toBe(200);
    await plant(STUB, '---\n');
    expect((await store()).status).toBe(200);
    expect(await states()).toEqual(['cold']);
  });

  test('half of a cold copy is none', async () => {
    await archived();
    await store();
    const { raw, stub } = (await artifact(3)) ?? {};
    memory = await home.owner();
    await plant(STUB, stub ?? '');
    expect(refusal(await rehydrate())).toEqual([404, 'Continuity cold payload not found']);
    expect(refusal(await store())).toEqual([404, 'Continuity archive envelope not found']);
    memory = await home.owner();
    await plant(PAYLOAD, raw ?? '');
    expect(refusal(await rehydrate())).toEqual([404, 'Continuity cold stub not found']);
    await plant(STUB, stub ?? '');
    expect((await rehydrate()).status).toBe(200);
  });

  test.each([
    ['no gzip', 'x', 'Invalid continuity cold payload: not a gzip file of an archive'],
    [
      'no JSON',
      gzipSync('{nope'),
      'Invalid continuity cold payload: Invalid continuity archive envelope JSON: not JSON',
    ],
    [
      'another kind of document',
      gzipSync('{}'),
      'Invalid continuity cold payload: Invalid continuity archive envelope schema_type',
    ],
    [
      'far larger than an archive',
      gzipSync(Buffer.alloc(2 * 1024 * 1024, 0x20)),
      'Invalid continuity cold payload: not a gzip file of an archive',
    ],
  ])('a payload that is %s', async (_name, bytes, text) => {
    await archived();
    await store();
    await plant(PAYLOAD, bytes);
    expect(refusal(await rehydrate())).toEqual([400, text]);
    expect(await states()).toEqual(['cold']);
  });

  test('a payload of another archive, and an archive under another name', async () => {
    const document = await archived();
    await store();
    await plant(PAYLOAD, gzipSync(document.replace('2026-04-01T12:00:00Z', T(9))));
    expect(refusal(await rehydrate())).toEqual([400, 'Continuity cold payload does not match its path']);
    const other = 'memory/continuity/archive/user-b-20260401T120000Z.json';
    await plant(other, document);
    expect(refusal(await store(other))).toEqual([400, 'Continuity archive envelope does not match its path']);
  });

  test('a stub whose front matter is not as it must be', async () => {
    await archived();
    await store();
    const stub = (await artifact(3))?.stub ?? '';
    const refused = async (from: string | RegExp, to: string) => {
      await plant(STUB, stub.replace(from, to));
      return refusal(await rehydrate())[1];
    };
    expect(await refused('---\n', '')).toBe('Invalid continuity cold stub front matter');
    expect(await refused('phase: ', 'mood: ')).toBe('Invalid continuity cold stub keys');
    expect(await refused(/type: .*\n(schema_version: .*\n)/, '$1type: continuity_cold_stub\n')).toBe(
      'Invalid continuity cold stub keys',
    );
    expect(await refused('continuity_cold_stub', 'stub')).toBe('Invalid continuity cold stub type');
    expect(await refused('"1.1"', '1.1')).toBe('Invalid continuity cold stub schema_version');
    expect(await refused('artifact_state: cold', 'artifact_state: warm')).toBe(
      'Invalid continuity cold stub artifact_state',
    );
    expect(await refused('archive/user-a-', 'archive/user-b-')).toBe(
      'Continuity cold stub source_archive_path does not match its name',
    );
    expect(await refused('cold/user-a-', 'cold/user-b-')).toBe(
      'Continuity cold stub cold_storage_path does not match its name',
    );
  });

  test('an archive of an older make is brought up to date on its way back', async () => {
    await archived();
    const document = {
      schema_type: 'continuity_archive_envelope',
      schema_version: '1.0',
      archived_at: '2026-04-01T12:00:00Z',
      archived_by: 'ada',
      reason: 'long ago',
      active_path: 'memory/continuity/user-a.json',
      capsule: { ...baseCapsule('user', 'a'), schema_version: '1.0' },
    };
    await plant(ARCHIVE, JSON.stringify(document));
    expect((await store()).status).toBe(200);
    expect((await rehydrate()).status).toBe(200);
    expect(JSON.parse(await archiveText())).toMatchObject({
      ...document,
      schema_version: '1.1',
      capsule: { ...document.capsule, schema_version: '1.1' },
    });
  });

  test('an archive that is only written another way comes back byte for byte', async () => {
    await archived();
    const { stable_preferences: _default, ...capsule } = JSON.parse(await archiveText()).capsule;
    const document = {
      schema_type: 'continuity_archive_envelope',
      schema_version: '1.1',
      archived_at: '2026-04-01T12:00:00Z',
      capsule: { ...capsule, weather: 'fair' },
    };
    const text = JSON.stringify(document, null, 2);
    await plant(ARCHIVE, text);
    expect((await store()).status).toBe(200);
    expect((await rehydrate()).status).toBe(200);
    expect(await archiveText()).toBe(text);
  });

  test('exactly one name is given', async () => {
    memory = await home.owner();
    const both = { source_archive_path: ARCHIVE, cold_stub_path: STUB };
    expect((await rehydrate(both)).status).toBe(422);
    expect((await rehydrate({ ...both, force: true })).status).toBe(422);
  });
});
