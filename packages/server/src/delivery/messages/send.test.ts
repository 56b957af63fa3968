import type { MessageAnswer } from '@parley/protocol/delivery/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { MessageClient } from '../testing/message-client.ts';

const deep = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

/** A millisecond goes by whenever somebody looks. */
class TickingClock extends FakeClock {
  #looks = 0;

  override now(): number {
    return super.now() + this.#looks++;
  }
}

describeEachServer('message › send', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: MessageClient;
  let eve: MessageClient;
  let scoutId: string;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    max = await MessageClient.register(server, 'max@example.com');
    eve = await MessageClient.register(server, 'eve@example.com');
    ({ id: scoutId } = await max.create({ slug: 'scout' }));
    await max.create({ slug: 'relay' });
  });

  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  const refused = async (body: object, headers: Record<string, string> = {}) => {
    const { status, body: answer } = await max.trySend({ to: 'scout', body: 'x', ...body }, headers);
    return [status, answer.error?.code, answer.error?.details?.[0]?.field];
  };

  test('answers with everything that is known about the message', async () => {
    const sent = await max.send(
      'scout@max',
      {
        body: 'Grüße 👋',
        subject: 'hi',
        priority: 4,
        expects_reply: true,
        metadata: { n: [1, { a: null }] },
        correlation_id: 'c-1',
        reply_to_agent: 'relay',
      },
      { 'X-Cueapi-From-Agent': 'relay' },
    );
    const relay = await max.read('relay');
    expect(sent).toEqual({
      id: expect.stringMatching(/^msg_[a-z0-9]{12}$/),
      user_id: max.owner.id,
      from_agent_id: relay.body.id,
      to_agent_id: scoutId,
      from: { agent_id: relay.body.id, slug: 'relay@max' },
      to: 'scout@max',
      thread_id: sent.id,
      reply_to: null,
      reply_to_agent_id: relay.body.id,
      subject: 'hi',
      body: 'Grüße 👋',
      preview: 'Grüße 👋',
      priority: 4,
      expects_reply: true,
      metadata: { n: [1, { a: null }] },
      correlation_id: 'c-1',
      idempotency_key: null,
      delivery_mode: 'auto',
      live_fallback_mode: 'background',
      effective_delivery_mode: 'inbox',
      delivery_route: 'inbox_direct',
      execution_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      delivery_warning: null,
      recipient_lease_age_sec: null,
      delivery_state: 'queued',
      state: 'queued',
      proven_stage: 'offered',
      proven_stage_reason: 'awaiting_fetch',
      message_dispatch_error: null,
      dispatch_priority_bucket: 4,
      send_at: null,
      created_at: at(0),
      queued_at: at(0),
      delivered_at: null,
      read_at: null,
      acked_at: null,
      invoked_at: null,
      invoked_by: null,
      failed_at: null,
      expires_at: at(30 * 86_400_000),
      updated_at: at(0),
    } satisfies MessageAnswer);
    expect(await max.message(sent.id)).toEqual(sent);
  });

  test('the text may be called message; two texts must agree', async () => {
    expect(await max.send('scout', { body: undefined, message: 'm' })).toMatchObject({ body: 'm' });
    expect(await max.send('scout', { body: 'same', message: 'same' })).toMatchObject({ body: 'same' });
    expect(await refused({ body: 'a', message: 'b' })).toEqual([422, 'validation_error', 'body.message']);
  });

  test.each<[string, object, [number, string, string | undefined]]>([
    ['no text', { body: undefined }, [422, 'validation_error', 'body.body']],
    ['empty text', { body: '' }, [422, 'validation_error', 'body.body']],
    ['text over 32768 bytes', { body: 'é'.repeat(16_385) }, [422, 'validation_error', 'body.body']],
    ['priority 0', { priority: 0 }, [422, 'validation_error', 'body.priority']],
    ['priority 6', { priority: 6 }, [422, 'validation_error', 'body.priority']],
    ['an unknown mode', { delivery_mode: 'push' }, [422, 'validation_error', 'body.delivery_mode']],
    [
      'an unknown fallback',
      { live_fallback_mode: 'x' },
      [422, 'validation_error', 'body.live_fallback_mode'],
    ],
    ['an unknown field', { urgent: true }, [422, 'validation_error', 'body.urgent']],
    ['a short life', { ttl_seconds: 59 }, [422, 'validation_error', 'body.ttl_seconds']],
    ['an end too near', { expires_at: '2026-01-01T00:00:59Z' }, [422, 'validation_error', 'body.expires_at']],
    [
      'metadata over 10240 bytes',
      { metadata: { m: 'x'.repeat(10_240) } },
      [400, 'metadata_too_large', undefined],
    ],
    ['no address', { to: 'a@b@c' }, [400, 'invalid_agent_address', undefined]],
    ['an unknown recipient', { to: 'nobody' }, [404, 'agent_not_found', undefined]],
    ['an unknown owner', { to: 'scout@nobody' }, [404, 'agent_not_found', undefined]],
    ['an unknown parent', { reply_to: 'msg_000000000000' }, [404, 'reply_to_not_found', undefined]],
    ['a parent that is no id', { reply_to: 'x' }, [404, 'reply_to_not_found', undefined]],
  ])('refuses %s', async (_what, body, expected) => {
    expect(await refused(body)).toEqual(expected);
  });

  test('refuses what is nested too deeply, wherever it is', async () => {
    const tooDeep = await max.trySend({ to: 'scout', body: 'x', metadata: { deep: deep(99) } });
    expect(tooDeep).toMatchObject({ status: 400, body: { error: { code: 'invalid_json' } } });
    const ignored = await max.call('POST', '/v1/worker/heartbeat', {
      body: { worker_id: 'w', more: deep(1000) },
      headers: { 'X-CueAPI-Verify-Echo': 'true' },
    });
    expect(ignored.body.error.code).toBe('invalid_json');
    expect((await max.trySend({ to: 'scout', body: 'x', metadata: { deep: deep(98) } })).status).toBe(201);
  });

  test('stores the largest text and the fallback in its canonical spelling', async () => {
    const body = 'é'.repeat(16_384);
    const sent = await max.send('scout', { body, live_fallback_mode: 'fallback_to_background' });
    expect(sent).toMatchObject({ body, live_fallback_mode: 'background', preview: 'é'.repeat(200) });
  });

  describe('threads', () => {
    test('a reply stays in the thread of its parent', async () => {
      const first = await eve.send('scout@max');
      const reply = await max.send('self@eve', { reply_to: first.id }, { 'X-Cueapi-From-Agent': 'scout' });
      const again = await eve.send('scout@max', { reply_to: reply.id });
      expect([first.thread_id, reply.thread_id, again.thread_id]).toEqual([first.id, first.id, first.id]);
      expect(again.reply_to).toBe(reply.id);
    });

    test('cannot be joined by who sees none of it', async () => {
      const first = await max.send('scout');
      expect(await eve.trySend({ to: 'scout@max', body: 'x', reply_to: first.id })).toMatchObject({
        status: 404,
        body: { error: { code: 'reply_to_not_found' } },
      });
    });
  });

  describe('notify', () => {
    test('tells others who wrote to whom about what, without the text', async () => {
      await max.create({ slug: 'boss' });
      const sent = await max.send('scout', {
        body: 'secret text',
        subject: 'Launch',
        priority: 5,
        notify: ['boss', 'boss@max', 'scout', 'self'],
        delivery_mode: 'bg',
      });
      const { messages, total } = await max.inbox('boss');
      expect(total).toBe(1);
      expect(messages[0]).toMatchObject({
        body: 'self@max wrote to scout@max: Launch',
        subject: 'Launch',
        thread_id: sent.thread_id,
        priority: 3,
        delivery_mode: 'inbox',
        delivery_route: 'inbox_direct',
        metadata: { kind: 'notice', message_id: sent.id },
      });
      expect(JSON.stringify(messages)).not.toContain('secret text');
    });

    test('takes at most ten and only known ones', async () => {
      expect(await refused({ notify: Array.from({ length: 11 }, () => 'scout') })).toEqual([
        422,
        'validation_error',
        'body.notify',
      ]);
      expect(await refused({ notify: ['nobody'] })).toEqual([404, 'agent_not_found', undefined]);
    });
  });

  test('shows the steps of the routing in the order of their times', async () => {
    const ann = await MessageClient.register(await start({ clock: new TickingClock(), rateLimits: false }));
    await ann.create({ slug: 'a' });
    const { execution_id: id } = await ann.send('a', {});
    const times = (await ann.execution(id)).routing_trace.map((step) => step.at);
    expect(times.length).toBeGreaterThan(2);
    expect(times).toEqual(times.toSorted());
  });

  describe('send_at', () => {
    test('waits: not routed, hidden from the recipient, shown to the sender', async () => {
      const { slug } = await max.create({ display_name: 'later' });
      const sent = await eve.send(`${slug}@max`, { send_at: at(60_000) });
      expect(sent).toMatchObject({
        effective_delivery_mode: null,
        delivery_route: null,
        queued_at: null,
        delivery_state: 'queued',
        proven_stage: 'stored',
        proven_stage_reason: 'scheduled',
        send_at: at(60_000),
        expires_at: at(60_000 + 30 * 86_400_000),
      });
      expect(await max.inbox(slug)).toMatchObject({ messages: [], total: 0 });
      expect((await max.call('GET', `/v1/messages/${sent.id}`)).status).toBe(404);
      expect((await max.call('GET', `/v1/executions/${sent.execution_id}`)).status).toBe(404);
      expect((await max.outcome(sent.execution_id, { success: true })).status).toBe(404);
      expect(await max.executions({ agent: slug })).toMatchObject({ total: 0, executions: [] });
      expect((await eve.sent('self', { thread_id: sent.id })).messages).toHaveLength(1);
      expect(await eve.execution(sent.execution_id)).toMatchObject({
        status: 'pending',
        scheduled_for: at(60_000),
      });
    });

    test('at the end of the calendar leaves no time that cannot be written', async () => {
      const last = '9999-12-31T23:59:59.000Z';
      expect(await max.send('scout', { send_at: last })).toMatchObject({
        send_at: last,
        expires_at: '9999-12-31T23:59:59.999Z',
      });
      expect(await refused({ send_at: '9999-12-31T23:59:59-01:00' })).toEqual([
        422,
        'validation_error',
        'body.send_at',
      ]);
    });

    test('is routed by what is true when it is due', async () => {
      await max.create({
        slug: 'mover',
        delivery_capabilities: ['live', 'bg', 'inbox'],
        preferred_contact: 'live',
      });
      const sent = await max.send('mover', { send_at: at(60_000) });
      expect((await max.mark(sent.id, 'ack')).status).toBe(409);
      await clock.advance(30_000);
      await max.attach('mover', { session_token: 'T' });
      expect(await max.claimable({ mode: 'live' })).toEqual([]);
      await clock.advance(30_000);
      await expect
        .poll(() => max.message(sent.id))
        .toMatchObject({
          effective_delivery_mode: 'live',
          queued_at: at(0),
        });
      expect(await max.inbox('mover', { peek: 'true' })).toMatchObject({ total: 1 });
    });

    test('in the past is now', async () => {
      const sent = await max.send('scout', { send_at: at(-1) });
      expect(sent).toMatchObject({ queued_at: at(0), effective_delivery_mode: 'inbox' });
    });

    test('to an agent deleted meanwhile fails', async () => {
      await max.create({ slug: 'mayfly' });
      const sent = await max.send('mayfly', { send_at: at(1000) });
      await max.call('DELETE', '/v1/agents/mayfly');
      await clock.advance(1000);
      await expect
        .poll(() => max.message(sent.id))
        .toMatchObject({ delivery_state: 'failed', message_dispatch_error: 'agent_deleted' });
    });
  });

  test('body echo: the text as a string and the hash of its bytes', async () => {
    const { body } = await max.call<{ body_received: string; body_received_sha256: string }>(
      'POST',
      '/v1/messages',
      {
        body: { to: 'scout', message: 'é' },
        headers: { 'X-CueAPI-Verify-Echo': ' TRUE ' },
      },
    );
    expect(body.body_received).toBe('é');
    expect(body.body_received_sha256).toBe(
      '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
    );
  });

  test('counts in the account', async () => {
    const ann = await MessageClient.register(server);
    await ann.create({ slug: 'a' });
    await ann.send('a', { notify: [] });
    await ann.send('a');
    const me = await ann.call<{ messages_this_month: number }>('GET', '/v1/auth/me');
    expect(me.body.messages_this_month).toBe(2);
  });
});
