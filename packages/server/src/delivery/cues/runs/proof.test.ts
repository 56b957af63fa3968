import type { ExecutionAnswer } from '@parley/protocol/delivery/types';
import { VERIFICATION_MODES, type VerificationMode } from '@parley/protocol/delivery/vocabulary';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../../testing/each-server.ts';
import { type SinkAnswer, WebhookSink } from '../../../testing/webhook-sink.ts';
import { CueScene } from '../../testing/cue-scene.ts';

const MINUTE = 60_000;

/** What each mode wants to see, written down by hand. */
const WANTED: Readonly<Record<VerificationMode, string | null>> = {
  none: null,
  require_external_id: 'external_id',
  require_result_url: 'result_url',
  require_artifacts: 'artifacts',
  manual: null,
};

const EVIDENCE: Readonly<Record<string, unknown>> = {
  external_id: 'ext-1',
  result_url: 'https://example.com/1',
  artifacts: [{ name: 'a' }],
};

function expected(mode: VerificationMode, shown: string, success: boolean): string {
  if (!success) return 'reported_failure';
  if (mode === 'none') return 'reported_success';
  if (mode === 'manual') return 'verification_pending';
  return WANTED[mode] === shown ? 'verified_success' : 'verification_failed';
}

describeEachServer('cues › proof', (start) => {
  let sink: WebhookSink;
  let answer: SinkAnswer = 204;
  beforeAll(async () => {
    sink = await new WebhookSink().listen();
    sink.answer = () => answer;
  });
  afterAll(() => sink.close());
  const scene = new CueScene(start, { callbackAllow: ['127.0.0.1'] });

  const ran = async (cue: object, fire: object = {}): Promise<string> => {
    const { id } = await scene.max.cue({ schedule: { type: 'recurring', cron: '@yearly' }, ...cue });
    const { execution_id: run } = await scene.max.fire(id, fire);
    await scene.max.claim(run);
    return run;
  };

  const report = async (run: string, assertions: object) =>
    (await scene.max.outcome(run, { success: true, assertions })).body.outcome_state;

  const posted = async (
    cue: object,
    said: SinkAnswer,
    status: ExecutionAnswer['status'],
  ): Promise<ExecutionAnswer> => {
    answer = said;
    const callback = { url: sink.url() };
    const { id } = await scene.max.cue({
      schedule: { type: 'recurring', cron: '@yearly' },
      transport: 'webhook',
      callback,
      ...cue,
    });
    await scene.max.fire(id);
    return await scene.runIn({ id }, status);
  };

  test('every mode with every evidence, on success and failure', async () => {
    for (const mode of VERIFICATION_MODES) {
      const cue = { verification: { mode } };
      for (const shown of ['nothing', ...Object.keys(EVIDENCE)]) {
        for (const success of [true, false]) {
          const run = await ran(cue);
          const evidence = shown === 'nothing' ? {} : { [shown]: EVIDENCE[shown] };
          const { body } = await scene.max.outcome(run, { success, ...evidence });
          const told = { mode, shown, success, state: body.outcome_state };
          expect(told).toEqual({ mode, shown, success, state: expected(mode, shown, success) });
          expect(await scene.max.execution(run)).toMatchObject({
            status: success ? 'success' : 'failed',
            outcome_state: body.outcome_state,
          });
        }
      }
    }
  });

  test('evidence that arrives later runs the policy again', async () => {
    const run = await ran({ verification: { mode: 'require_external_id' } });
    expect((await scene.max.outcome(run, { success: true })).body).toMatchObject({
      outcome_state: 'verification_failed',
      reason: 'missing evidence: external_id',
    });
    const { body } = await scene.max.call('PATCH', `/v1/executions/${run}/evidence`, {
      body: { external_id: 'x' },
    });
    expect(body).toMatchObject({ outcome_state: 'verified_success' });
  });

  test('assertions are asked for by the cue, by the fire, or by neither', async () => {
    const verification = { mode: 'none', required_assertions: ['tested'] };
    expect(await report(await ran({ verification }), {})).toBe('verification_failed');
    expect(await report(await ran({ verification }), { tested: false })).toBe('reported_success');
    expect(await report(await ran({ verification }, { exit_criteria: ['built'] }), { tested: 1 })).toBe(
      'verification_failed',
    );
    expect(await report(await ran({ verification }, { exit_criteria: [] }), {})).toBe('reported_success');
    expect(await report(await ran({}, { exit_criteria: ['built'] }), { built: 1 })).toBe('reported_success');
  });

  describe('of a callback', () => {
    test('the answer may be the outcome', async () => {
      const text = JSON.stringify({ success: true, external_id: 'e' });
      const run = await posted(
        { verification: { mode: 'require_external_id' } },
        { status: 200, text },
        'success',
      );
      expect(run).toMatchObject({
        outcome_state: 'verified_success',
        outcome: { recorded_by: 'response', external_id: 'e' },
      });
    });

    test('a failure in it leaves the delivery a success', async () => {
      const text = JSON.stringify({ success: false, error: 'no' });
      const run = await posted({ delivery: {} }, { status: 200, text }, 'success');
      expect(run).toMatchObject({ outcome_success: false, outcome_state: 'reported_failure' });
    });

    test('without one the outcome may follow at any time', async () => {
      const run = await posted({}, 204, 'success');
      expect(run).toMatchObject({ outcome: null, outcome_state: null });
      await scene.clock.leap(1000 * MINUTE);
      await scene.max.outcome(run.id, { success: false, error: 'x' });
      expect(await scene.max.execution(run.id)).toMatchObject({
        status: 'success',
        outcome_state: 'reported_failure',
      });
    });

    test('in two phases it is awaited, and silence is told as that', async () => {
      const cue = { delivery: { outcome_deadline_seconds: 60 } };
      const told = await posted(cue, 204, 'pending_outcome');
      const silent = await posted(cue, { status: 200, text: 'thanks' }, 'pending_outcome');
      await scene.max.outcome(told.id, { success: true });
      expect((await scene.max.execution(told.id)).status).toBe('success');
      await scene.later(59_999);
      expect((await scene.max.execution(silent.id)).status).toBe('pending_outcome');
      await scene.later(1);
      const over = { status: 'outcome_timeout', outcome_state: 'unknown', outcome: null };
      await expect.poll(() => scene.max.execution(silent.id)).toMatchObject(over);
      expect((await scene.max.execution(told.id)).status).toBe('success');
      // Whoever was late did the work all the same.
      expect((await scene.max.outcome(silent.id, { success: true })).status).toBe(200);
      expect(await scene.max.execution(silent.id)).toMatchObject({
        status: 'success',
        outcome_state: 'reported_success',
      });
    });

    test('every failure is tried again, by the schedule of the cue', async () => {
      const retry = { max_attempts: 3, backoff_minutes: [1, 2] };
      const first = await posted({ retry }, 404, 'retrying');
      expect(first).toMatchObject({
        attempts: 1,
        http_status: 404,
        next_retry: new Date(scene.clock.now() + MINUTE).toISOString(),
      });
      await scene.later(MINUTE);
      await expect
        .poll(() => scene.max.execution(first.id))
        .toMatchObject({ status: 'retrying', attempts: 2 });
      await scene.later(2 * MINUTE);
      await expect
        .poll(() => scene.max.execution(first.id))
        .toMatchObject({
          status: 'failed',
          attempts: 3,
          error_message: 'endpoint_missing',
        });
      expect(await scene.max.readCue(first.cue_id)).toMatchObject({ run_count: 3, fired_count: 1 });
    });

    test('it is signed with the secret of the owner, and custom headers replace nothing', async () => {
      const headers = {
        'X-Mine': 'a',
        'x-cueapi-signature': 'forged',
        Host: 'evil',
        'Content-Type': 'text/x',
      };
      const callback = { url: sink.url(), method: 'PUT', headers };
      const run = await posted({ callback }, 204, 'success');
      const hook = sink.received.find(({ body }) => body.execution_id === run.id);
      expect(hook?.headers).toMatchObject({
        'x-mine': 'a',
        'content-type': 'application/json',
        'x-cueapi-cue-id': run.cue_id,
        'x-cueapi-execution-id': run.id,
        'x-cueapi-attempt': '1',
        'x-cueapi-scheduled-for': run.scheduled_for,
      });
      expect(hook?.headers.host).not.toBe('evil');
      const secret = await scene.max.call<{ webhook_secret: string }>('GET', '/v1/auth/webhook-secret');
      const signed = createHmac('sha256', secret.body.webhook_secret)
        .update(`${String(hook?.headers['x-cueapi-timestamp'])}.${hook?.text}`)
        .digest('hex');
      expect(hook?.headers['x-cueapi-signature']).toBe(`v1=${signed}`);
    });
  });
});
