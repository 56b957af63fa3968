import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { baseCapsule, T } from './testing/base-capsule.ts';
import { Memory, type MemoryServer, refusal, startMemory } from './testing/memory.ts';

describeEachServer('continuity › access', (start) => {
  let home: MemoryServer;
  let owner: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    owner = await home.owner();
    await owner.store('user', 'a');
    await owner.store('user', 'b');
    await owner.store('user', 'guarded');
    await owner.store('thread', 'c', { thread_descriptor: { label: 'L' } });
  });

  /** A key of the same owner that may do less. */
  const lesser = async (limits: object): Promise<Memory> => {
    const { status, text, body } = await home.people.call<{ api_key: string }>('POST', '/v1/keys', {
      key: owner.key,
      body: limits,
    });
    if (status !== 201) throw new Error(text);
    return new Memory(home.people, { id: owner.ownerId, key: body.api_key });
  };
  const subject = { subject_kind: 'user', subject_id: 'a' };
  const signals = [{ kind: 'self_review', source_ref: 'r', observed_at: T(1), summary: 's' }];
  const operations = [{ target: 'continuity.open_loops', action: 'append', value: 'x' }];
  const WRITES: readonly (readonly [string, object])[] = [
    ['upsert', { ...subject, capsule: baseCapsule('user', 'a', T(2)) }],
    ['patch', { ...subject, updated_at: T(2), operations }],
    ['lifecycle', { subject_kind: 'thread', subject_id: 'c', transition: 'suspend', updated_at: T(2) }],
    ['revalidate', { ...subject, outcome: 'confirm', signals }],
    ['archive', { ...subject, reason: 'why' }],
    ['delete', { ...subject, reason: 'why', delete_active: true, delete_fallback: true }],
    ['restore', { ...subject, from: 1, updated_at: T(2), reason: 'why' }],
  ];
  const READS: readonly (readonly [string, object])[] = [
    ['read', subject],
    ['compare', { ...subject, candidate_capsule: baseCapsule('user', 'a'), signals }],
    ['list', {}],
    ['history', subject],
    ['diff', { ...subject, from: 1, to: 1 }],
    ['search', { query: 'parser' }],
  ];

  test('writing needs its scope, reading needs its own, plans need both', async () => {
    const reader = await lesser({ scopes: ['read:files'] });
    const writer = await lesser({ scopes: ['write:projects'] });
    for (const [name, body] of WRITES) {
      expect([name, ...refusal(await reader.call(name, body))]).toEqual([
        name,
        403,
        'Missing scope: write:projects',
      ]);
    }
    for (const [name, body] of READS) {
      expect([name, ...refusal(await writer.call(name, body))]).toEqual([
        name,
        403,
        'Missing scope: read:files',
      ]);
      expect([name, (await reader.call(name, body)).status]).toEqual([name, 200]);
    }
    for (const name of ['refresh/plan', 'retention/plan']) {
      expect((await reader.call(name, {})).status).toBe(403);
      expect((await writer.call(name, {})).status).toBe(403);
    }
  });

  test('a bad body is told before a missing scope', async () => {
    const reader = await lesser({ scopes: ['read:files'] });
    expect((await reader.call('upsert', {})).status).toBe(422);
  });

  test('a path outside the namespaces is refused, whatever is there', async () => {
    const scopes = ['read:files', 'write:projects'];
    const away = await lesser({ scopes, read_namespaces: ['docs'], write_namespaces: ['docs'] });
    const path = 'memory/continuity/user-a.json';
    for (const [name, body] of WRITES) {
      const [status, text] = refusal(await away.call(name, body));
      expect([name, status]).toEqual([name, 403]);
      expect(text).toMatch(/^(Read|Write) path namespace not allowed: memory\/continuity\//);
    }
    expect(refusal(await away.read('user', 'a'))).toEqual([403, `Read path namespace not allowed: ${path}`]);
    expect((await away.list({ include_fallback: true })).body.count).toBe(0);
    expect((await away.call('search', { query: 'parser' })).body.count).toBe(0);
    expect((await away.call('refresh/plan', {})).status).toBe(403);
    expect((await owner.capsule('user', 'a')).updated_at).toBe(T(1));
  });

  test('one document can be opened alone', async () => {
    const path = 'memory/continuity/user-a.json';
    const one = await lesser({
      scopes: ['read:files', 'write:projects'],
      read_namespaces: [path],
      write_namespaces: [path],
    });
    expect((await one.read('user', 'a')).status).toBe(200);
    expect((await one.read('user', 'b')).status).toBe(403);
    const { body } = await one.list({ include_fallback: true });
    expect(body.capsules.map((row) => [row.subject_id, row.artifact_state])).toEqual([['a', 'active']]);
    const both = { ...subject, reason: 'why', delete_active: true, delete_fallback: true };
    expect(refusal(await one.call('delete', both))).toEqual([
      403,
      'Write path namespace not allowed: memory/continuity/fallback/user-a.json',
    ]);
    expect((await one.read('user', 'a')).status).toBe(200);
  });

  const ACTIVE = 'memory/continuity/user-guarded.json';
  const ARCHIVE = 'memory/continuity/archive/user-guarded-20260401T120000Z.json';
  const guarded = { subject_kind: 'user', subject_id: 'guarded' };
  const revalidate = { ...guarded, outcome: 'confirm', signals };
  const archive = { ...guarded, reason: 'why' };
  test.each([
    [
      'revalidate',
      'to read it',
      revalidate,
      [ARCHIVE],
      [ACTIVE],
      `Read path namespace not allowed: ${ACTIVE}`,
    ],
    [
      'revalidate',
      'to write it',
      revalidate,
      [ACTIVE],
      [ARCHIVE],
      `Write path namespace not allowed: ${ACTIVE}`,
    ],
    [
      'archive',
      'to read it',
      archive,
      [ARCHIVE],
      [ACTIVE, ARCHIVE],
      `Read path namespace not allowed: ${ACTIVE}`,
    ],
    ['archive', 'to write it', archive, [ACTIVE], [ARCHIVE], `Write path namespace not allowed: ${ACTIVE}`],
    [
      'archive',
      'to write the archive',
      archive,
      [ACTIVE],
      [ACTIVE],
      `Write path namespace not allowed: ${ARCHIVE}`,
    ],
  ])('%s without the right %s changes nothing', async (name, _, body, reads, writes, text) => {
    const before = await owner.capsule('user', 'guarded');
    const scopes = ['read:files', 'write:projects'];
    const key = await lesser({ scopes, read_namespaces: reads, write_namespaces: writes });
    expect(refusal(await key.call(name, body))).toEqual([403, text]);
    expect(await owner.capsule('user', 'guarded')).toEqual(before);
  });

  test('revalidate and archive need no other right than those', async () => {
    const scopes = ['write:projects'];
    const active = await lesser({ scopes, read_namespaces: [ACTIVE], write_namespaces: [ACTIVE] });
    expect((await active.call('revalidate', revalidate)).status).toBe(200);
    const both = await lesser({ scopes, read_namespaces: [ACTIVE], write_namespaces: [ACTIVE, ARCHIVE] });
    expect((await both.call('archive', archive)).body.archived_path).toBe(ARCHIVE);
  });

  test('a snapshot outside the namespaces is refused only where it is needed', async () => {
    const paths = ['memory/continuity/user-a.json', 'memory/continuity/user-none.json'];
    const one = await lesser({ scopes: ['read:files'], read_namespaces: paths });
    expect((await one.read('user', 'a', { allow_fallback: true })).status).toBe(200);
    expect(refusal(await one.read('user', 'none', { allow_fallback: true }))).toEqual([
      403,
      'Read path namespace not allowed: memory/continuity/fallback/user-none.json',
    ]);
  });

  test('admin:peers passes every check', async () => {
    const admin = await lesser({
      scopes: ['admin:peers'],
      read_namespaces: ['docs'],
      write_namespaces: ['docs'],
    });
    expect((await admin.read('user', 'a')).status).toBe(200);
  });

  test('host jobs are for the machine itself, whoever asks', async () => {
    const near = await startMemory(start, { trustedProxies: ['127.0.0.1'] });
    const admin = await near.owner();
    const body = {
      job_id: 'continuity_retention_apply',
      arguments: { source_archive_paths: ['memory/continuity/archive/user-a-20260101T000000Z.json'] },
    };
    const far = await near.people.call('POST', '/v1/ops/run', {
      key: admin.key,
      body,
      headers: { 'x-forwarded-for': '198.51.100.7' },
    });
    expect(refusal(far)).toEqual([403, 'Host ops endpoints are local-only']);
  });
});

describeEachServer('continuity › rate limits', (start) => {
  test('count by key and by operation', async () => {
    const home = await startMemory(start, { rateLimits: true, rlMemoryPerToken: 2 });
    const memory = await home.owner();
    await memory.list();
    await memory.list();
    const refused = await memory.list();
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect((await memory.read('user', 'a')).status).toBe(404);
    expect((await (await home.owner()).list()).status).toBe(200);
  });
});
