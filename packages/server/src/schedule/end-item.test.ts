import type { ScheduleItem } from '@parley/protocol/schedule/item';
import { expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { inSeconds, refused, scheduleScene, type SchedulePeer } from './testing/schedule-scene.ts';

const STATUS = [409, 'schedule_status_conflict', 'status'];
const VERSION = [409, 'schedule_version_conflict', 'expected_version'];
const NEEDED = [422, 'invalid_schedule_version', 'expected_version'];

describeEachServer('schedule › ending an item', (start) => {
  const scene = async () => {
    const { tenant, clock } = await scheduleScene(start);
    const { peer } = await tenant();
    return { clock, a: await peer('peer-a'), b: await peer('peer-b') };
  };

  test('an acknowledgement ends it once, and may be repeated', async () => {
    const { a, b, clock } = await scene();
    const { schedule_id: id } = await a.made();
    expect(refused(await a.acknowledge(id, {}))).toEqual(NEEDED);
    expect(refused(await a.acknowledge(id, { expected_version: 2 }))).toEqual(VERSION);
    await clock.advance(1_000);
    const ended = await b.acknowledge(id, { expected_version: 1, reason: ' ok ' });
    expect([ended.status, ended.body.updated]).toEqual([200, true]);
    expect(ended.body.item).toMatchObject({
      status: 'acknowledged',
      derived_state: 'terminal',
      terminal_at: inSeconds(1),
      terminal_by: 'peer-b',
      terminal_reason: 'ok',
      updated_by: 'peer-b',
      version: 2,
    });
    const again = await a.acknowledge(id, { reason: 'ok' });
    expect([again.status, again.body.updated, again.body.item]).toEqual([200, false, ended.body.item]);
    expect(refused(await a.acknowledge(id, {}))).toEqual(STATUS);
    expect(refused(await a.acknowledge(id, { status: 'done', reason: 'ok' }))).toEqual(STATUS);
    expect(refused(await a.acknowledge(id, { reason: 'ok', expected_version: 1 }))).toEqual(VERSION);
    expect(refused(await a.patch(id, { expected_version: 2, title: 'x' }))).toEqual(STATUS);
  });

  test('what was acknowledged can be retired, and nothing comes after that', async () => {
    const { a } = await scene();
    const { schedule_id: id } = await a.made();
    await a.acknowledge(id, { expected_version: 1, status: 'done', reason: 'seen' });
    expect(refused(await a.retire(id, {}))).toEqual(NEEDED);
    const retired = await a.retire(id, { expected_version: 2, reason: '' });
    expect(retired.body.item).toMatchObject({ status: 'retired', terminal_reason: null, version: 3 });
    expect((await a.retire(id, {})).body.updated).toBe(false);
    expect((await a.retire(id, { reason: ' ' })).body.updated).toBe(false);
    expect(refused(await a.retire(id, { reason: 'x' }))).toEqual(STATUS);
    expect(refused(await a.acknowledge(id, { expected_version: 3 }))).toEqual(STATUS);
    expect(refused(await a.acknowledge(id, {}))).toEqual(STATUS);
  });

  test('every status under every call', async () => {
    const { a } = await scene();
    const into: Record<string, (peer: SchedulePeer, item: ScheduleItem) => Promise<unknown>> = {
      pending: async () => undefined,
      acknowledged: (peer, { schedule_id: id }) => peer.acknowledge(id, { expected_version: 1 }),
      done: (peer, { schedule_id: id }) => peer.acknowledge(id, { expected_version: 1, status: 'done' }),
      retired: (peer, { schedule_id: id }) => peer.retire(id, { expected_version: 1 }),
    };
    const calls: Record<string, (id: string, expected: number) => ReturnType<SchedulePeer['retire']>> = {
      acknowledged: (id, expected_version) => a.acknowledge(id, { expected_version }),
      done: (id, expected_version) => a.acknowledge(id, { expected_version, status: 'done' }),
      retired: (id, expected_version) => a.retire(id, { expected_version }),
    };
    const seen: Record<string, Record<string, string>> = {};
    for (const [from, move] of Object.entries(into)) {
      const cells = (seen[from] ??= {});
      for (const [call, act] of Object.entries(calls)) {
        const item = await a.made({ title: `${from} ${call}` });
        await move(a, item);
        const { status, body } = await act(item.schedule_id, from === 'pending' ? 1 : 2);
        cells[call] = status !== 200 ? body.detail.code : body.updated ? 'ends' : 'repeats';
      }
    }
    const no = 'schedule_status_conflict';
    expect(seen).toEqual({
      pending: { acknowledged: 'ends', done: 'ends', retired: 'ends' },
      acknowledged: { acknowledged: 'repeats', done: no, retired: 'ends' },
      done: { acknowledged: no, done: 'repeats', retired: 'ends' },
      retired: { acknowledged: no, done: no, retired: 'repeats' },
    });
  });

  test('says what is wrong with the request', async () => {
    const { a } = await scene();
    const { schedule_id: id } = await a.made();
    const faults: [object, string, string][] = [
      [{ x: 1, expected_version: 0 }, 'invalid_schedule_payload', 'x'],
      [{ expected_version: 0, status: 'x' }, 'invalid_schedule_version', 'expected_version'],
      [{ status: null }, 'invalid_schedule_payload', 'status'],
      [{ status: 'retired' }, 'invalid_schedule_status', 'status'],
      [{ reason: 'x'.repeat(501) }, 'invalid_schedule_reason', 'reason'],
    ];
    for (const [body, code, field] of faults)
      expect(refused(await a.acknowledge(id, body))).toEqual([422, code, field]);
    expect(refused(await a.retire(id, { status: 'done' }))).toEqual([
      422,
      'invalid_schedule_payload',
      'status',
    ]);
  });

  test('of many at once one ends it', async () => {
    const { a } = await scene();
    const { schedule_id: id } = await a.made();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => a.acknowledge(id, { expected_version: 1, reason: `r${at}` })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await a.get(id)).body.item.version).toBe(2);
  });
});
