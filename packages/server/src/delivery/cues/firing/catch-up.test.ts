import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../../testing/each-server.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const hours = (from: string, to: string, step = HOUR): string[] => {
  const times: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += step) times.push(new Date(at).toISOString());
  return times;
};

/** Two days, hour by hour, each once everything of the hour before is fired. */
const twoDays = async (scene: CueScene, ...cues: readonly { readonly id: string }[]): Promise<void> => {
  for (let hour = 0; hour < 48; hour += 1) {
    await scene.clock.leap(HOUR);
    const behind = async () => {
      const next = await Promise.all(cues.map(async ({ id }) => (await scene.max.readCue(id)).next_run));
      return next.filter((at) => Date.parse(at ?? '') <= scene.clock.now());
    };
    await expect.poll(behind).toEqual([]);
  }
};

describeEachServer('cues › missed times', (start) => {
  const scene = new CueScene(start);
  /** Three days in which nothing happened, ending in the middle of an hour. */
  const outage = async (cue: object) => {
    const made = await scene.max.cue(cue);
    await scene.clock.leap(3 * DAY + HOUR / 2);
    await scene.later(0);
    return made;
  };
  const soon = () => ({ type: 'once', at: new Date(scene.clock.now() + HOUR).toISOString() });
  const firedAt = async (id: string) => (await scene.max.runs(id)).map(({ scheduled_for: at }) => at);

  test('three days are made up for as the cue says, and no time is fired twice', async () => {
    const schedule = { type: 'recurring', cron: '0 * * * *' };
    const begun = scene.clock.now();
    const once = await scene.max.cue({ schedule });
    const none = await scene.max.cue({ schedule, catch_up: 'skip_missed' });
    const all = await scene.max.cue({ schedule, catch_up: 'replay_all_missed' });
    const minutes = await scene.max.cue({ catch_up: 'replay_all' });
    await scene.clock.leap(3 * DAY + HOUR / 2);
    await scene.later(0);
    await scene.runsOf(all, 72);
    await scene.runsOf(minutes, 100);
    const first = new Date(begun + HOUR).toISOString();
    const last = new Date(begun + 3 * DAY).toISOString();
    expect(await firedAt(all.id)).toEqual(hours(first, last));
    expect(await firedAt(once.id)).toEqual([last]);
    expect(await firedAt(none.id)).toEqual([]);
    const [oldest] = await firedAt(minutes.id);
    expect(oldest).toBe(new Date(begun + 3 * DAY + HOUR / 2 - 99 * 60_000).toISOString());
    for (const { id } of [once, none, all]) {
      expect(await scene.max.readCue(id)).toMatchObject({
        status: 'active',
        next_run: new Date(begun + 3 * DAY + HOUR).toISOString(),
      });
    }
    await scene.max.patchCue(minutes.id, { status: 'paused' });
    // From there on each goes on as if nothing had been.
    await scene.later(HOUR / 2);
    for (const [cue, count] of [
      [once, 2],
      [none, 1],
      [all, 73],
    ] as const) {
      await scene.runsOf(cue, count);
      await scene.max.patchCue(cue.id, { status: 'paused' });
    }
  });

  describe('a single time', () => {
    test('is made up for', async () => {
      const cue = await outage({ schedule: soon() });
      expect(await scene.runsOf(cue, 1)).toHaveLength(1);
    });

    test('is let go when the cue says so, and that is a failure', async () => {
      const cue = await outage({ schedule: soon(), catch_up: 'skip_missed' });
      await expect.poll(async () => (await scene.max.readCue(cue.id)).status).toBe('failed');
      expect(await scene.max.runs(cue.id)).toEqual([]);
    });

    test('that passed while it was paused fires when it is resumed', async () => {
      const made = await scene.max.cue({ schedule: soon(), catch_up: 'skip_missed' });
      await scene.max.patchCue(made.id, { status: 'paused' });
      await scene.later(2 * HOUR);
      expect((await scene.max.patchCue(made.id, { status: 'active' })).status).toBe(200);
      await scene.later(0);
      const [run] = await scene.runsOf(made, 1);
      await scene.max.claim(run?.id ?? '');
      await scene.max.outcome(run?.id ?? '', { success: true });
      const again = await scene.max.patchCue(made.id, { status: 'active' });
      expect([again.status, again.body.error.code]).toEqual([409, 'invalid_schedule']);
    });
  });

  test('what is a little late is not missed', async () => {
    const cue = await scene.max.cue({ catch_up: 'skip_missed' });
    await scene.clock.leap(70_000);
    await scene.later(0);
    expect(await scene.runsOf(cue, 1)).toHaveLength(1);
    await scene.max.patchCue(cue.id, { status: 'paused' });
  });
});

describeEachServer('cues › daylight saving', (start) => {
  const LA = 'America/Los_Angeles';
  const spring = new CueScene(start, {}, Date.parse('2026-03-07T12:00:00Z'));
  const autumn = new CueScene(start, {}, Date.parse('2026-10-31T12:00:00Z'));
  const daily = { type: 'recurring', cron: '30 2 * * *', timezone: LA };

  test('in spring a time in the gap fires after it', async () => {
    const cue = await spring.max.cue({ schedule: daily });
    const hourly = await spring.max.cue({ schedule: { ...daily, cron: '30 * * * *' } });
    await twoDays(spring, cue, hourly);
    const runs = await spring.runsOf(cue, 2);
    expect(runs.map(({ scheduled_for: at }) => at)).toEqual([
      '2026-03-08T10:00:00.000Z',
      '2026-03-09T09:30:00.000Z',
    ]);
    await spring.runsOf(hourly, 48);
  });

  test('in autumn a time that comes twice fires once', async () => {
    const cue = await autumn.max.cue({ schedule: { ...daily, cron: '30 1 * * *' } });
    const hourly = await autumn.max.cue({ schedule: { ...daily, cron: '30 * * * *' } });
    await twoDays(autumn, cue, hourly);
    const runs = await autumn.runsOf(cue, 2);
    expect(runs.map(({ scheduled_for: at }) => at)).toEqual([
      '2026-11-01T08:30:00.000Z',
      '2026-11-02T09:30:00.000Z',
    ]);
    await autumn.runsOf(hourly, 48);
    const next = await autumn.max.call<{ runs: { local: string }[] }>('GET', `/v1/cues/${cue.id}/next`, {
      query: { count: 2 },
    });
    expect(next.body.runs.map(({ local }) => local)).toEqual([
      '2026-11-03T01:30:00-08:00',
      '2026-11-04T01:30:00-08:00',
    ]);
  });
});
