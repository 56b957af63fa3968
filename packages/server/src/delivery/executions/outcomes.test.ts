import { MAX_EVIDENCE_BYTES } from '@parley/protocol/delivery/limits';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tally } from '../../identity/testing/people.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { MessageClient } from '../testing/message-client.ts';

describeEachServer('execution › outcome', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: MessageClient;
  let sent: MessageAnswer;
  let id: string;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    max = await MessageClient.register(server);
    await max.create({ slug: 'hand', delivery_capabilities: ['bg', 'inbox'] });
  });

  beforeEach(async () => {
    sent = await max.send('hand');
    id = sent.execution_id;
  });

  const patchEvidence = (body: object) => max.call('PATCH', `/v1/executions/${id}/evidence`, { body });
  const verify = (body?: object) => max.call('POST', `/v1/executions/${id}/verify`, body && { body });
  const replay = () => max.call('POST', `/v1/executions/${id}/replay`);
  const markPending = () => max.call('POST', `/v1/executions/${id}/verification-pending`);

  test('is stored with its evidence, once', async () => {
    await max.claim(id);
    const report = {
      success: true,
      result: 'done',
      metadata: { tokens: 12 },
      external_id: 'ext-1',
      result_url: 'https://example.com/r',
      result_ref: 'ref',
      result_type: 'pr',
      summary: 'opened',
      artifacts: [{ name: 'a' }],
      assertions: { tested: true },
      ignored: 'field',
    };
    expect((await max.outcome(id, report)).body).toEqual({
      execution_id: id,
      outcome_recorded: true,
      outcome_state: 'reported_success',
      executed_via: 'background',
      delivery_route: 'background_direct',
      reason: null,
    });
    const { ignored: _, ...kept } = report;
    expect(await max.execution(id)).toMatchObject({
      status: 'success',
      outcome_success: true,
      outcome_state: 'reported_success',
      evidence_external_id: 'ext-1',
      evidence_artifacts: [{ name: 'a' }],
      outcome: { ...kept, recorded_by: 'handler', validation_state: 'reported_success' },
    });
    expect(await max.outcome(id, { success: false })).toMatchObject({
      status: 409,
      body: { error: { code: 'outcome_already_recorded' } },
    });
  });

  test('twenty reports at once: one is stored', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => max.outcome(id, { success: true, result: String(n) })),
    );
    expect(tally(answers)).toEqual({ 200: 1, 409: 19 });
    const winner = answers.findIndex(({ status }) => status === 200);
    expect((await max.execution(id)).outcome?.result).toBe(String(winner));
  });

  test('a success acks the message, a failure fails it and says why', async () => {
    await max.outcome(id, { success: true });
    expect(await max.message(sent.id)).toMatchObject({ state: 'acked', proven_stage: 'acked' });
    const other = await max.send('hand');
    await max.claim(other.execution_id);
    await max.outcome(other.execution_id, { success: false, error: 'disk full' });
    expect(await max.execution(other.execution_id)).toMatchObject({
      status: 'failed',
      outcome_state: 'reported_failure',
      error_message: 'disk full',
    });
    expect(await max.message(other.id)).toMatchObject({
      state: 'failed',
      message_dispatch_error: 'disk full',
      proven_stage: 'claimed',
      proven_stage_reason: 'handler_failed',
    });
    expect((await max.inbox('hand', { state: 'failed' })).messages[0]?.state).toBe('failed');
    expect((await max.mark(other.id, 'ack')).body.delivery_state).toBe('acked');
  });

  test.each([
    [{ success: true, executed_via: 'live' }, 'live_unverified', 'live_unverified'],
    [{ success: true, metadata: { executed_via: 'live' } }, 'live_unverified', 'live_unverified'],
    [
      { success: true, executed_via: 'cron', metadata: { executed_via: 'live' } },
      'cron',
      'background_direct',
    ],
    [{ success: true, delivery_route: 'live' }, 'background', 'background_direct'],
    [{ success: true, delivery_route: 'background_fallback' }, 'background', 'background_fallback'],
  ])('%j is stored as %s by %s', async (report, executedVia, route) => {
    const { body } = await max.outcome(id, report);
    expect([body.executed_via, body.delivery_route]).toEqual([executedVia, route]);
  });

  test.each([
    [{}, 422, 'validation_error'],
    [{ success: 'yes' }, 422, 'validation_error'],
    [{ success: true, delivery_route: 'pigeon' }, 422, 'validation_error'],
    [{ success: true, result: 'x'.repeat(2001) }, 422, 'validation_error'],
    [{ success: true, result_url: 'not a url' }, 422, 'validation_error'],
    [{ success: true, executed_via: 'x'.repeat(51) }, 422, 'validation_error'],
    [{ success: true, metadata: { m: 'x'.repeat(10_240) } }, 400, 'metadata_too_large'],
  ])('refuses %j', async (report, status, code) => {
    const answer = await max.outcome(id, report);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });

  test('takes as much evidence as lists of executions can show, and no more', async () => {
    const artifacts = ['x'.repeat(MAX_EVIDENCE_BYTES - '[""]'.length)];
    const assertions = { a: 'x'.repeat(MAX_EVIDENCE_BYTES - '{"a":""}'.length) };
    const refusal = [422, 'validation_error'];
    const refused = async (more: object) => {
      const { status, body } = await max.outcome(id, { success: true, ...more });
      return [status, body.error.code];
    };
    expect(await refused({ artifacts: [`${artifacts[0]}x`] })).toEqual(refusal);
    expect(await refused({ assertions: { a: `${assertions.a}x` } })).toEqual(refusal);
    expect((await max.outcome(id, { success: true, artifacts, assertions })).status).toBe(200);
    expect((await patchEvidence({ artifacts })).status).toBe(200);
    const { status, body } = await patchEvidence({ artifacts: [...artifacts, 1] });
    expect([status, body.error.code]).toEqual(refusal);
  });

  test('may come in any state that has none: late, after the push was missed', async () => {
    await clock.advance(900_000);
    await expect.poll(() => max.execution(id)).toMatchObject({ status: 'missed' });
    expect((await max.outcome(id, { success: true })).status).toBe(200);
    expect(await max.message(sent.id)).toMatchObject({ state: 'acked' });
  });

  describe('verification', () => {
    test('needs an outcome; without one there is also no state to verify', async () => {
      for (const answer of [await markPending(), await patchEvidence({ external_id: 'x' })]) {
        expect([answer.status, answer.body.error.code]).toEqual([409, 'no_outcome']);
      }
      const answer = await verify();
      expect([answer.status, answer.body.error.code]).toEqual([409, 'invalid_state']);
    });

    test('confirms or rejects, once, with the reason in the summary', async () => {
      await max.outcome(id, { success: true, summary: 'opened' });
      expect((await markPending()).body).toEqual({ execution_id: id, outcome_state: 'verification_pending' });
      expect((await verify({ valid: false, reason: 'no such PR' })).body).toEqual({
        execution_id: id,
        outcome_state: 'verification_failed',
        valid: false,
        reason: 'no such PR',
      });
      expect((await max.execution(id)).outcome?.summary).toBe('opened no such PR');
      expect(await verify()).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
    });

    test('valid is the default', async () => {
      await max.outcome(id, { success: true });
      expect((await verify()).body).toMatchObject({ outcome_state: 'verified_success', valid: true });
      expect(await markPending()).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
    });

    test('evidence is merged; what was rejected is judged by the policy again', async () => {
      await max.outcome(id, { success: true, external_id: 'one', metadata: { a: 1 } });
      await verify({ valid: false });
      expect(
        (await patchEvidence({ result_url: 'https://example.com', external_id: null, metadata: { b: 2 } }))
          .body,
      ).toEqual({
        execution_id: id,
        outcome_state: 'reported_success',
        evidence_updated: true,
      });
      expect(await max.execution(id)).toMatchObject({
        evidence_external_id: 'one',
        evidence_result_url: 'https://example.com',
        outcome: { metadata: { a: 1, b: 2 }, validation_state: 'reported_success' },
      });
    });
  });

  test.each(['PATCH', 'POST'])('evidence is taken by %s', async (method) => {
    await max.outcome(id, { success: true });
    const add = (body: object) => max.call(method, `/v1/executions/${id}/evidence`, { body });
    expect((await add({ result_ref: method })).body).toMatchObject({ evidence_updated: true });
    expect((await max.execution(id)).evidence_result_ref).toBe(method);
  });

  describe('replay', () => {
    test('is refused while it is under way', async () => {
      expect(await replay()).toMatchObject({ status: 409, body: { error: { code: 'execution_in_flight' } } });
    });

    test('carries the same payload, routed anew, and a failed message travels with it', async () => {
      await max.claim(id);
      await max.outcome(id, { success: false });
      const { body } = await replay();
      const again = String(body.execution_id);
      expect(body).toEqual({
        id: again,
        execution_id: again,
        cue_id: (await max.execution(id)).cue_id,
        scheduled_for: new Date(clock.now()).toISOString(),
        status: 'pending',
        triggered_by: 'replay',
        replayed_from: id,
      });
      expect((await max.execution(again)).payload).toEqual((await max.execution(id)).payload);
      expect(await max.message(sent.id)).toMatchObject({ execution_id: again });
      await max.claim(again);
      await max.outcome(again, { success: true });
      expect(await max.message(sent.id)).toMatchObject({ state: 'acked' });
      expect(await max.execution(id)).toMatchObject({ status: 'failed' });
      expect((await max.executions({ message_id: sent.id })).total).toBe(2);
    });

    test('of a message that is over leaves the message alone', async () => {
      await max.outcome(id, { success: true });
      const { body } = await replay();
      expect(await max.message(sent.id)).toMatchObject({ execution_id: id, state: 'acked' });
      expect((await max.claim(String(body.execution_id))).status).toBe(200);
    });
  });

  describe('list', () => {
    let ann: MessageClient;
    beforeAll(async () => {
      ann = await MessageClient.register(server);
      await ann.create({ slug: 'hand', delivery_capabilities: ['bg', 'inbox'] });
      await ann.create({ slug: 'box' });
      for (let n = 0; n < 3; n++) {
        await clock.advance(1);
        const { execution_id: pushed } = await ann.send('hand');
        if (n < 2) await ann.claim(pushed, `w${n}`);
        if (n === 0) await ann.outcome(pushed, { success: true, external_id: 'e', result_type: 'pr' });
        await ann.send('box');
      }
    });

    test.each([
      [{}, 6],
      [{ status: 'pending' }, 4],
      [{ status__in: 'delivering,success' }, 2],
      [{ agent: 'hand' }, 3],
      [{ source: 'message' }, 6],
      [{ source: 'cue' }, 0],
      [{ worker_id: 'w1' }, 1],
      [{ outcome_state: 'reported_success' }, 1],
      [{ triggered_by: 'message' }, 6],
      [{ result_type: 'pr' }, 1],
      [{ has_evidence: 'true' }, 1],
      [{ has_evidence: 'false' }, 5],
      [{ delivery_route: 'inbox_direct' }, 3],
    ])('filtered by %j there are %i', async (query, total) => {
      const page = await ann.executions(query);
      expect(page.total).toBe(total);
      expect(page.executions).toHaveLength(total);
    });

    test.each([
      { external_id: 'e' },
      { result_url: 'https://example.com' },
      { result_ref: 'r' },
      { result_type: 'pr' },
      { summary: 's' },
      { artifacts: [1] },
    ])('counts %j as evidence', async (evidence) => {
      const bob = await MessageClient.register(server);
      await bob.create({ slug: 'hand', delivery_capabilities: ['bg'] });
      const { execution_id: bare } = await bob.send('hand');
      await bob.outcome(bare, { success: true, result: 'done', metadata: { a: 1 }, assertions: { b: 1 } });
      expect((await bob.executions({ has_evidence: 'true' })).total).toBe(0);
      const { execution_id: proven } = await bob.send('hand');
      await bob.outcome(proven, { success: true, ...evidence });
      expect((await bob.executions({ has_evidence: 'true' })).executions).toMatchObject([{ id: proven }]);
    });

    test('by worker_id holds what that worker has or had, and nobody else', async () => {
      const worked = async (worker: string, by = ann) => {
        const { executions, total } = await by.executions({ worker_id: worker });
        expect(total).toBe(executions.length);
        return executions.map(({ claimed_by_worker: holder, status }) => `${holder} ${status}`);
      };
      expect(await worked('w0')).toEqual(['w0 success']);
      expect(await worked('w1')).toEqual(['w1 delivering']);
      expect(await worked('w')).toEqual([]);
      const bob = await MessageClient.register(server);
      expect(await worked('w1', bob)).toEqual([]);
      await bob.create({ slug: 'app', delivery_capabilities: ['live', 'inbox'] });
      await bob.attach('app', { session_token: 'T' });
      const { execution_id: offered } = await bob.send('app', { delivery_mode: 'live' });
      await bob.liveClaim(offered, { session_token: 'T' });
      expect(await worked('live:main', bob)).toEqual(['live:main delivering']);
      const both = await ann.executions({ worker_id: 'w1', status: 'success' });
      expect(both).toMatchObject({ total: 0, executions: [] });
    });

    test('comes in pages, newest first, with what was claimed longest ago', async () => {
      const page = await ann.executions({ limit: 2 });
      expect(page).toMatchObject({ total: 6, limit: 2, offset: 0, has_more: true });
      const times = page.executions.map((execution) => execution.created_at);
      expect(times).toEqual(times.toSorted().toReversed());
      expect(page.oldest_claimed_at).not.toBeNull();
      expect(await ann.executions({ limit: 2, offset: 4 })).toMatchObject({ has_more: false });
    });

    test.each([
      [{ status: 'pending', status__in: 'pending' }, 400, 'conflicting_filters'],
      [{ status__in: '' }, 400, 'invalid_status_in'],
      [{ status__in: 'pending,odd' }, 400, 'invalid_status_in'],
      [{ status: 'odd' }, 400, 'invalid_status'],
      [{ limit: 101 }, 422, 'validation_error'],
      [{ agent: 'nobody' }, 404, 'agent_not_found'],
    ])('%j is refused', async (query, status, code) => {
      const answer = await ann.call('GET', '/v1/executions', { query });
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    });

    test('an execution has attempts only when somebody posted it', async () => {
      const answer = await max.call('GET', `/v1/executions/${id}/attempts`);
      expect(answer.body).toEqual({ attempts: [] });
    });
  });
});
