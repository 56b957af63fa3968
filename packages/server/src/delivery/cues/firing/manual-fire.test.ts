import { describe, expect, test } from 'vitest';
import { describeEachServer } from '../../../testing/each-server.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const MINUTE = 60_000;
const YEARLY = { type: 'recurring', cron: '@yearly' };

describeEachServer('cues › fired by hand', (start) => {
  const scene = new CueScene(start);
  const made = (more: object = {}) =>
    scene.max.cue({ schedule: YEARLY, payload: { a: 1, b: { c: 1 } }, ...more });
  const payloadOf = async (id: string, fire: object) => {
    const { execution_id: run } = await scene.max.fire(id, fire);
    return (await scene.max.execution(run)).payload;
  };

  test('with its payload, one merged over it, or another', async () => {
    const { id } = await made();
    const payload_override = { b: 2, d: 3 };
    expect(await payloadOf(id, {})).toEqual({ a: 1, b: { c: 1 } });
    expect(await payloadOf(id, { payload_override })).toEqual({ a: 1, b: 2, d: 3 });
    expect(await payloadOf(id, { payload_override, merge_strategy: 'replace' })).toEqual(payload_override);
    expect(await scene.max.readCue(id)).toMatchObject({
      fired_count: 3,
      execution_total: 3,
      payload: { a: 1 },
    });
  });

  test('what the cue asks of a fire', async () => {
    const strict = await made({ require_payload_override: true, required_payload_keys: ['a', 'z'] });
    const refusals = [
      [{}, 400, 'payload_override_required'],
      [{ payload_override: { y: 1 } }, 400, 'missing_required_payload_keys'],
      [{ payload_override: { z: 1 }, merge_strategy: 'replace' }, 400, 'missing_required_payload_keys'],
      [{ payload_override: [] }, 422, 'validation_error'],
      [{ merge_strategy: 'deep' }, 422, 'validation_error'],
      [{ send_at: 'soon' }, 422, 'validation_error'],
      [{ exit_criteria: Array.from({ length: 21 }, (_, at) => `k${at}`) }, 422, 'validation_error'],
      [{ idempotency_key: 'x'.repeat(257) }, 422, 'validation_error'],
      [{ delivery_mode: 'pigeon' }, 422, 'validation_error'],
      [{ payload_override: { z: '\0' } }, 400, 'invalid_payload'],
    ] as const;
    for (const [body, status, code] of refusals) {
      const answer = await scene.max.tryFire(strict.id, body);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    }
    await scene.max.fire(strict.id, { payload_override: { z: 1 }, nonsense: 1 });
  });

  test('no larger than a payload may be, the cue’s own and the one laid over it together', async () => {
    const large = 'x'.repeat(600_000);
    const { id } = await made({ payload: { own: large } });
    const together = await scene.max.tryFire(id, { payload_override: { more: large } });
    expect([together.status, together.body.error.code]).toEqual([400, 'invalid_payload_size']);
    await scene.max.fire(id, { payload_override: { more: large }, merge_strategy: 'replace' });
  });

  test('also while it is paused, and not when it is over', async () => {
    const { id } = await made();
    await scene.max.patchCue(id, { status: 'paused' });
    await scene.max.fire(id);
    const at = new Date(scene.clock.now() + MINUTE).toISOString();
    const once = await scene.max.cue({ schedule: { type: 'once', at } });
    await scene.later(MINUTE);
    const [run] = await scene.runsOf(once, 1);
    await scene.max.claim(run?.id ?? '');
    await scene.max.outcome(run?.id ?? '', { success: true });
    expect((await scene.max.tryFire(once.id)).status).toBe(409);
  });

  test('at a time: not claimable before, and both clocks run from there', async () => {
    const { id } = await made({ payload: { task: 'later' } });
    const sendAt = new Date(scene.clock.now() + 60 * MINUTE).toISOString();
    const fired = await scene.max.fire(id, { send_at: sendAt });
    expect(fired).toMatchObject({ scheduled_for: sendAt, status: 'pending', effective_delivery_mode: null });
    expect(await scene.max.claimable({ task: 'later' })).toEqual([]);
    expect((await scene.max.claim(fired.id)).status).toBe(409);
    await scene.clock.leap(60 * MINUTE);
    await expect.poll(async () => (await scene.max.claimable({ task: 'later' })).length).toBe(1);
    await scene.clock.leap(15 * MINUTE);
    await expect
      .poll(() => scene.max.execution(fired.id))
      .toMatchObject({
        status: 'missed',
        error_message: 'No worker claimed this execution within timeout window',
      });
    const past = await scene.max.fire(id, { send_at: '2020-01-01T00:00:00Z' });
    expect(past.effective_delivery_mode).toBe('bg');
  });

  describe('with a key', () => {
    test('a repeat is the first, another body is a conflict, and a day later the key is free', async () => {
      const { id } = await made();
      const fire = { idempotency_key: 'k', payload_override: { n: 1 } };
      const first = await scene.max.fire(id, fire);
      expect(await scene.max.fire(id, fire)).toMatchObject({ id: first.id });
      const other = await scene.max.tryFire(id, { ...fire, payload_override: { n: 2 } });
      expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_key_conflict']);
      expect((await scene.max.readCue(id)).fired_count).toBe(1);
      const second = await made();
      expect((await scene.max.fire(second.id, fire)).id).not.toBe(first.id);
      await scene.clock.leap(24 * 60 * MINUTE);
      expect((await scene.max.fire(id, fire)).id).not.toBe(first.id);
    });

    test('of many at once one is stored', async () => {
      const { id } = await made();
      const fires = await Promise.all(
        Array.from({ length: 20 }, () => scene.max.fire(id, { idempotency_key: 'race' })),
      );
      expect(new Set(fires.map((fire) => fire.id)).size).toBe(1);
      expect((await scene.max.readCue(id)).execution_total).toBe(1);
    });
  });

  test('again, with the payload and the proof it had', async () => {
    const { id } = await made({ verification: { mode: 'require_external_id' } });
    const { execution_id: run } = await scene.max.fire(id, { payload_override: { n: 7 } });
    const replay = (of: string) =>
      scene.max.call<{ id: string; error: { code: string } }>('POST', `/v1/executions/${of}/replay`);
    const early = await replay(run);
    expect([early.status, early.body.error.code]).toEqual([409, 'execution_in_flight']);
    await scene.max.claim(run);
    await scene.max.outcome(run, { success: false, error: 'no' });
    const { status, body } = await replay(run);
    expect(status).toBe(200);
    expect(body).toMatchObject({ cue_id: id, status: 'pending', triggered_by: 'replay', replayed_from: run });
    expect(await scene.max.execution(body.id)).toMatchObject({ payload: { a: 1, n: 7 }, source: 'cue' });
    await scene.max.claim(body.id);
    const outcome = await scene.max.outcome(body.id, { success: true });
    expect(outcome.body.outcome_state).toBe('verification_failed');
  });

  test('times that have passed are filled in once each', async () => {
    const cue = await scene.max.cue({ schedule: { type: 'recurring', cron: '0 9 * * *' } });
    const now = scene.clock.now();
    const fill = (body: object) =>
      scene.max.call<{ runs: { at: string; execution_id: string | null; existed: boolean }[] }>(
        'POST',
        `/v1/cues/${cue.id}/backfill`,
        { body },
      );
    const span = { from: new Date(now - 3 * 86_400_000).toISOString(), to: new Date(now).toISOString() };
    const dry = await fill({ ...span, dry_run: true });
    expect(dry.body.runs).toHaveLength(3);
    expect(await scene.max.runs(cue.id)).toEqual([]);
    const done = await fill(span);
    expect(done.body.runs.every(({ execution_id: id, existed }) => id !== null && !existed)).toBe(true);
    const again = await fill(span);
    expect(again.body.runs.map(({ existed }) => existed)).toEqual([true, true, true]);
    expect(await scene.max.readCue(cue.id)).toMatchObject({ fired_count: 3, execution_total: 3 });
    expect((await fill({ from: span.to, to: span.from })).status).toBe(422);
    expect((await fill({ from: '2000-01-01T00:00:00Z', to: span.to })).status).toBe(422);
  });

  test('executions of cues are listed by cue and source', async () => {
    const { id } = await made();
    const { execution_id: run } = await scene.max.fire(id);
    const { executions, total } = await scene.max.executions({ cue_id: id, source: 'cue' });
    expect([total, executions.map((each) => each.id)]).toEqual([1, [run]]);
    expect((await scene.max.executions({ cue_id: id, source: 'message' })).total).toBe(0);
    expect((await scene.max.executions({ cue_id: id, triggered_by: 'manual_fire' })).total).toBe(1);
  });
});
