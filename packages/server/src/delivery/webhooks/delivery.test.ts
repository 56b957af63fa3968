import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { systemRandom } from '../../platform/ids.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { signedJson, type Json } from '../../wire/delivery/signed-json.ts';
import { START, webhookScenes } from './testing/scene.ts';

const hmac = (secret: string, timestamp: unknown, body: string): string =>
  `v1=${createHmac('sha256', secret)
    .update(`${String(timestamp)}.${body}`)
    .digest('hex')}`;

interface Attempts {
  attempts: { attempt: number; at: string; status: number | null; error_type: string | null }[];
}

describeEachServer('delivery › webhooks', (start) => {
  const scene = webhookScenes(start);

  test('carry a message, signed in both ways', async () => {
    const { sink, owner, agent, send, settled } = await scene();
    const sent = await send({
      subject: 'Tide é',
      body: 'a\u2028b 😀 \u007f',
      metadata: { zz: 1e-7, a: [0.00001, 1e21, -0], é: { b: true, a: null } },
      correlation_id: 'c1',
      priority: 2,
      expects_reply: true,
    });
    expect(sent).toMatchObject({ effective_delivery_mode: 'webhook', delivery_route: 'webhook_direct' });
    const { headers, text, body } = await sink.nth(1);
    expect(body).toEqual({
      id: sent.id,
      from: { agent_id: agent.id, slug: sent.from.slug },
      to: { agent_id: agent.id, slug: sent.to },
      thread_id: sent.thread_id,
      reply_to: null,
      subject: 'Tide é',
      body: 'a\u2028b 😀 \u007f',
      priority: 2,
      expects_reply: true,
      reply_to_agent_id: null,
      metadata: { zz: 1e-7, a: [0.00001, 1e21, 0], é: { b: true, a: null } },
      correlation_id: 'c1',
      created_at: sent.created_at,
      execution_id: sent.execution_id,
      delivery_mode: 'webhook',
      delivery_route: 'webhook_direct',
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'CueAPI/1.0 (Parley)',
      'x-cueapi-timestamp': String(START / 1000),
      'x-cueapi-event-type': 'message.created',
      'x-cueapi-message-id': sent.id,
      'x-cueapi-agent-id': agent.id,
      'x-cueapi-thread-id': sent.thread_id,
      'x-cueapi-attempt': '1',
    });
    expect(headers['x-cueapi-delivery-id']).toBe(headers['webhook-id']);
    const secret = agent.webhook_secret ?? '';
    // Over the bytes as they came, and over what a parser makes of them and writes again.
    expect(headers['x-cueapi-signature']).toBe(hmac(secret, START / 1000, text));
    expect(text).toBe(signedJson(JSON.parse(text) as Json));
    expect(headers['x-cueapi-signature-previous']).toBeUndefined();
    const expected = new Webhook(secret).sign(String(headers['webhook-id']), new Date(START), text);
    expect(headers['webhook-signature']).toBe(expected);

    const delivered = await settled(sent.id, 'delivered');
    expect(delivered).toMatchObject({ proven_stage: 'delivered', delivered_at: '2026-06-01T09:00:00.000Z' });
    const execution = await owner.execution(sent.execution_id);
    expect(execution).toMatchObject({ status: 'success', http_status: 204, attempts: 1, outcome: null });
    expect(execution.routing_trace.at(-1)).toMatchObject({ step: 'push', result: 'delivered' });
  });

  test('are repeated by the schedule, under the same delivery id, and given up after the fourth', async () => {
    const { sink, clock, owner, send, settled } = await scene();
    sink.answer = () => ({ status: 500, text: 'x'.repeat(5000) });
    const { id, execution_id: executionId } = await send();
    for (const [at, minutes] of [1, 5, 15].entries()) {
      await sink.count(at + 1);
      const waiting = await settled(id, 'retry_ready');
      expect(waiting).toMatchObject({
        proven_stage: 'offered',
        proven_stage_reason: 'webhook_retry_scheduled',
      });
      const { status, next_retry: next } = await owner.execution(executionId);
      expect({ status, wait: Date.parse(next ?? '') - clock.now() }).toEqual({
        status: 'retrying',
        wait: minutes * 60_000,
      });
      await clock.advance(minutes * 60_000 - 1);
      expect(sink.received).toHaveLength(at + 1);
      await clock.advance(1);
    }
    await sink.count(4);
    const failed = await settled(id, 'failed');
    expect(failed).toMatchObject({
      message_dispatch_error: 'server_error',
      proven_stage_reason: 'push_failed',
    });
    const execution = await owner.execution(executionId);
    expect(execution).toMatchObject({
      status: 'failed',
      attempts: 4,
      error_message: 'server_error',
      http_status: 500,
    });
    expect(execution.response_body).toHaveLength(2000);
    await clock.leap(24 * 3_600_000);
    expect(sink.received).toHaveLength(4);
    expect(new Set(sink.received.map(({ headers }) => headers['x-cueapi-delivery-id'])).size).toBe(1);
    expect(new Set(sink.received.map(({ headers }) => headers['x-cueapi-timestamp'])).size).toBe(4);
    expect(sink.received.map(({ headers }) => headers['x-cueapi-attempt'])).toEqual(['1', '2', '3', '4']);
    const { body } = await owner.call<Attempts>('GET', `/v1/executions/${executionId}/attempts`);
    expect(body.attempts.map(({ attempt, status, error_type: error }) => [attempt, status, error])).toEqual(
      [1, 2, 3, 4].map((attempt) => [attempt, 500, 'server_error']),
    );
    // Failed to be pushed, but not lost.
    expect((await owner.inbox('sink')).messages.map((message) => message.id)).toContain(id);
  });

  test.each([
    [401, 'auth_failed'],
    [404, 'endpoint_missing'],
    [405, 'method_not_allowed'],
    [400, 'client_error'],
    [302, 'client_error'],
  ])('end at once with %i (%s)', async (status, error) => {
    const { sink, clock, send, settled } = await scene();
    sink.answer = () => ({ status, headers: { location: sink.url('/elsewhere') } });
    const { id } = await send();
    expect(await settled(id, 'failed')).toMatchObject({ message_dispatch_error: error });
    await clock.leap(3_600_000);
    expect(sink.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  test.each([
    ['seconds', '120', 120_000],
    ['a date', new Date(START + 600_000).toUTCString(), 600_000],
    ['zero', '0', 60_000],
    ['more than a day', '999999', 24 * 3_600_000],
    ['nonsense', 'soon', 60_000],
  ])('wait as long as Retry-After asks: %s', async (_, value, wait) => {
    const { sink, owner, send, settled } = await scene();
    sink.answer = () => ({ status: 429, headers: { 'retry-after': value } });
    const { id, execution_id: executionId } = await send();
    await settled(id, 'retry_ready');
    const { next_retry: next, error_message: error } = await owner.execution(executionId);
    expect([Date.parse(next ?? '') - START, error]).toEqual([wait, 'rate_limited']);
  });

  test('are cut off after the timeout and after a reset, and tried again', async () => {
    const { sink, clock, owner, send, settled } = await scene();
    sink.answer = (_, before) => (before === 0 ? 'never' : before === 1 ? 'hang up' : 200);
    const { id, execution_id: executionId } = await send();
    await sink.count(1);
    expect(await owner.message(id)).toMatchObject({
      state: 'delivering',
      proven_stage_reason: 'webhook_attempt_running',
    });
    await clock.advance(30_000);
    await settled(id, 'retry_ready');
    expect(await owner.execution(executionId)).toMatchObject({ error_message: 'timeout' });
    await clock.advance(60_000);
    await sink.count(2);
    await settled(id, 'retry_ready');
    expect(await owner.execution(executionId)).toMatchObject({ error_message: 'network' });
    await clock.advance(300_000);
    await settled(id, 'delivered');
    expect(await owner.execution(executionId)).toMatchObject({ status: 'success', error_message: null });
  });

  test('are spread by a tenth around the schedule', async () => {
    const { sink, owner, send, settled } = await scene({ random: { ...systemRandom, unit: () => 0 } });
    sink.answer = () => 503;
    const { id, execution_id: executionId } = await send();
    await settled(id, 'retry_ready');
    const { next_retry: next } = await owner.execution(executionId);
    expect(Date.parse(next ?? '') - START).toBe(54_000);
  });

  test('are signed with the secret of now, and with the one before during the overlap', async () => {
    const { sink, clock, owner, agent, send, settled } = await scene();
    sink.answer = (_, before) => (before === 0 ? 500 : 200);
    const { id } = await send();
    await settled(id, 'retry_ready');
    const rotate = async (overlap: number): Promise<string> => {
      const { body } = await owner.call<{ webhook_secret: string }>(
        'POST',
        '/v1/agents/sink/webhook-secret/regenerate',
        { body: { overlap_seconds: overlap }, headers: { 'x-confirm-destructive': 'true' } },
      );
      return body.webhook_secret;
    };
    const second = await rotate(3600);
    await clock.advance(60_000);
    const { headers, text } = await sink.nth(2);
    await settled(id, 'delivered');
    const timestamp = headers['x-cueapi-timestamp'];
    expect(headers['x-cueapi-signature']).toBe(hmac(second, timestamp, text));
    expect(headers['x-cueapi-signature-previous']).toBe(hmac(agent.webhook_secret ?? '', timestamp, text));
    const standard = { 'webhook-id': String(headers['webhook-id']), 'webhook-timestamp': String(timestamp) };
    for (const [at, secret] of [second, agent.webhook_secret ?? ''].entries()) {
      const signature = String(headers['webhook-signature']).split(' ')[at];
      const expected = new Webhook(secret).sign(
        standard['webhook-id'],
        new Date(Number(timestamp) * 1000),
        text,
      );
      expect(signature).toBe(expected);
    }
    await clock.leap(3_600_000);
    await settled((await send()).id, 'delivered');
    const third = await rotate(0);
    await settled((await send()).id, 'delivered');
    for (const [at, secret] of [second, third].entries()) {
      const last = sink.received[2 + at];
      expect(last?.headers['x-cueapi-signature-previous']).toBeUndefined();
      expect(last?.headers['x-cueapi-signature']).toBe(
        hmac(secret, last?.headers['x-cueapi-timestamp'], last?.text ?? ''),
      );
    }
  });
});
