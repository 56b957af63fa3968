import type { ScheduleItem } from '@parley/protocol/schedule/item';
import { expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { scheduleScene } from './testing/schedule-scene.ts';

interface Bundle {
  bundle: { schedule_context?: { upcoming: { items: ScheduleItem[] }; warnings: string[] } };
}

describeEachServer('schedule › in a retrieve', (start) => {
  test('shows what is about its subjects, and is there only when subjects are named', async () => {
    const { tenant, people } = await scheduleScene(start);
    const a = await (await tenant()).peer('peer-a');
    await a.made({ title: 'by thread', thread_id: 'sx' });
    await a.made({ title: 'by subject', subject_kind: 'thread', subject_id: 'sx' });
    await a.made({ title: 'of a task', task_id: 't' });
    await a.made({ title: 'global' });
    const retrieve = async (body: object) => {
      const answer = await people.call<Bundle>('POST', '/v1/context/retrieve', { key: a.key ?? '', body });
      expect(answer.status).toBe(200);
      const context = answer.body.bundle.schedule_context;
      return context?.upcoming.items.map(({ title }) => title).toSorted();
    };
    const subject = { subject_kind: 'thread', subject_id: 'sx' };
    expect(await retrieve({ task: 'x', ...subject })).toEqual(['by subject', 'by thread']);
    expect(await retrieve({ task: 'x', ...subject, continuity_mode: 'off' })).toEqual([
      'by subject',
      'by thread',
    ]);
    expect(await retrieve({ task: 'x', ...subject, subject_id: 'SX' })).toEqual([]);
    const selectors = [subject, { subject_kind: 'task', subject_id: 't' }];
    expect(
      await retrieve({ task: 'x', continuity_selectors: selectors, continuity_max_capsules: 1 }),
    ).toEqual(['by subject', 'by thread', 'of a task']);
    expect(await retrieve({ task: 'x' })).toBeUndefined();
    expect(await retrieve({ task: 'thread:sx' })).toBeUndefined();
  });
});
