import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../../testing/each-server.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEARLY = { type: 'recurring', cron: '@yearly' };
const UNCLAIMED = 15 * MINUTE;

describeEachServer('cues › what follows from a run', (start) => {
  const scene = new CueScene(start);
  const made = (more: object = {}) => scene.max.cue({ schedule: YEARLY, ...more });
  const fired = async (id: string) => (await scene.max.fire(id)).execution_id;
  const ended = async (run: string, success: boolean, more: object = {}) => {
    await scene.max.claim(run);
    await scene.max.outcome(run, { success, ...more });
  };
  const soon = (ms = MINUTE) => ({ type: 'once', at: new Date(scene.clock.now() + ms).toISOString() });

  const chained = async (id: string, count: number) => {
    await scene.later(0);
    return await scene.runsOf({ id }, count);
  };
  const minutes = async (id: string, count: number) => {
    for (let at = 0; at < count; at += 1) {
      await scene.clock.leap(MINUTE);
      const late = async () => Date.parse((await scene.max.readCue(id)).next_run ?? '') > scene.clock.now();
      await expect.poll(late).toBe(true);
    }
  };

  describe('a failure', () => {
    test('of a single run makes the cue failed, and a late success completes it', async () => {
      const cue = await scene.max.cue({ schedule: soon() });
      await scene.later(MINUTE);
      const [run] = await scene.runsOf(cue, 1);
      await scene.clock.leap(UNCLAIMED);
      const missed = await scene.runIn(cue, 'missed');
      expect(missed.error_message).toBe('No worker claimed this execution within timeout window');
      expect((await scene.max.readCue(cue.id)).status).toBe('failed');
      await scene.max.outcome(run?.id ?? '', { success: true });
      expect((await scene.max.readCue(cue.id)).status).toBe('completed');
    });

    test('pauses a recurring cue that asks for it', async () => {
      const cue = await made({ on_failure: { pause: true } });
      const other = await made();
      await ended(await fired(cue.id), false, { error: 'no' });
      await ended(await fired(other.id), false);
      expect(await scene.max.readCue(cue.id)).toMatchObject({ status: 'paused', next_run: null });
      expect((await scene.max.readCue(other.id)).status).toBe('active');
      expect((await scene.max.patchCue(cue.id, { status: 'active' })).body.next_run).not.toBeNull();
    });

    test('is told once for each run, whichever way it ended', async () => {
      const told: string[] = [];
      for (const { context } of scene.server.nodes) {
        context.delivery.cues.failures.add({
          cueFires: () => Promise.resolve(),
          async cueFailed(_tx, { cue, execution }) {
            told.push(`${cue.name} ${execution.status}`);
          },
        });
      }
      const reported = await made({ name: 'reported' });
      const unclaimed = await made({ name: 'unclaimed' });
      await ended(await fired(reported.id), false);
      await ended(await fired(reported.id), true);
      await fired(unclaimed.id);
      await scene.clock.leap(UNCLAIMED);
      await scene.runIn(unclaimed, 'missed');
      expect(told.toSorted()).toEqual(['reported failed', 'unclaimed missed']);
    });

    test('is a lease that was lost as often as there are attempts', async () => {
      const cue = await made({ retry: { max_attempts: 2 } });
      const run = await fired(cue.id);
      await scene.max.claim(run);
      await scene.clock.leap(UNCLAIMED);
      const reset = { status: 'pending', attempts: 1, claimed_by_worker: null };
      await expect.poll(() => scene.max.execution(run)).toMatchObject(reset);
      await scene.max.claim(run);
      await scene.clock.leap(UNCLAIMED);
      await expect
        .poll(() => scene.max.execution(run))
        .toMatchObject({
          status: 'failed',
          attempts: 2,
          error_message: 'Reset: worker heartbeat stale and claim lease expired',
        });
    });
  });

  test('each report of a worker counts, also of one whose claim was taken back', async () => {
    const cue = await made();
    const counted = async () => (await scene.max.readCue(cue.id)).run_count;
    const late = await fired(cue.id);
    await scene.max.claim(late);
    await scene.clock.leap(UNCLAIMED);
    await expect.poll(() => scene.max.execution(late)).toMatchObject({ claimed_by_worker: null });
    expect(await counted()).toBe(0);
    await scene.max.outcome(late, { success: true });
    expect(await counted()).toBe(1);
    await scene.max.outcome(await fired(cue.id), { success: false });
    expect(await counted()).toBe(2);
  });

  test('what nobody claimed live was reported by nobody, and does not count', async () => {
    await scene.max.create({ slug: 'unattended', delivery_capabilities: ['live', 'inbox'] });
    await scene.max.attach('unattended', { session_token: 'T', task_name: 'unattended-t' });
    const cue = await made({ agent: 'unattended', delivery_mode: 'live', live_fallback_mode: 'none' });
    await fired(cue.id);
    await scene.clock.leap(MINUTE);
    expect((await scene.runIn(cue, 'missed')).outcome_success).toBe(false);
    expect((await scene.max.readCue(cue.id)).run_count).toBe(0);
  });

  describe('a success fires the next cue', () => {
    test('once, and with the run it follows from', async () => {
      const last = await made();
      const first = await made({ on_success_fire: last.id });
      const run = await fired(first.id);
      await ended(run, true);
      const [next] = await chained(last.id, 1);
      expect(next).toMatchObject({ triggered_by: 'chain', chain_parent_id: run, chain_depth: 1 });
      await ended(await fired(first.id), false);
      await scene.later(0);
      await chained(last.id, 1);
      const { body } = await scene.max.patchCue(first.id, { on_success_fire: null });
      expect(body.on_success_fire).toBeNull();
      await ended(await fired(first.id), true);
      await chained(last.id, 1);
    });

    test('when it is proven, and not before', async () => {
      const last = await made();
      const first = await made({ on_success_fire: last.id, verification: { mode: 'manual' } });
      const run = await fired(first.id);
      await ended(run, true);
      await scene.later(0);
      expect(await scene.max.runs(last.id)).toEqual([]);
      await scene.max.call('POST', `/v1/executions/${run}/verify`, { body: { valid: true } });
      const [next] = await chained(last.id, 1);
      expect(next?.chain_parent_id).toBe(run);
    });

    test('never in a circle', async () => {
      const a = await made();
      const b = await made({ on_success_fire: a.id });
      await scene.max.patchCue(a.id, { on_success_fire: b.id });
      const run = await fired(a.id);
      await ended(run, true);
      const [next] = await chained(b.id, 1);
      await ended(next?.id ?? '', true);
      await expect
        .poll(async () => (await scene.max.execution(next?.id ?? '')).routing_trace.at(-1))
        .toMatchObject({ step: 'chain', result: 'not_fired', reason: 'chain_is_a_circle' });
      expect(await scene.max.runs(a.id)).toHaveLength(1);
    });

    test('ten deep at most', async () => {
      const cues = [await made()];
      for (let at = 0; at < 11; at += 1) cues.unshift(await made({ on_success_fire: cues[0]?.id }));
      await ended(await fired(cues[0]?.id ?? ''), true);
      for (const cue of cues.slice(1, 11)) {
        const [run] = await chained(cue.id, 1);
        await ended(run?.id ?? '', true);
      }
      const [deepest] = await scene.max.runs(cues[10]?.id ?? '');
      expect(deepest?.chain_depth).toBe(10);
      await expect
        .poll(async () => (await scene.max.execution(deepest?.id ?? '')).routing_trace.at(-1)?.reason)
        .toBe('chain_too_deep');
      expect(await scene.max.runs(cues[11]?.id ?? '')).toEqual([]);
    });
  });

  describe('while the run before is not over', () => {
    test('times are skipped', async () => {
      const cue = await scene.max.cue({ overlap: 'skip' });
      await minutes(cue.id, 3);
      const [run] = await scene.max.runs(cue.id);
      expect(await scene.max.readCue(cue.id)).toMatchObject({ skipped_count: 2, fired_count: 1 });
      await ended(run?.id ?? '', true);
      await minutes(cue.id, 1);
      expect(await scene.max.runs(cue.id)).toHaveLength(2);
      await scene.max.patchCue(cue.id, { status: 'paused' });
    });

    test('times wait in line', async () => {
      const cue = await scene.max.cue({ overlap: 'queue', payload: { task: 'in-line' } });
      await minutes(cue.id, 3);
      const runs = await scene.max.runs(cue.id);
      expect(runs.map(({ effective_delivery_mode: mode }) => mode)).toEqual(['bg', null, null]);
      for (const { id } of runs) {
        await expect
          .poll(async () => (await scene.max.claimable({ task: 'in-line' })).map((each) => each.execution_id))
          .toEqual([id]);
        await ended(id, id !== runs[1]?.id);
      }
      await scene.max.patchCue(cue.id, { status: 'paused' });
    });

    test('one that is set for another time holds up nothing until then', async () => {
      for (const overlap of ['skip', 'queue']) {
        const cue = await scene.max.cue({ overlap, payload: { task: `later-${overlap}` } });
        const sendAt = new Date(scene.clock.now() + HOUR).toISOString();
        const later = await scene.max.fire(cue.id, { send_at: sendAt });
        await minutes(cue.id, 1);
        const listed = await scene.max.claimable({ task: `later-${overlap}` });
        expect(listed).toHaveLength(1);
        // And what waits behind a run goes on with its end.
        await minutes(cue.id, 1);
        await ended(listed[0]?.execution_id ?? '', true);
        await minutes(cue.id, 1);
        await expect.poll(() => scene.max.claimable({ task: `later-${overlap}` })).toHaveLength(1);
        expect((await scene.max.execution(later.execution_id)).status).toBe('pending');
        await scene.max.call('DELETE', `/v1/cues/${cue.id}`);
      }
    });
  });

  test('times are spread within the jitter, and stay what they are', async () => {
    const cue = await scene.max.cue({ jitter_seconds: 50 });
    const at = cue.next_run ?? '';
    await scene.clock.leap(Date.parse(at) + 50_000 - scene.clock.now());
    const [run] = await scene.runsOf(cue, 1);
    expect(run?.scheduled_for).toBe(at);
    await scene.max.patchCue(cue.id, { status: 'paused' });
  });

  test('a jitter longer than the time between two runs loses none of them', async () => {
    const cue = await scene.max.cue({ jitter_seconds: 3600 });
    const [first, ...others] = (
      await scene.max.call<{ runs: { at: string }[] }>('GET', `/v1/cues/${cue.id}/next`)
    ).body.runs;
    for (const { at } of others) {
      // By then everything before this time has been fired.
      await scene.clock.leap(Date.parse(at) - 1 - scene.clock.now());
      await expect.poll(async () => (await scene.max.readCue(cue.id)).next_run).toBe(at);
    }
    const times = [first, ...others].slice(0, -1).map((run) => run?.at);
    expect((await scene.max.runs(cue.id)).map(({ scheduled_for: at }) => at)).toEqual(times);
    await scene.max.patchCue(cue.id, { status: 'paused' });
  });
});
