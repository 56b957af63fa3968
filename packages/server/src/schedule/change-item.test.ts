import { expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { inSeconds, refused, reminder, scheduleScene } from './testing/schedule-scene.ts';

describeEachServer('schedule › change', (start) => {
  const scene = async () => {
    const { tenant, clock } = await scheduleScene(start);
    const { peer } = await tenant();
    return { clock, peer, a: await peer('peer-a') };
  };

  test('names the version it is based on, and something to change', async () => {
    const { a } = await scene();
    const { schedule_id: id } = await a.made();
    const version = [422, 'invalid_schedule_version', 'expected_version'];
    for (const expected of [undefined, null, 0, true, '1', 1.5]) {
      expect(refused(await a.patch(id, { expected_version: expected, title: 'x' }))).toEqual(version);
    }
    expect(refused(await a.patch(id, { expected_version: 1 }))).toEqual([
      422,
      'invalid_schedule_payload',
      'body',
    ]);
    for (const key of ['idempotency_key', 'status', 'schedule_id']) {
      expect(refused(await a.patch(id, { expected_version: 1, [key]: 'x' }))).toEqual([
        422,
        'invalid_schedule_payload',
        key,
      ]);
    }
  });

  test('counts versions, and refuses who has not seen the last', async () => {
    const { a, clock, peer } = await scene();
    const b = await peer('peer-b');
    const { schedule_id: id } = await a.made();
    const same = await a.patch(id, { expected_version: 1, title: ' hello ' });
    expect([same.status, same.body.updated, same.body.item.version]).toEqual([200, false, 1]);
    await clock.advance(5_000);
    const changed = await b.patch(id, { expected_version: 1, title: 'new', metadata: { a: 1 } });
    expect([changed.status, changed.body.updated]).toEqual([200, true]);
    expect(changed.body.item).toMatchObject({
      version: 2,
      title: 'new',
      metadata: { a: 1 },
      created_by: 'peer-a',
      updated_by: 'peer-b',
      updated_at: inSeconds(5),
    });
    expect(refused(await a.patch(id, { expected_version: 1, title: 'new' }))).toEqual([
      409,
      'schedule_version_conflict',
      'expected_version',
    ]);
    const cleared = await a.patch(id, { expected_version: 2, metadata: null, note: null });
    expect([cleared.body.item.metadata, cleared.body.item.version]).toEqual([{}, 3]);
    expect((await a.create(reminder())).body).toMatchObject({
      created: false,
      item: { title: 'new', version: 3 },
    });
    expect((await a.get(id)).body).toEqual({ ok: true, item: cleared.body.item, warnings: [] });
  });

  test('keeps a nudge about something', async () => {
    const { a } = await scene();
    const { schedule_id: id } = await a.made();
    const unlinked = [422, 'invalid_schedule_link', 'kind'];
    expect(refused(await a.patch(id, { expected_version: 1, kind: 'task_nudge' }))).toEqual(unlinked);
    const linked = await a.patch(id, { expected_version: 1, kind: 'task_nudge', task_id: 't' });
    expect(linked.status).toBe(200);
    expect(refused(await a.patch(id, { expected_version: 2, task_id: null }))).toEqual(unlinked);
    const moved = await a.patch(id, {
      expected_version: 2,
      task_id: null,
      subject_kind: 'user',
      subject_id: 'u',
    });
    expect(moved.body.item).toMatchObject({ task_id: null, subject_kind: 'user', subject_id: 'u' });
    expect(refused(await a.patch(id, { expected_version: 3, subject_kind: null }))).toEqual([
      422,
      'invalid_schedule_subject',
      'subject_kind',
    ]);
    expect(refused(await a.patch(id, { expected_version: 3, subject_kind: null, subject_id: null }))).toEqual(
      unlinked,
    );
  });

  test('a time that is given lies ahead, also when it was there before', async () => {
    const { a, clock } = await scene();
    const { schedule_id: id, due_at: due } = await a.made();
    expect((await a.patch(id, { expected_version: 1, due_at: due })).body.updated).toBe(false);
    for (const key of ['kind', 'title', 'due_at']) {
      expect(refused(await a.patch(id, { expected_version: 1, [key]: null }))).toEqual([
        422,
        'invalid_schedule_payload',
        key,
      ]);
    }
    await clock.leap(3_600_000);
    expect(refused(await a.patch(id, { expected_version: 1, due_at: due }))).toEqual([
      422,
      'due_at_not_future',
      'due_at',
    ]);
    expect((await a.patch(id, { expected_version: 1, title: 'late' })).body.item.derived_state).toBe('due');
  });

  test('what is not there is told before what is wrong with the change, but after its form', async () => {
    const { a } = await scene();
    const missing = await a.patch('sched_none', { expected_version: 1, title: 'x' });
    expect([missing.status, missing.body]).toEqual([
      404,
      {
        detail: { code: 'schedule_not_found', schedule_id: 'sched_none', warnings: ['schedule_db_missing'] },
      },
    ]);
    const again = await a.get('sched_none');
    expect([again.status, again.body.detail]).toEqual([
      404,
      { code: 'schedule_not_found', schedule_id: 'sched_none', warnings: [] },
    ]);
    const malformed = [422, 'invalid_schedule_id', 'schedule_id'];
    expect(refused(await a.get('nope'))).toEqual(malformed);
    expect(refused(await a.patch('nope', { x: 1 }))).toEqual(malformed);
    expect(refused(await a.acknowledge('nope', { x: 1 }))).toEqual(malformed);
    expect(refused(await a.retire('sched_%20', {}))).toEqual(malformed);
  });
});
