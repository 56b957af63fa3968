import { expect, test } from 'vitest';
import type { ScheduleItem } from '@parley/protocol/schedule/item';
import { sql } from '../platform/database/sql.ts';
import { describeEachServer } from '../testing/each-server.ts';
import type { TestOptions } from '../testing/start-server.ts';
import { inSeconds, scheduleScene, type SchedulePeer } from './testing/schedule-scene.ts';

interface Shown {
  items: ScheduleItem[];
  count: number;
  truncated: boolean;
}
interface Section {
  due: Shown;
  upcoming: Shown & { window_hours: number };
  warnings: string[];
}

const HOUR = 3600;
const titles = ({ items }: Shown): string[] => items.map(({ title }) => title);

describeEachServer('schedule › in a startup read', (start) => {
  const scene = async (options: TestOptions = {}) => {
    const { tenant, clock, people, server } = await scheduleScene(start, options);
    const { peer } = await tenant();
    const a = await peer('peer-a');
    const section = async (kind: string, id: string, by: SchedulePeer = a): Promise<Section> => {
      const { body } = await people.call<{ schedule_context: Section }>('POST', '/v1/continuity/read', {
        key: by.key ?? '',
        body: { subject_kind: kind, subject_id: id, view: 'startup', allow_fallback: true },
      });
      return body.schedule_context;
    };
    return { clock, server, peer, a, section };
  };

  test('shows what is about its subject, by whichever link, and nothing else', async () => {
    const { a, section, clock } = await scene();
    const empty = {
      due: { items: [], count: 0, truncated: false },
      upcoming: { window_hours: 72, items: [], count: 0, truncated: false },
    };
    expect(await section('thread', 'sx')).toEqual({ ...empty, warnings: ['schedule_db_missing'] });
    expect(await section('thread', 'sx')).toEqual({ ...empty, warnings: [] });
    await a.made({ title: 'by thread', thread_id: 'sx', due_at: inSeconds(10) });
    await a.made({ title: 'by subject', subject_kind: 'thread', subject_id: 'sx', due_at: inSeconds(20) });
    await a.made({
      title: 'twice',
      thread_id: 'sx',
      subject_kind: 'thread',
      subject_id: 'sx',
      due_at: inSeconds(30),
    });
    await a.made({ title: 'global' });
    await a.made({ title: 'task', task_id: 'sx' });
    const ended = await a.made({ title: 'ended', thread_id: 'sx' });
    await a.retire(ended.schedule_id, { expected_version: 1 });
    await clock.advance(10_000);
    const { due, upcoming, warnings } = await section('thread', 'sx');
    expect([titles(due), due.count, due.truncated]).toEqual([['by thread'], 1, false]);
    expect(due.items[0]?.derived_state).toBe('due');
    expect([titles(upcoming), upcoming.count]).toEqual([['by subject', 'twice'], 2]);
    expect(warnings).toEqual([]);
    expect(titles((await section('task', 'sx')).upcoming)).toEqual(['task']);
    expect((await section('thread', 'SX')).due.count).toBe(0);
    expect((await section('user', 'sx')).upcoming.count).toBe(0);
  });

  test('looks 72 hours ahead and shows no more than its limits', async () => {
    const { a, section, clock } = await scene();
    await a.made({ title: 'outside', thread_id: 't', due_at: inSeconds(73 * HOUR) });
    await a.made({ title: 'edge', thread_id: 't', due_at: inSeconds(72 * HOUR) });
    expect(titles((await section('thread', 't')).upcoming)).toEqual(['edge']);
    for (let at = 1; at <= 7; at += 1)
      await a.made({ title: `n${at}`, thread_id: 't', due_at: inSeconds(at) });
    const { upcoming } = await section('thread', 't');
    expect([titles(upcoming), upcoming.count, upcoming.truncated]).toEqual([
      ['n1', 'n2', 'n3', 'n4', 'n5'],
      5,
      true,
    ]);
    await clock.advance(7_000);
    const { due } = await section('thread', 't');
    expect([due.count, due.truncated]).toEqual([7, false]);
  });

  test('goes by the settings', async () => {
    const { a, section, clock } = await scene({
      scheduleDueLimit: 1,
      scheduleUpcomingLimit: 0,
      scheduleUpcomingWindowHours: 1,
    });
    await a.made({ title: 'one', thread_id: 't', due_at: inSeconds(1) });
    await a.made({ title: 'two', thread_id: 't', due_at: inSeconds(1 + HOUR) });
    expect((await section('thread', 't')).upcoming).toEqual({
      window_hours: 1,
      items: [],
      count: 0,
      truncated: true,
    });
    await a.made({ title: 'three', thread_id: 't', due_at: inSeconds(2) });
    await clock.advance(5_000);
    const { due } = await section('thread', 't');
    expect([titles(due), due.truncated]).toEqual([['one'], true]);
  });

  test('is empty for who may not see the schedule, and never fails the read', async () => {
    const { a, section, peer, server } = await scene();
    await a.made({ thread_id: 't' });
    const narrow = await peer('narrow', { read_namespaces: ['memory/continuity'] });
    expect(await section('thread', 't', narrow)).toMatchObject({
      upcoming: { count: 0 },
      warnings: ['schedule_source_denied'],
    });
    const { database } = server.context;
    await database.write((tx) => tx.run(sql`UPDATE schedule_items SET kind = 'x'`));
    const { schedule_id: id } = await a.made({ title: 'whole', thread_id: 't' });
    const broken = await section('thread', 't');
    expect(broken.upcoming.items.map((item) => item.schedule_id)).toEqual([id]);
    expect(broken.warnings).toEqual([
      expect.stringMatching(/^schedule_row_invalid:/),
      'schedule_rows_skipped',
    ]);
    await database.write((tx) => tx.run(sql`ALTER TABLE schedule_items RENAME TO schedule_items_away`));
    expect(await section('thread', 't')).toMatchObject({
      due: { count: 0 },
      warnings: ['schedule_db_unavailable'],
    });
  });
});
