import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { SseReader } from '../testing/sse-reader.ts';
import { sha256 } from './capsule/canonical.ts';
import { baseCapsule, T } from './testing/base-capsule.ts';
import { type MemoryServer, startMemory } from './testing/memory.ts';
import { plantDocument } from './testing/plant-document.ts';

const told = (kind: string, id: string, name: string, revision: number, hash: unknown) => ({
  subject_kind: kind,
  subject_id: id,
  operation: 'import',
  path: `memory/continuity/${name}`,
  revision,
  capsule_sha256: hash,
  peer_id: 'importer',
});

describeEachServer('continuity › events', (start) => {
  let home: MemoryServer;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  const open = (key: string, headers: Record<string, string> = {}): Promise<SseReader> =>
    SseReader.open(home.server, '/v1/continuity/events', { key, headers });

  test('what happened before, and what happens now; never what it says', async () => {
    const memory = await home.owner();
    await memory.store('user', 'a', { continuity: { open_loops: ['very private'] } });
    const stream = await open(memory.key);
    await stream.event('capsule', 1);
    await memory.store('user', 'a', {}, T(2));
    await memory.call('archive', { subject_kind: 'user', subject_id: 'a', reason: 'done' });
    await stream.event('capsule', 3);
    expect(
      stream.frames.map(({ data }) => [data.operation, data.subject_kind, data.subject_id, data.revision]),
    ).toEqual([
      ['upsert', 'user', 'a', 1],
      ['upsert', 'user', 'a', 2],
      ['archive', 'user', 'a', 3],
    ]);
    expect(Object.keys(stream.frames[0]?.data ?? {})).toEqual([
      'subject_kind',
      'subject_id',
      'operation',
      'path',
      'revision',
      'capsule_sha256',
      'peer_id',
    ]);
    stream.close();
    const resumed = await open(memory.key, { 'last-event-id': String(stream.frames[1]?.id) });
    await resumed.event('capsule', 1);
    expect(resumed.frames.map(({ data }) => data.operation)).toEqual(['archive']);
    resumed.close();
  });

  test('archives that move are told, plans and what changed nothing are not', async () => {
    const memory = await home.owner();
    await memory.store('user', 'A b');
    const { archived_path: path } = (
      await memory.call<{ archived_path: string }>('archive', {
        subject_kind: 'user',
        subject_id: 'A b',
        reason: 'done',
      })
    ).body;
    const job = { source_archive_path: path };
    await memory.ops('continuity_cold_store', job);
    // It is cold already: an earlier run did it.
    await memory.ops('continuity_cold_store', job);
    await memory.call('refresh/plan', {});
    await memory.call('retention/plan', {});
    await memory.ops('continuity_cold_rehydrate', job);
    await memory.ops('continuity_cold_rehydrate', job);
    await home.clock.leap(91 * 86_400_000);
    await memory.ops('continuity_retention_apply', { source_archive_paths: [path] });
    await memory.store('user', 'end');
    const payload = 'memory/continuity/cold/user-a-b-20260401T120000Z.json.gz';
    const stream = await open(memory.key);
    await stream.event('capsule', 6);
    expect(
      stream.frames.map(({ data }) => [data.operation, data.path, data.subject_id, data.revision]),
    ).toEqual([
      ['upsert', 'memory/continuity/user-a-b.json', 'A b', 1],
      ['archive', path, 'A b', 2],
      ['cold_store', payload, 'A b', 3],
      ['cold_rehydrate', path, 'A b', 4],
      ['cold_store', payload, 'A b', 5],
      ['upsert', 'memory/continuity/user-end.json', 'end', 1],
    ]);
    expect(stream.frames[2]?.data).toEqual({
      subject_kind: 'user',
      subject_id: 'A b',
      operation: 'cold_store',
      path: payload,
      revision: 3,
      capsule_sha256: null,
      peer_id: 'self',
    });
    // What was archived is the capsule that was written.
    expect(stream.frames[1]?.data.capsule_sha256).toBe(stream.frames[0]?.data.capsule_sha256);
    stream.close();
  });

  test('documents that are taken over are told, whatever they are', async () => {
    const memory = await home.owner();
    const { continuity } = home.server.context;
    const plant = (name: string, text: string) =>
      plantDocument(
        continuity.service,
        memory.ownerId,
        `memory/continuity/${name}`,
        Buffer.from(text),
        'importer',
      );
    const capsule = JSON.stringify(baseCapsule('user', 'A b'));
    const archive = `{"schema_type":"continuity_archive_envelope","schema_version":"1.1","archived_at":"${T(2)}","capsule":${capsule}}`;
    await plant('user-a-b.json', capsule);
    await plant('user-a-b.json', capsule);
    await plant('refresh_state.json', '{}');
    await plant('thread-odd.json', '{nope');
    await plant('archive/user-a-b-20260302T120000Z.json', archive);
    await plant('cold/user-a-b-20260303T120000Z.json.gz', 'no gzip');
    await plant('notes.txt', 'no document');
    const stream = await open(memory.key);
    await stream.event('capsule', 4);
    await memory.store('user', 'end');
    await stream.event('capsule', 5);
    const hash = (
      await memory.call<{ revisions: { capsule_sha256: string }[] }>('history', {
        subject_kind: 'user',
        subject_id: 'A b',
      })
    ).body.revisions.map((row) => row.capsule_sha256);
    expect(hash).toEqual([null, expect.stringMatching(/^[0-9a-f]{64}$/), sha256(capsule)]);
    expect(stream.frames.slice(0, 4).map(({ data }) => data)).toEqual([
      told('user', 'A b', 'user-a-b.json', 1, sha256(capsule)),
      told('thread', 'odd', 'thread-odd.json', 1, null),
      told('user', 'A b', 'archive/user-a-b-20260302T120000Z.json', 2, hash[1]),
      told('user', 'a-b', 'cold/user-a-b-20260303T120000Z.json.gz', 3, null),
    ]);
    stream.close();
  });

  test('of one owner only, and of what may be read only', async () => {
    const memory = await home.owner();
    const stranger = await home.owner();
    const { body } = await home.people.call<{ id: string; api_key: string }>('POST', '/v1/keys', {
      key: memory.key,
      body: { scopes: ['read:files'], read_namespaces: ['memory/continuity/user-b.json'] },
    });
    const theirs = await open(stranger.key);
    const narrow = await open(body.api_key);
    await memory.store('user', 'a');
    await memory.store('user', 'b');
    await narrow.event('capsule', 1);
    await stranger.store('user', 'z');
    await theirs.event('capsule', 1);
    expect(narrow.frames.map(({ data }) => data.subject_id)).toEqual(['b']);
    expect(theirs.frames.map(({ data }) => data.subject_id)).toEqual(['z']);
    theirs.close();
    await home.people.call('DELETE', `/v1/keys/${body.id}`, { key: memory.key });
    await narrow.ended();
  });

  test('ends with its credential, also where that runs out or nobody is told of its end', async () => {
    const own = await startMemory(start);
    const memory = await own.owner();
    const expiresAt = own.clock.now() + 60_000;
    const { body } = await own.people.call<{ api_key: string }>('POST', '/v1/keys', {
      key: memory.key,
      body: { expires_at: new Date(expiresAt).toISOString() },
    });
    const stream = await SseReader.open(own.server, '/v1/continuity/events', { key: body.api_key });
    await stream.until(({ text }) => text.includes('retry'));
    const later = async (): Promise<boolean> => {
      await own.clock.advance(5_000);
      return stream.over;
    };
    await expect.poll(later).toBe(true);
    expect(own.clock.now()).toBeGreaterThanOrEqual(expiresAt);
  });

  test('needs the scope to read', async () => {
    const memory = await home.owner();
    const { body } = await home.people.call<{ api_key: string }>('POST', '/v1/keys', {
      key: memory.key,
      body: { scopes: ['write:projects'] },
    });
    expect((await open(body.api_key)).status).toBe(403);
    const asked = await home.people.call('HEAD', '/v1/continuity/events', { key: memory.key });
    expect(asked.status).toBe(200);
  });
});
