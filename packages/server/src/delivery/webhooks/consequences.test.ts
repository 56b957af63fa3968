import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { webhookScenes } from './testing/scene.ts';

describeEachServer('delivery › webhooks › consequences', (start) => {
  const scene = webhookScenes(start);

  test('take what the endpoint answers as the outcome when it says so', async () => {
    const { sink, owner, send, settled } = await scene();
    sink.answer = (_, before) => ({
      status: 200,
      text: JSON.stringify(
        before === 0 ? { success: true, result: 'done' } : { success: false, error: 'no tide' },
      ),
    });
    const good = await send();
    await settled(good.id, 'acked');
    expect(await owner.execution(good.execution_id)).toMatchObject({
      status: 'success',
      outcome_state: 'reported_success',
      outcome: { success: true, result: 'done', recorded_by: 'response' },
    });
    const bad = await send();
    expect(await settled(bad.id, 'failed')).toMatchObject({ message_dispatch_error: 'no tide' });
    expect(await owner.execution(bad.execution_id)).toMatchObject({
      status: 'success',
      outcome: { success: false, recorded_by: 'response' },
    });
  });

  test('are not sent any more once the recipient has the message or the agent is gone', async () => {
    const { sink, clock, owner, send, settled } = await scene();
    sink.answer = () => 503;
    const read = await send();
    const polled = await send();
    await owner.create({ slug: 'gone', webhook_url: sink.url() });
    const orphan = await owner.send('gone', { from: 'sink', delivery_mode: 'webhook' });
    for (const { id } of [read, polled, orphan]) await settled(id, 'retry_ready');
    await owner.mark(read.id, 'read');
    await owner.call('DELETE', '/v1/agents/gone', { headers: { 'x-confirm-destructive': 'true' } });
    expect(await owner.message(orphan.id)).toMatchObject({
      state: 'failed',
      message_dispatch_error: 'agent_deleted',
    });
    await owner.inbox('sink', { state: 'retry_ready' });
    expect(await owner.message(polled.id)).toMatchObject({
      state: 'delivered',
      delivery_route: 'inbox_direct',
    });
    await clock.leap(3_600_000);
    expect(sink.received).toHaveLength(3);
    const left = await owner.call('GET', '/v1/executions', { query: { status: 'retrying' } });
    expect(left.body).toMatchObject({ total: 0 });
  });

  test('are not taken over by a session while one is under way, but once it has failed', async () => {
    const { sink, clock, owner, send, settled } = await scene();
    const held: ((status: number) => void)[] = [];
    sink.answer = () => new Promise<number>((resolve) => held.push(resolve));
    await owner.attach('sink', { session_token: 'A' });
    const { id, execution_id: executionId } = await send();
    await sink.count(1);
    const claim = () => owner.liveClaim(executionId, { session_token: 'A' });
    expect(await claim()).toMatchObject({
      status: 409,
      body: { error: { code: 'live_claim_window_closed' } },
    });
    held[0]?.(503);
    await settled(id, 'retry_ready');
    expect(await claim()).toMatchObject({ status: 200, body: { attested: true } });
    await settled(id, 'claimed');
    await clock.advance(120_000);
    expect(sink.received).toHaveLength(1);
  });

  test('of a message read during the attempt are not repeated', async () => {
    const { sink, clock, owner, send } = await scene();
    const held: ((status: number) => void)[] = [];
    sink.answer = () => new Promise<number>((resolve) => held.push(resolve));
    const { id, execution_id: executionId } = await send();
    await sink.count(1);
    await owner.mark(id, 'read');
    held[0]?.(500);
    await expect.poll(async () => (await owner.execution(executionId)).status).toBe('success');
    const closed = await owner.execution(executionId);
    expect(closed).toMatchObject({ delivery_route: 'inbox_direct', http_status: 500 });
    expect(closed.routing_trace.at(-1)).toMatchObject({ step: 'recipient', result: 'read' });
    await clock.leap(3_600_000);
    expect(sink.received).toHaveLength(1);
  });

  test('to an endpoint that was taken away end as missing', async () => {
    const { sink, clock, owner, send, settled } = await scene();
    sink.answer = () => 503;
    const { id } = await send();
    await settled(id, 'retry_ready');
    await owner.patch('sink', { webhook_url: null });
    await clock.advance(60_000);
    expect(await settled(id, 'failed')).toMatchObject({ message_dispatch_error: 'endpoint_missing' });
    expect(sink.received).toHaveLength(1);
  });
});
