import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { missingGit } from '../../testing/git.ts';
import { eventTopic } from '../artifacts/record-change.ts';
import { exportMemory } from '../git/export.ts';
import { GitProgram } from '../git/git-program.ts';
import { importFolder } from './import.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

const DAY_MS = 86_400_000;
const at = (name: string) => `memory/continuity/${name}`;
const text = (id: string, change: object = {}, day = 1) =>
  JSON.stringify({ ...baseCapsule('user', id, T(day)), ...change });

const tree = (directory: string) =>
  execFileSync('git', ['-C', directory, 'rev-parse', 'main^{tree}']).toString();

describeEachServer('continuity › import', (start) => {
  let home: MemoryServer;
  const root = mkdtempSync(join(tmpdir(), 'parley-import-'));
  let folders = 0;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const folder = (files: Record<string, string | Buffer>): string => {
    const directory = join(root, `folder${++folders}`);
    mkdirSync(join(directory, 'memory/continuity'), { recursive: true });
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, at(name))), { recursive: true });
      writeFileSync(join(directory, at(name)), content);
    }
    return directory;
  };
  const take = async (memory: Memory, directory: string, options: { raw?: boolean; once?: boolean } = {}) => {
    const { clock, database, events } = home.server.context;
    const report = await importFolder({
      others: [],
      database,
      events,
      clock,
      ownerId: memory.ownerId,
      directory,
      raw: false,
      once: false,
      peerId: 'self',
      ...options,
    });
    if (!report) throw new Error('no memory there');
    return report;
  };
  const revisions = async (memory: Memory) =>
    (
      await home.server.context.database.read.all<{ path: string }>(
        sql`SELECT path FROM continuity_revisions WHERE owner_id = ${memory.ownerId} ORDER BY id`,
      )
    ).map((row) => row.path);

  test('reads documents back as if they had been written, snapshot included', async () => {
    const memory = await home.owner();
    const directory = folder({ 'user-a.json': text('a'), 'user-b.json': text('b') });
    expect(await take(memory, directory)).toEqual({
      imported: [at('user-a.json'), at('user-b.json')],
      unchanged: 0,
      known: 0,
      unknown: [],
      refused: [],
    });
    expect((await memory.list()).body.count).toBe(2);
    await memory.call('delete', {
      subject_kind: 'user',
      subject_id: 'a',
      delete_active: true,
      reason: 'out',
    });
    expect((await memory.read('user', 'a', { allow_fallback: true })).body.source_state).toBe('fallback');
  });

  test('the same bytes again make no new revision', async () => {
    const memory = await home.owner();
    const stub = Buffer.from([0x2d, 0xff, 0x00]);
    const files = {
      'user-a.json': text('a'),
      'fallback/user-b.json': '{nope',
      'archive/user-c-20260101T000000Z.json': Buffer.from([0xff]),
      'cold/user-d-20260101T000000Z.json.gz': gzipSync('x'),
      'cold/index/user-d-20260101T000000Z.md': stub,
      'refresh_state.json': '{}',
    };
    const directory = folder(files);
    expect((await take(memory, directory, { raw: true })).imported).toHaveLength(6);
    const before = await revisions(memory);
    expect(await take(memory, directory, { raw: true })).toMatchObject({ imported: [], unchanged: 6 });
    expect(await revisions(memory)).toEqual(before);
  });

  test('one that is refused keeps all out, and each is told in the words of the write path', async () => {
    const memory = await home.owner();
    const capsule = baseCapsule('user', 'a');
    const long = { ...capsule, continuity: { ...capsule.continuity, open_loops: ['x'.repeat(161)] } };
    const documents = {
      ...capsule,
      subject_id: 'r',
      continuity: { ...capsule.continuity, related_documents: 'x' },
    };
    const envelope = { schema_type: 'continuity_archive_envelope', schema_version: '1.1', capsule };
    const related_documents = [{ path: 'a.md', kind: 'spec', label: 'A', body: 'text' }];
    const snapshot = {
      schema_type: 'continuity_fallback_snapshot',
      schema_version: '1.1',
      capsule: {
        ...documents,
        subject_id: 's',
        continuity: { ...capsule.continuity, related_documents },
      },
    };
    const directory = folder({
      'user-a.json': JSON.stringify(long),
      'user-good.json': text('good'),
      'user-json.json': '{nope',
      'user-bytes.json': Buffer.from([0xff, 0x00]),
      'user-other.json': text('somebody'),
      'user-r.json': JSON.stringify(documents),
      'fallback/user-f.json': '{}',
      'fallback/user-s.json': JSON.stringify(snapshot),
      'archive/user-a-20260101T000000Z.json': JSON.stringify({ ...envelope, archived_at: T(1) }),
      'cold/user-a-20260101T000000Z.json.gz': 'no gzip',
      'cold/index/user-a-20260101T000000Z.md': 'no stub',
      'retention_state.json': '[]',
    });
    const { imported, refused } = await take(memory, directory);
    expect(imported).toEqual([]);
    expect(Object.fromEntries(refused.map(({ path, error }) => [path.slice(at('').length), error]))).toEqual({
      'archive/user-a-20260101T000000Z.json': 'Continuity archive envelope does not match its path',
      'cold/index/user-a-20260101T000000Z.md': 'Invalid continuity cold stub front matter',
      'cold/user-a-20260101T000000Z.json.gz':
        'Invalid continuity cold payload: not a gzip file of an archive',
      'fallback/user-f.json': 'Invalid continuity fallback snapshot schema_type',
      'fallback/user-s.json': 'Embedded content is not allowed in continuity.related_documents[]',
      'retention_state.json': 'Invalid continuity plan JSON: not an object',
      'user-a.json': 'Value too long in open_loops',
      'user-bytes.json': 'Invalid continuity capsule JSON: not UTF-8',
      'user-json.json': 'Invalid continuity capsule JSON: not JSON',
      'user-other.json': 'Continuity capsule subject does not match requested subject',
      'user-r.json': 'Invalid value type in continuity.related_documents[]',
    });
    expect(await revisions(memory)).toEqual([]);

    expect((await take(memory, directory, { raw: true })).imported).toHaveLength(12);
    expect(refusal(await memory.read('user', 'json'))).toEqual([
      400,
      'Invalid continuity capsule JSON: not JSON',
    ]);
  });

  test('an older state does not replace a newer one, unless raw', async () => {
    const memory = await home.owner();
    await memory.store('user', 'a', {}, T(3));
    const older = folder({ 'user-a.json': text('a', {}, 2) });
    expect((await take(memory, older)).refused).toEqual([
      {
        path: at('user-a.json'),
        error: 'Incoming continuity capsule is older than the current stored capsule',
      },
    ]);
    expect((await memory.capsule('user', 'a')).updated_at).toBe(T(3));
    expect((await take(memory, older, { raw: true })).imported).toHaveLength(1);
    expect((await memory.capsule('user', 'a')).updated_at).toBe(T(2));
  });

  test('follows no link, and names what is none of its own', async () => {
    const memory = await home.owner();
    const directory = folder({ 'user-a.json': text('a'), 'notes.txt': 'x', 'deep/user-b.json': text('b') });
    const outside = join(root, `outside${folders}.json`);
    writeFileSync(outside, text('c'));
    symlinkSync(outside, join(directory, at('user-c.json')));
    symlinkSync('/etc', join(directory, at('archive')));
    const report = await take(memory, directory);
    expect(report.imported).toEqual([at('user-a.json')]);
    expect(report.unknown).toEqual([
      at('archive'),
      at('deep/user-b.json'),
      at('notes.txt'),
      at('user-c.json'),
    ]);
    const linked = join(root, `linked${folders}`);
    mkdirSync(linked);
    symlinkSync(join(directory, 'memory'), join(linked, 'memory'));
    await expect(take(memory, linked)).rejects.toThrow('no memory there');
  });

  test('what is imported is told once, and what was there already is not', async () => {
    const memory = await home.owner();
    const directory = folder({
      'user-b.json': text('b'),
      'user-a.json': text('a'),
      'refresh_state.json': '{}',
    });
    const announced = async () => {
      const { events } = home.server.context;
      const logged = await events.read(eventTopic(memory.ownerId), 0, 100);
      return logged.map(({ data }) => {
        const { operation, path } = JSON.parse(data) as { operation: string; path: string };
        return [operation, path];
      });
    };
    const once = [
      ['import', at('user-a.json')],
      ['import', at('user-b.json')],
    ];
    expect((await take(memory, directory)).imported).toHaveLength(3);
    expect(await announced()).toEqual(once);
    expect((await take(memory, directory)).unchanged).toBe(3);
    expect(await announced()).toEqual(once);
  });

  test('beside agents that write the same subjects: nobody waits for ever, and all of it is told', async () => {
    const memory = await home.owner();
    const names = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const directory = folder(Object.fromEntries(names.map((id) => [`user-${id}.json`, text(id)])));
    const statuses = new Set<number>();
    const state = { running: true };
    /** Each has subjects of its own, from the last to the first, over and over. */
    const write = async (first: number) => {
      for (let turn = 0; state.running; turn++) {
        const id = names[names.length - 1 - ((first + 4 * turn) % names.length)] ?? '';
        const time = `2026-03-02T12:00:00.${String(turn).padStart(6, '0')}Z`;
        statuses.add((await memory.upsert(baseCapsule('user', id, time))).status);
      }
    };
    const writers = [0, 1, 2, 3].map(write);
    const report = await take(memory, directory, { raw: true });
    state.running = false;
    await Promise.all(writers);
    expect([report.imported.length, statuses]).toEqual([40, new Set([200])]);
    const { database, events } = home.server.context;
    const logged = await events.read(eventTopic(memory.ownerId), 0, 100_000);
    // By their numbers: old revisions are not kept for ever.
    const written = await database.read.get<{ count: number }>(sql`
      SELECT SUM(number) AS count FROM (
        SELECT MAX(number) AS number FROM continuity_revisions WHERE owner_id = ${memory.ownerId} GROUP BY slug) AS newest`);
    expect(logged).toHaveLength(Number(written?.count));
  });

  test('more documents than one transaction takes', async () => {
    const memory = await home.owner();
    const names = Array.from({ length: 70 }, (_, index) => `n${index}`);
    const directory = folder(Object.fromEntries(names.map((id) => [`user-${id}.json`, text(id)])));
    expect((await take(memory, directory)).imported).toHaveLength(70);
    expect((await revisions(memory)).length).toBe(70);
  });

  const missing = missingGit();
  const title = missing ? `there and back (not run: ${missing})` : 'there and back';
  test.skipIf(missing)(`${title}: an export read by another owner is the same memory`, async () => {
    const [memory, other] = [await home.owner(), await home.owner()];
    await memory.store('user', 'kept');
    await memory.store('thread', 'x');
    await memory.store('user', 'lone');
    await memory.call('delete', {
      subject_kind: 'user',
      subject_id: 'lone',
      delete_active: true,
      reason: 'out',
    });
    await memory.call('archive', { subject_kind: 'thread', subject_id: 'x', reason: 'is over' });
    await home.clock.leap(400 * DAY_MS);
    const plan = await memory.call<{ candidates: { source_archive_path: string }[] }>('retention/plan', {});
    const archive = plan.body.candidates[0]?.source_archive_path ?? '';
    await memory.ops('continuity_cold_store', { source_archive_path: archive });
    await memory.store('thread', 'y');
    await memory.call('archive', { subject_kind: 'thread', subject_id: 'y', reason: 'is over' });

    const git = new GitProgram({ program: 'git', clock: systemClock });
    const { database } = home.server.context;
    const [first, second] = [join(root, 'first'), join(root, 'second')];
    await exportMemory({ database, git, owner: { id: memory.ownerId, slug: 'a' }, directory: first });
    expect((await take(other, first)).refused).toEqual([]);
    await exportMemory({ database, git, owner: { id: other.ownerId, slug: 'b' }, directory: second });
    expect(tree(second)).toBe(tree(first));
    const all = { include_fallback: true, include_archived: true, include_cold: true };
    expect((await other.list(all)).body.capsules).toEqual((await memory.list(all)).body.capsules);
  });
});
