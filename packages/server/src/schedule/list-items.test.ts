import { expect, test } from 'vitest';
import { sql } from '../platform/database/sql.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { inSeconds, refused, scheduleScene } from './testing/schedule-scene.ts';

const titles = ({ body }: { body: { items: { title: string }[] } }): string[] =>
  body.items.map(({ title }) => title);

describeEachServer('schedule › list', (start) => {
  const scene = async () => {
    const { tenant, clock, server } = await scheduleScene(start);
    const { peer, owner } = await tenant();
    const a = await peer('peer-a');
    return { clock, server, owner, peer, tenant, a };
  };

  test('is in the order of time and id, without what was put away', async () => {
    const { a, peer } = await scene();
    expect((await a.list()).body).toEqual({
      ok: true,
      count: 0,
      total: 0,
      limit: 50,
      offset: 0,
      items: [],
      warnings: ['schedule_db_missing'],
    });
    await a.made({ title: 'later', due_at: inSeconds(20), schedule_id: 'sched_a' });
    await a.made({ title: 'second', due_at: inSeconds(10), schedule_id: 'sched_c' });
    await a.made({ title: 'first', due_at: inSeconds(10), schedule_id: 'sched_b' });
    const gone = await a.made({ title: 'gone', due_at: inSeconds(5) });
    await a.retire(gone.schedule_id, { expected_version: 1 });
    const seen = await a.made({ title: 'seen', due_at: inSeconds(30) });
    await a.acknowledge(seen.schedule_id, { expected_version: 1 });
    const reader = await peer('reader', { scopes: ['read:files'] });
    const all = await reader.list();
    expect(titles(all)).toEqual(['first', 'second', 'later', 'seen']);
    expect([all.body.total, all.body.warnings]).toEqual([4, []]);
    expect(titles(await a.list('?status=retired'))).toEqual(['gone']);
    expect(titles(await a.list('?include_retired=YES'))).toEqual([
      'gone',
      'first',
      'second',
      'later',
      'seen',
    ]);
    expect(titles(await a.list('?status=pending&unknown=1'))).toEqual(['first', 'second', 'later']);
    const page = await a.list('?limit=2&offset=1');
    expect([titles(page), page.body.count, page.body.total]).toEqual([['second', 'later'], 2, 4]);
  });

  test('tells what is due from what will be', async () => {
    const { a, clock } = await scene();
    await a.made({ title: 'now', due_at: inSeconds(10) });
    await a.made({ title: 'later', due_at: inSeconds(11) });
    const ended = await a.made({ title: 'ended', due_at: inSeconds(9) });
    await a.acknowledge(ended.schedule_id, { expected_version: 1 });
    await clock.advance(10_000);
    expect(titles(await a.list('?due=true'))).toEqual(['now']);
    expect(titles(await a.list('?due=0'))).toEqual(['later']);
    expect(titles(await a.list('?due=on&status=acknowledged'))).toEqual([]);
  });

  test('filters by one column each', async () => {
    const { a } = await scene();
    await a.made({ title: 'thread', thread_id: 'sx' });
    await a.made({ title: 'task', task_id: 't' });
    await a.made({ title: 'subject', subject_kind: 'thread', subject_id: 'sx' });
    await a.made({ title: 'SX', thread_id: 'SX' });
    expect(titles(await a.list('?thread_id=sx'))).toEqual(['thread']);
    expect(titles(await a.list('?task_id=t'))).toEqual(['task']);
    expect(titles(await a.list('?subject_kind=thread&subject_id=sx'))).toEqual(['subject']);
    expect(titles(await a.list('?subject_kind=task&subject_id=sx'))).toEqual([]);
  });

  test.each([
    ['due=maybe', 'invalid_schedule_query', 'query.due'],
    ['limit=0', 'invalid_schedule_query', 'query.limit'],
    ['limit=201', 'invalid_schedule_query', 'query.limit'],
    ['limit=1.5', 'invalid_schedule_query', 'query.limit'],
    ['limit=', 'invalid_schedule_query', 'query.limit'],
    ['offset=10001', 'invalid_schedule_query', 'query.offset'],
    ['offset=-1', 'invalid_schedule_query', 'query.offset'],
    ['thread_id=', 'invalid_schedule_query', 'query.thread_id'],
    ['task_id=a&task_id=b', 'invalid_schedule_query', 'query.task_id'],
    ['include_retired=', 'invalid_schedule_query', 'query.include_retired'],
    ['status=open', 'invalid_schedule_status', 'query.status'],
    ['subject_kind=user', 'invalid_schedule_query', 'query.subject_id'],
    ['subject_id=x', 'invalid_schedule_query', 'query.subject_kind'],
    ['subject_kind=room&subject_id=x', 'invalid_schedule_query', 'query.subject_kind'],
  ])('refuses %s', async (query, code, field) => {
    const { a } = await shared();
    expect(refused(await a.list(`?${query}`))).toEqual([422, code, field]);
  });

  test('is the owner’s own: of others nothing is seen, named or changed', async () => {
    const { a, tenant } = await scene();
    const { schedule_id: id } = await a.made({ schedule_id: 'sched_mine', idempotency_key: 'k' });
    const eve = await (await tenant()).peer('peer-a');
    expect((await eve.list()).body.total).toBe(0);
    const before = (await a.get(id)).body;
    const missing = await eve.get('sched_none');
    for (const answer of [
      await eve.get(id),
      await eve.patch(id, { expected_version: 1, title: 'x' }),
      await eve.acknowledge(id, { expected_version: 1 }),
      await eve.retire(id, { expected_version: 1 }),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.text.replaceAll(id, 'sched_none')).toBe(missing.text);
    }
    // Neither id nor key is taken for anybody else.
    expect((await eve.made({ schedule_id: id, idempotency_key: 'k' })).schedule_id).toBe(id);
    expect((await a.get(id)).body).toEqual(before);
  });

  test('leaves out a row that somebody damaged, and says so', async () => {
    const { a, server } = await scene();
    const { schedule_id: id } = await a.made({ title: 'broken' });
    await a.made({ title: 'whole' });
    const { database } = server.context;
    await database.write((tx) =>
      tx.run(sql`UPDATE schedule_items SET metadata = '[' WHERE schedule_id = ${id}`),
    );
    const list = await a.list();
    expect(titles(list)).toEqual(['whole']);
    expect(list.body.warnings).toEqual([`schedule_row_invalid:${id}`, 'schedule_rows_skipped']);
    expect((await a.get(id)).body).toEqual({
      ok: false,
      item: null,
      warnings: [`schedule_row_invalid:${id}`],
    });
  });

  test('a store that is out of order fails writes and degrades reads', async () => {
    const { a, server } = await scene();
    const { schedule_id: id } = await a.made();
    const { database } = server.context;
    await database.write((tx) => tx.run(sql`ALTER TABLE schedule_items RENAME TO schedule_items_away`));
    const word = 'schedule_db_unavailable';
    const write = await a.create({ kind: 'reminder', title: 'x', due_at: inSeconds(9) });
    expect([write.status, write.body]).toEqual([503, { detail: { code: word, warnings: [word] } }]);
    expect((await a.acknowledge(id, { expected_version: 1 })).status).toBe(503);
    expect((await a.get(id)).body).toEqual({ ok: false, item: null, warnings: [word] });
    expect((await a.list('?limit=7')).body).toEqual({
      ok: false,
      count: 0,
      total: 0,
      limit: 7,
      offset: 0,
      items: [],
      warnings: [word],
    });
    expect(server.logs.filter(({ msg, event }) => (event ?? msg) === 'schedule_failed')).toHaveLength(4);
    await database.write((tx) => tx.run(sql`ALTER TABLE schedule_items_away RENAME TO schedule_items`));
    expect((await a.get(id)).body.ok).toBe(true);
  });

  let made: ReturnType<typeof scene> | undefined;
  const shared = () => (made ??= scene());
});
