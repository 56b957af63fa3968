import { expect, test } from 'vitest';
import { tally } from '../identity/testing/people.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { inSeconds, reminder, refused, scheduleScene, SchedulePeer, SOON } from './testing/schedule-scene.ts';

const KEYS = [
  'schedule_id',
  'kind',
  'status',
  'derived_state',
  'title',
  'note',
  'due_at',
  'created_at',
  'updated_at',
  'created_by',
  'updated_by',
  'terminal_at',
  'terminal_by',
  'terminal_reason',
  'task_id',
  'thread_id',
  'subject_kind',
  'subject_id',
  'idempotency_key',
  'metadata',
  'version',
];

describeEachServer('schedule › create', (start) => {
  const scene = async () => {
    const { people, tenant } = await scheduleScene(start);
    const { peer, owner } = await tenant();
    return { people, owner, peer, a: await peer('peer-a') };
  };

  test('makes an item, and the same request makes no second one', async () => {
    const { a, peer } = await scene();
    const first = await a.create(reminder({ title: '  hello ', metadata: { b: 1, a: 'é' } }));
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ ok: true, created: true, warnings: ['schedule_db_missing'] });
    expect(Object.keys(first.body.item)).toEqual(KEYS);
    expect(first.body.item).toMatchObject({
      status: 'pending',
      derived_state: 'scheduled',
      title: 'hello',
      note: null,
      due_at: SOON,
      created_at: inSeconds(0),
      created_by: 'peer-a',
      updated_by: 'peer-a',
      metadata: { b: 1, a: 'é' },
      version: 1,
    });
    const again = await a.create(reminder({ title: 'hello', metadata: { a: 'é', b: 1 } }));
    expect([again.status, again.body.created, again.body.warnings]).toEqual([200, false, []]);
    expect(again.body.item).toEqual(first.body.item);
    const b = await peer('peer-b');
    const other = await b.create(reminder({ metadata: { a: 'é', b: 1 } }));
    expect(other.status).toBe(201);
    expect(other.body.item.schedule_id).not.toBe(first.body.item.schedule_id);
  });

  test('names an item by the hash of what it says and who says it', async () => {
    const { peer } = await scene();
    const alpha = await peer('peer-alpha');
    const { body } = await alpha.create({
      kind: 'reminder',
      title: 'Check the rollout',
      due_at: '2030-01-01T00:00:00Z',
    });
    expect(body.item.schedule_id).toBe('sched_e03f29d664376d2fbeff4c766739c0be');
  });

  test('lets nobody take a key or an id of another item', async () => {
    const { a, peer } = await scene();
    const b = await peer('peer-b');
    expect((await a.create(reminder({ title: 'a', idempotency_key: 'k1' }))).status).toBe(201);
    const key = [409, 'idempotency_key_conflict', 'idempotency_key'];
    expect(refused(await a.create(reminder({ title: 'b', idempotency_key: 'k1' })))).toEqual(key);
    expect(refused(await b.create(reminder({ title: 'a', idempotency_key: 'k1' })))).toEqual(key);
    expect((await a.create(reminder({ schedule_id: 'sched_a1' }))).status).toBe(201);
    expect(refused(await a.create(reminder({ schedule_id: 'sched_a1', title: 'other' })))).toEqual([
      409,
      'schedule_id_conflict',
      'schedule_id',
    ]);
    expect((await a.create(reminder({ schedule_id: 'sched_a2' }))).status).toBe(201);
    // Each of the two names belongs to another item.
    expect(refused(await a.create(reminder({ schedule_id: 'sched_a2', idempotency_key: 'k1' })))).toEqual(
      key,
    );
  });

  test('a repetition is answered after the time, a new item is not made', async () => {
    const { tenant, clock } = await scheduleScene(start);
    const a = await (await tenant()).peer('peer-a');
    const item = await a.made({ idempotency_key: 'k' });
    await clock.leap(3_600_000);
    const again = await a.create(reminder({ idempotency_key: 'k' }));
    expect([again.status, again.body.item.derived_state]).toEqual([200, 'due']);
    expect(again.body.item).toEqual({ ...item, derived_state: 'due' });
    expect(refused(await a.create(reminder({ schedule_id: item.schedule_id, title: 'x' })))).toEqual([
      422,
      'due_at_not_future',
      'due_at',
    ]);
    const ended = await a.acknowledge(item.schedule_id, { expected_version: 1, status: 'done' });
    expect(ended.status).toBe(200);
    expect((await a.create(reminder({ idempotency_key: 'k' }))).body.item.status).toBe('done');
  });

  test('of two at once one makes it and the other finds it', async () => {
    const { a } = await scene();
    const answers = await Promise.all(Array.from({ length: 8 }, () => a.create(reminder({ title: 'race' }))));
    expect(tally(answers)).toEqual({ 200: 7, 201: 1 });
    expect(new Set(answers.map(({ body }) => body.item.schedule_id)).size).toBe(1);
    expect((await a.list()).body.total).toBe(1);
    expect(answers.flatMap(({ body }) => body.warnings)).toEqual(['schedule_db_missing']);
  });

  test.each<[string, object, string, string]>([
    ['an id in capitals', { schedule_id: 'sched_A' }, 'invalid_schedule_id', 'schedule_id'],
    ['an empty id', { schedule_id: '' }, 'invalid_schedule_id', 'schedule_id'],
    ['an id without its beginning', { schedule_id: 'reminder1' }, 'invalid_schedule_id', 'schedule_id'],
    ['a second ago', { due_at: inSeconds(-1) }, 'due_at_not_future', 'due_at'],
    ['now', { due_at: inSeconds(0) }, 'due_at_not_future', 'due_at'],
    ['an offset', { due_at: '2030-01-01T00:00:00+00:00' }, 'invalid_schedule_due_at', 'due_at'],
    ['half a second', { due_at: '2030-01-01T00:00:00.5Z' }, 'invalid_schedule_due_at', 'due_at'],
    ['a day there is not', { due_at: '2030-02-30T00:00:00Z' }, 'invalid_schedule_due_at', 'due_at'],
    ['a blank in the time', { due_at: '2030-01-01 00:00:00Z' }, 'invalid_schedule_due_at', 'due_at'],
    ['a number for a time', { due_at: 5 }, 'invalid_schedule_due_at', 'due_at'],
    ['no time', { due_at: undefined }, 'invalid_schedule_payload', 'due_at'],
    ['null for a time', { due_at: null }, 'invalid_schedule_payload', 'due_at'],
    ['another kind', { kind: 'alarm' }, 'invalid_schedule_kind', 'kind'],
    ['no kind', { kind: null }, 'invalid_schedule_payload', 'kind'],
    ['blanks for a title', { title: '   ' }, 'invalid_schedule_title', 'title'],
    ['a long title', { title: 'x'.repeat(161) }, 'invalid_schedule_title', 'title'],
    ['a title with a zero', { title: 'a\0b' }, 'invalid_schedule_title', 'title'],
    ['a long note', { note: 'x'.repeat(1001) }, 'invalid_schedule_note', 'note'],
    ['a note that is no text', { note: 5 }, 'invalid_schedule_note', 'note'],
    ['an empty key', { idempotency_key: ' ' }, 'invalid_schedule_payload', 'idempotency_key'],
    ['a long task', { task_id: 'x'.repeat(201) }, 'invalid_schedule_payload', 'task_id'],
    ['a nudge about nothing', { kind: 'task_nudge' }, 'invalid_schedule_link', 'kind'],
    ['half a subject', { subject_kind: 'user' }, 'invalid_schedule_subject', 'subject_kind'],
    ['the other half', { subject_id: 'x' }, 'invalid_schedule_subject', 'subject_kind'],
    [
      'an unknown subject',
      { subject_kind: 'room', subject_id: 'x' },
      'invalid_schedule_subject',
      'subject_kind',
    ],
    ['an empty subject', { subject_kind: 'user', subject_id: '' }, 'invalid_schedule_payload', 'subject_id'],
    ['a list in metadata', { metadata: { a: [1] } }, 'invalid_schedule_metadata', 'metadata'],
    ['a list for metadata', { metadata: [] }, 'invalid_schedule_metadata', 'metadata'],
    ['an object in metadata', { metadata: { a: { b: 1 } } }, 'invalid_schedule_metadata', 'metadata'],
    ['a number that is not exact', { metadata: { a: 2 ** 53 } }, 'invalid_schedule_metadata', 'metadata'],
    ['large metadata', { metadata: { a: 'x'.repeat(2041) } }, 'invalid_schedule_metadata', 'metadata'],
    ['a status', { status: 'done' }, 'invalid_schedule_payload', 'status'],
    ['a wake that is no flag', { wake: 1 }, 'invalid_schedule_payload', 'wake'],
  ])('refuses %s', async (_name, more, code, field) => {
    const { a } = await shared();
    expect(refused(await a.create(reminder(more)))).toEqual([422, code, field]);
  });

  test('takes what is just within its bounds', async () => {
    const { a } = await shared();
    const taken = [
      { title: '😀'.repeat(160) },
      { note: '' },
      { note: ' x '.repeat(1) },
      { metadata: { a: 'x'.repeat(2040) } },
      { metadata: { a: 2 ** 53 - 1, b: -1.5, c: null, d: false } },
      {
        kind: ' task_nudge ',
        task_id: 't',
        note: null,
        thread_id: null,
        subject_kind: null,
        subject_id: null,
      },
    ];
    for (const more of taken) expect((await a.create(reminder(more))).status).toBe(201);
    expect((await a.create(reminder({ note: ' ', title: 'blank' }))).body.item.note).toBe('');
  });

  test('tells the first fault only, in the order of the fields', async () => {
    const { a } = await shared();
    const order: [object, string, string][] = [
      [{ x: 1, y: 2 }, 'invalid_schedule_payload', 'x'],
      [{}, 'invalid_schedule_payload', 'kind'],
      [{ kind: 'x' }, 'invalid_schedule_payload', 'title'],
      [{ kind: 'x', title: '', due_at: 'x', schedule_id: '?' }, 'invalid_schedule_id', 'schedule_id'],
      [{ kind: 'x', title: '', due_at: 'x' }, 'invalid_schedule_kind', 'kind'],
      [{ kind: 'reminder', title: '', due_at: 'x' }, 'invalid_schedule_title', 'title'],
      [reminder({ subject_kind: 'user', metadata: [] }), 'invalid_schedule_subject', 'subject_kind'],
      [reminder({ kind: 'task_nudge', metadata: [] }), 'invalid_schedule_metadata', 'metadata'],
    ];
    for (const [body, code, field] of order) {
      expect(refused(await a.create(body))).toEqual([422, code, field]);
    }
  });

  test.each([
    ['{bad', 'body'],
    ['[1]', 'body'],
    ['', 'kind'],
    ['{"__proto__":1}', 'body'],
  ])('of the body %j says what is wrong', async (body, field) => {
    const { a } = await shared();
    expect(refused(await a.create(body))).toEqual([422, 'invalid_schedule_payload', field]);
  });

  test('asks who calls, then what may be read of the body, then what the caller may', async () => {
    const { people, peer } = await shared();
    const reader = await peer('reader', { scopes: ['read:files'] });
    const elsewhere = await peer('elsewhere', { write_namespaces: ['memory/continuity'] });
    expect((await new SchedulePeer(people, undefined).create('{bad')).status).toBe(401);
    expect((await reader.create('{bad')).status).toBe(422);
    const missing = await reader.create({ kind: 'x' });
    expect([missing.status, missing.body.detail]).toEqual([403, 'Missing scope: write:projects']);
    const denied = await elsewhere.create({ kind: 'x' });
    expect([denied.status, denied.body.detail]).toEqual([
      403,
      'Write path namespace not allowed: memory/schedule/schedule.db',
    ]);
    expect((await elsewhere.list()).status).toBe(200);
    const large = await reader.create(reminder({ note: 'x'.repeat(262_144) }));
    expect(large.status).toBe(413);
  });

  let made: ReturnType<typeof scene> | undefined;
  const shared = () => (made ??= scene());
});
