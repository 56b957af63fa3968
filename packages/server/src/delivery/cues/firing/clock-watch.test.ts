import { expect, test } from 'vitest';
import { describeEachServer } from '../../../testing/each-server.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describeEachServer('cues › a clock that is put right', (start) => {
  const scene = new CueScene(start);
  const hourly = { type: 'recurring', cron: '0 * * * *' };

  test('goes on from the right time, and fires no time twice', async () => {
    const cue = await scene.max.cue({ schedule: hourly });
    await scene.clock.leap(400 * DAY);
    const [ahead] = await scene.runsOf(cue, 1);
    scene.clock.setBack(400 * DAY);
    await scene.later(60_000);
    const next = async () => (await scene.max.readCue(cue.id)).next_run;
    await expect.poll(next).toBe('2026-06-01T10:00:00.000Z');
    await scene.clock.leap(HOUR);
    const runs = await scene.runsOf(cue, 2);
    expect(runs.map(({ scheduled_for: at }) => at)).toEqual([
      '2026-06-01T10:00:00.000Z',
      ahead?.scheduled_for,
    ]);
    // By two hours: those were fired, and are not fired again.
    await scene.clock.leap(HOUR);
    await scene.runsOf(cue, 3);
    scene.clock.setBack(2 * HOUR);
    await scene.later(60_000);
    await scene.clock.leap(2 * HOUR);
    await expect.poll(next).toBe('2026-06-01T12:00:00.000Z');
    expect(await scene.runsOf(cue, 3)).toHaveLength(3);
    expect((await scene.max.readCue(cue.id)).fired_count).toBe(3);
  });
});
