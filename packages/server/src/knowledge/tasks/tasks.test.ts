import type { Task } from '@parley/protocol/knowledge/answers';
import { beforeAll, expect, test } from 'vitest';
import { NOW, refusal } from '../../continuity/testing/memory.ts';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { statementsOf } from '../../testing/statements.ts';
import { bundleOf } from '../testing/bundle.ts';
import { type Library, type LibraryServer, startLibrary } from '../testing/library.ts';
import { putTask } from './task-store.ts';

interface TaskAnswer {
  ok: true;
  task: Record<string, unknown>;
  path: string;
  committed_files: string[];
  latest_commit: string;
}

describeEachServer('tasks', (start) => {
  let home: LibraryServer;
  let library: Library;
  beforeAll(async () => {
    home = await startLibrary(start);
  });
  const fresh = async (): Promise<void> => {
    home.clock.setBack(home.clock.now() - NOW);
    library = await home.library();
  };
  const patch = (id: string, body: object) =>
    library.call<TaskAnswer>('PATCH', `/v1/tasks/${encodeURIComponent(id)}`, { body });
  const query = async (filters: Record<string, string | number> = {}) => {
    const { body } = await library.call<{ count: number; tasks: { task_id: string }[] }>(
      'GET',
      '/v1/tasks/query',
      { query: filters },
    );
    expect(body.count).toBe(body.tasks.length);
    return body.tasks.map(({ task_id }) => task_id);
  };

  test('is created with defaults and told with its path', async () => {
    await fresh();
    const body = { task_id: 't1', title: 'Ship', owner_peer: 'peer-a', unknown: 1 };
    const created = await library.post<TaskAnswer>('/v1/tasks', body);
    expect([created.status, created.body]).toEqual([
      200,
      {
        ok: true,
        task: {
          task_id: 't1',
          title: 'Ship',
          description: '',
          status: 'open',
          owner_peer: 'peer-a',
          collaborators: [],
          thread_id: null,
          blocked_by: [],
          due_at: null,
          metadata: {},
          created_at: '2026-04-01T12:00:00Z',
          updated_at: '2026-04-01T12:00:00Z',
        },
        path: 'tasks/open/t1.json',
        committed: true,
        latest_commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      },
    ]);
    const { body: file } = await library.read('tasks/open/t1.json');
    expect(JSON.parse(file.content)).toEqual(created.body.task);
    expect(refusal(await library.post('/v1/tasks', body))).toEqual([409, 'Task already exists: t1']);
  });

  test('ids that are no part of a path are refused', async () => {
    await fresh();
    for (const id of ['../x', 'a/b', '', '.', '..', 'a\nb', 'a\0b', 'x'.repeat(201)]) {
      const { status } = await library.post('/v1/tasks', { task_id: id, title: 't', owner_peer: 'p' });
      expect([id, status]).toEqual([id, 422]);
    }
    for (const body of [
      { title: 't', owner_peer: 'p' },
      { task_id: 'a', owner_peer: 'p' },
      { task_id: 'a', title: 't' },
    ]) {
      expect((await library.post('/v1/tasks', body)).status).toBe(422);
    }
    await library.task('query');
    expect((await patch('query', { title: 'still a task' })).status).toBe(200);
    await library.task('ünï çode 100%');
    expect((await patch('ünï çode 100%', { title: 'x' })).body.task.task_id).toBe('ünï çode 100%');
  });

  test('a change leaves what is null or not named, and a task that is done moves and stays done', async () => {
    await fresh();
    await library.task('t1', { blocked_by: ['t2'], thread_id: 'th1' });
    await home.clock.leap(60_000);
    const started = await patch('t1', { status: 'in_progress', title: null, metadata: { a: 1 } });
    expect(started.body).toMatchObject({
      ok: true,
      path: 'tasks/open/t1.json',
      committed_files: ['tasks/open/t1.json'],
      task: {
        title: 't1',
        status: 'in_progress',
        blocked_by: ['t2'],
        thread_id: 'th1',
        metadata: { a: 1 },
        created_at: '2026-04-01T12:00:00Z',
        updated_at: '2026-04-01T12:01:00Z',
      },
    });
    const done = await patch('t1', { status: 'done' });
    expect(done.body.path).toBe('tasks/done/t1.json');
    expect((await library.read('tasks/open/t1.json')).status).toBe(404);
    expect((await library.read('tasks/done/t1.json')).status).toBe(200);
    expect(refusal(await patch('t1', { status: 'open' }))).toEqual([
      409,
      'Invalid task status transition: done -> open',
    ]);
    expect((await patch('t1', { status: 'done', title: 'still' })).body.task.title).toBe('still');
    expect(refusal(await patch('none', { title: 'x' }))).toEqual([404, 'Task not found: none']);
  });

  test('every status but done may become any other', async () => {
    await fresh();
    const all = ['open', 'in_progress', 'blocked', 'done'];
    for (const from of all) {
      for (const to of all) {
        await library.task(`${from}-${to}`, { status: from });
        const { status } = await patch(`${from}-${to}`, { status: to });
        expect([from, to, status]).toEqual([from, to, from === 'done' && to !== 'done' ? 409 : 200]);
      }
    }
  });

  test('are listed by what they say, the last changed first', async () => {
    await fresh();
    await library.task('a', { owner_peer: 'p1', collaborators: ['p2'], thread_id: 'th1' });
    await library.task('b', { owner_peer: 'p2', status: 'blocked' });
    await home.clock.leap(5_000);
    await library.task('c', { owner_peer: 'p1', status: 'done' });
    await patch('a', { description: 'newer' });
    expect(await query()).toEqual(['c', 'a', 'b']);
    expect(await query({ owner_peer: 'p1' })).toEqual(['c', 'a']);
    expect(await query({ collaborator: 'p2' })).toEqual(['a']);
    expect(await query({ thread_id: 'th1' })).toEqual(['a']);
    expect(await query({ status: 'blocked' })).toEqual(['b']);
    expect(await query({ status: 'nonsense' })).toEqual([]);
    expect(await query({ limit: 2 })).toEqual(['c', 'a']);
    // Of one moment in the order of characters, the last of them first.
    for (const id of ['\ufffe', '\u{10ffff}', 'z', 'Z']) await library.task(id, { thread_id: 'th2' });
    expect(await query({ thread_id: 'th2' })).toEqual(['\u{10ffff}', '\ufffe', 'z', 'Z']);
    const { status } = await library.call('GET', '/v1/tasks/query', { query: { limit: 501 } });
    expect(status).toBe(422);
  });

  test('are asked for in the store: many others are not gone through', async () => {
    await fresh();
    await library.task('wanted', { status: 'blocked', owner_peer: 'p1', thread_id: 'th1' });
    await home.clock.leap(5_000);
    const { body } = await library.post<TaskAnswer>('/v1/tasks', {
      task_id: 'x',
      title: 'x',
      owner_peer: 'p2',
    });
    const other = body.task as unknown as Task;
    await home.server.context.database.write(async (tx) => {
      for (let at = 0; at < 1_100; at += 1) {
        await putTask(tx, library.memory.ownerId, { ...other, task_id: `other${at}` });
      }
    });
    expect(await query({ limit: 500, owner_peer: 'p2' })).toHaveLength(500);
    const filters = { status: 'blocked', owner_peer: 'p1', thread_id: 'th1' };
    for (const [name, value] of Object.entries(filters)) {
      const asked = await statementsOf(async () =>
        expect(await query({ [name]: value })).toEqual(['wanted']),
      );
      const pages = asked.filter((text) => text.includes('knowledge_tasks'));
      expect(pages.length).toBeLessThanOrEqual(1);
    }
  });

  test('are read as far as they are asked for: one that somebody damaged is in the way of none before it', async () => {
    await fresh();
    await library.task('damaged');
    await home.clock.leap(5_000);
    await library.task('newer');
    await home.server.context.database.write((tx) =>
      tx.run(sql`
        UPDATE knowledge_tasks SET task = '{' WHERE owner_id = ${library.memory.ownerId} AND task_id = 'damaged'`),
    );
    expect(await query({ limit: 1 })).toEqual(['newer']);
  });

  test('need their scopes and namespaces', async () => {
    await fresh();
    await library.task('t1');
    const body = { task_id: 't2', title: 't', owner_peer: 'p' };
    const reader = await library.lesser({ scopes: ['read:files'] });
    expect(refusal(await reader.post('/v1/tasks', body))).toEqual([403, 'Missing scope: write:projects']);
    const away = await library.lesser({ write_namespaces: ['tasks/open'], read_namespaces: ['tasks/open'] });
    expect((await away.post('/v1/tasks', body)).status).toBe(200);
    expect(refusal(await away.call('PATCH', '/v1/tasks/t2', { body: { status: 'done' } }))).toEqual([
      403,
      'Write path namespace not allowed: tasks/done/t2.json',
    ]);
    expect(refusal(await away.call('GET', '/v1/tasks/query'))).toEqual([
      403,
      'Read path namespace not allowed: tasks/done/x.json',
    ]);
    const other = await home.library();
    expect((await other.call('PATCH', '/v1/tasks/t1', { body: { title: 'x' } })).status).toBe(404);
  });

  test('an id with a NUL is not that of the task whose id it begins with', async () => {
    await fresh();
    for (const id of ['t1', 't1\ufffdx']) await library.task(id, { blocked_by: ['t2'] });
    expect(refusal(await patch('t1\0x', { title: 'changed' }))).toEqual([404, 'Task not found: t1\0x']);
    const { graph_context: graph } = await bundleOf(library, {
      subject_kind: 'task',
      subject_id: 't1\0x',
    });
    expect([graph.anchor, graph.warnings.map(({ code }) => code)]).toEqual([
      null,
      ['graph_anchor_not_found'],
    ]);
  });

  test.each(['back\\slash', 'a%2fb', '%2e%2e', '.git', 'line\u2028break', ' ', '\u200b'])(
    'of the id %j is read under its path like any other',
    async (id) => {
      await fresh();
      const created = await library.post<TaskAnswer>('/v1/tasks', {
        task_id: id,
        title: 'odd',
        owner_peer: 'self',
      });
      expect([created.status, created.body.path]).toEqual([200, `tasks/open/${id}.json`]);
      const read = await library.read(created.body.path);
      expect([read.status, read.body.content.includes('"title": "odd"')]).toEqual([200, true]);
      expect((await library.write(created.body.path, 'mine')).status).toBe(403);
      expect((await library.read(`tasks/open/../open/${id}.json`)).status).toBe(403);
    },
  );
});
