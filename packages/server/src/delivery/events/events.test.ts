import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { RoomClient } from '../../rooms/testing/room-client.ts';
import { EventClient } from './testing/event-client.ts';

const DAY = 24 * 3_600_000;

describeEachServer('delivery › events', (start) => {
  const clock = new FakeClock(Date.UTC(2026, 5, 1, 9));
  let server: TestServer;
  let max: EventClient;
  let made = 0;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    max = await EventClient.register(server);
  });

  /** Two new agents. */
  const pair = async (more: object = {}) => {
    made += 1;
    const from = await max.owner.create({ slug: `from-${made}` });
    const to = await max.owner.create({ slug: `to-${made}`, ...more });
    return { from, to };
  };

  test('a message that arrives is told to its recipient, one that is read and acked to its sender', async () => {
    const { from, to } = await pair();
    const sent = await max.owner.send(to.slug, {
      from: from.slug,
      subject: 'Tide',
      correlation_id: 'c1',
      priority: 5,
    });
    const { events, next_cursor: cursor, has_more: more } = await max.events(to.slug, { since: 0 });
    expect(events).toEqual([
      {
        id: expect.any(Number),
        event_type: 'message.delivered',
        recipient_agent_id: to.id,
        payload: {
          message_id: sent.id,
          sender_agent_id: from.id,
          recipient_agent_id: to.id,
          thread_id: sent.thread_id,
          reply_to: null,
          priority: 5,
          correlation_id: 'c1',
          subject: 'Tide',
          effective_delivery_mode: 'inbox',
        },
        emitted_at: sent.created_at,
      },
    ]);
    expect([cursor, more]).toEqual([events[0]?.id, false]);
    expect(await max.events(from.slug)).toEqual({ events: [], next_cursor: null, has_more: false });
    await max.owner.mark(sent.id, 'read');
    await max.owner.mark(sent.id, 'read');
    await max.owner.mark(sent.id, 'ack');
    const told = (await max.events(from.slug)).events;
    expect(told.map(({ event_type: type }) => type)).toEqual(['message.read', 'message.acked']);
    expect(told[1]).toMatchObject({
      recipient_agent_id: from.id,
      payload: { message_id: sent.id, delivery_state: 'acked', acked_at: sent.created_at },
    });
    expect(await max.types(to.slug)).toEqual(['message.delivered']);
  });

  test('a message for later is told of when its time has come', async () => {
    const { from, to } = await pair();
    const at = new Date(clock.now() + 60_000).toISOString();
    const sent = await max.owner.send(to.slug, { from: from.slug, send_at: at });
    expect(await max.types(to.slug)).toEqual([]);
    await clock.advance(60_000);
    await expect.poll(() => max.types(to.slug)).toEqual(['message.delivered']);
    expect((await max.events(to.slug)).events[0]).toMatchObject({
      payload: { message_id: sent.id, effective_delivery_mode: 'inbox' },
      emitted_at: at,
    });
  });

  test('a live session that comes, is offered work, fails to take it and goes', async () => {
    const { from, to } = await pair({ delivery_capabilities: ['live', 'inbox'] });
    await max.owner.attach(to.slug, { session_token: 'TOKEN-1' });
    const sent = await max.owner.send(to.slug, {
      from: from.slug,
      delivery_mode: 'live',
      live_fallback_mode: 'none',
    });
    await clock.advance(30_000);
    await expect.poll(() => max.types(from.slug)).toEqual(['execution.outcome', 'message.failed']);
    await max.owner.session('DELETE', to.slug, 'main');
    const { events } = await max.events(to.slug);
    expect(events.map(({ event_type: type }) => type)).toEqual([
      'agent.live_session.attached',
      'message.delivered',
      'execution.offered',
      'agent.live_session.detached',
    ]);
    expect(JSON.stringify(events)).not.toContain('TOKEN-1');
    expect(events[2]?.payload).toMatchObject({
      execution_id: sent.execution_id,
      message_id: sent.id,
      agent_id: to.id,
      task: `${to.slug}-main-live`,
      effective_delivery_mode: 'live',
    });
    expect(events[3]?.payload).toMatchObject({ label: 'main', detached_reason: 'detached' });
    const [outcome, failed] = (await max.events(from.slug)).events;
    expect(outcome?.payload).toMatchObject({
      execution_id: sent.execution_id,
      success: false,
      outcome_state: 'live_unclaimed_no_fallback',
      recorded_by: 'server',
    });
    expect(failed?.payload).toMatchObject({ message_dispatch_error: 'live_unclaimed_no_fallback' });
  });

  test('nobody there to take it live: told at once, in the same commit', async () => {
    const { from, to } = await pair({ delivery_capabilities: ['live', 'inbox'] });
    await max.owner.send(to.slug, {
      from: from.slug,
      delivery_mode: 'live',
      live_fallback_mode: 'none',
    });
    expect(await max.types(to.slug)).toEqual(['message.delivered']);
    expect(await max.types(from.slug)).toEqual(['message.failed', 'execution.outcome']);
  });

  test('what came of the work is told to who asked for it', async () => {
    const { from, to } = await pair({ delivery_capabilities: ['bg', 'inbox'] });
    const sent = await max.owner.send(to.slug, { from: from.slug });
    await max.owner.claim(sent.execution_id);
    await max.owner.outcome(sent.execution_id, { success: true, result: 'done', summary: 'all of it' });
    const { events } = await max.events(from.slug);
    expect(events.map(({ event_type: type }) => type)).toEqual(['execution.outcome', 'message.acked']);
    expect(events[0]?.payload).toMatchObject({
      execution_id: sent.execution_id,
      message_id: sent.id,
      success: true,
      outcome_state: 'reported_success',
      result: 'done',
      summary: 'all of it',
    });
    expect(await max.types(to.slug)).toEqual(['message.delivered', 'execution.offered']);
  });

  test('a turn in a room is told to whose it is', async () => {
    const rooms = new RoomClient(server);
    const { a, b, id } = await rooms.room();
    await a.send(id, 'one');
    const mine = await max.owner.people.call<{ events: { event_type: string; payload: object }[] }>(
      'GET',
      `/v1/agents/${b.id}/events`,
      { key: b.apiKey, query: { event_type: 'turn.pass' } },
    );
    expect(mine.body.events).toEqual([
      expect.objectContaining({
        event_type: 'turn.pass',
        payload: expect.objectContaining({ room_id: id, reason: 'peer_message' }),
      }),
    ]);
  });

  test('pages follow the cursor, and every spelling of the agent reads the same', async () => {
    const { from, to } = await pair();
    for (let n = 0; n < 5; n += 1) await max.owner.send(to.slug, { from: from.slug });
    const first = await max.events(to.slug, { limit: 2 });
    const second = await max.events(to.slug, { limit: 2, since: first.next_cursor ?? 0 });
    const third = await max.events(to.slug, { limit: 2, since: second.next_cursor ?? 0 });
    expect([first, second, third].map(({ has_more: more }) => more)).toEqual([true, true, false]);
    const ids = [first, second, third].flatMap(({ events }) => events.map(({ id }) => id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(5);
    for (const ref of [to.id, to.id.replace('agent_', 'agt_'), to.address, ` ${to.slug} `]) {
      expect((await max.events(ref)).events.map(({ id }) => id)).toEqual(ids);
    }
    expect(await max.types(to.slug, { event_type: 'message.acked' })).toEqual([]);
    expect(await max.events(to.slug, { since: 999_999_999_999 })).toMatchObject({ events: [] });
  });

  test('whoever waits is answered by the next event of the kind it asked for, or after 30 seconds', async () => {
    const { from, to } = await pair();
    const waiting = max.events(from.slug, { wait: 'long', event_type: 'message.acked' });
    const other = max.events(from.slug, { wait: 'long' });
    const sent = await max.owner.send(to.slug, { from: from.slug });
    await max.owner.mark(sent.id, 'read');
    expect((await other).events.map(({ event_type: type }) => type)).toEqual(['message.read']);
    await max.owner.mark(sent.id, 'ack');
    expect((await waiting).events.map(({ event_type: type }) => type)).toEqual(['message.acked']);
    const nothing = max.events(from.slug, { wait: 'long', since: 999_999_999 });
    let answered = false;
    void nothing.then(() => (answered = true));
    await expect
      .poll(async () => {
        await clock.advance(10_000);
        return answered;
      })
      .toBe(true);
    expect(await nothing).toEqual({ events: [], next_cursor: null, has_more: false });
  });

  test('messages of low priority are told of together as well', async () => {
    const { from, to } = await pair();
    const low = await max.owner.send(to.slug, { from: from.slug, priority: 1, subject: 'one' });
    const lower = await max.owner.send(to.slug, { from: from.slug, priority: 2, subject: 'two' });
    await max.owner.send(to.slug, { from: from.slug, priority: 3 });
    await clock.advance(600_000);
    const digests = async () => (await max.events(to.slug, { event_type: 'message.digest' })).events;
    await expect.poll(async () => (await digests()).length).toBe(1);
    const [digest] = await digests();
    expect(digest?.payload).toEqual({
      recipient_agent_id: to.id,
      digest_period_start: expect.any(String),
      digest_period_end: expect.any(String),
      bundle_count: 2,
      bundled_messages: [low, lower].map((message, place) => ({
        message_id: message.id,
        sender_agent_id: from.id,
        subject: message.subject,
        priority: place + 1,
        emitted_at: message.created_at,
      })),
    });
    const at = (name: string): number => Date.parse(String(digest?.payload[name]));
    expect(at('digest_period_end') - at('digest_period_start')).toBe(600_000);
    await clock.advance(600_000);
    await max.owner.send(to.slug, { from: from.slug, priority: 2, subject: 'three' });
    await clock.advance(600_000);
    await expect.poll(async () => (await digests()).length).toBe(2);
    expect((await digests())[1]?.payload).toMatchObject({ bundle_count: 1 });
  });

  test('a pull subscription moves on by reading, never back, and may ask for the text', async () => {
    const { from, to } = await pair();
    const made1 = await max.subscribe(to.slug, { inline_body: true });
    expect(made1).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      subscriber_agent_id: to.id,
      event_type: 'message.delivered',
      delivery_target: 'pull',
      webhook_url: null,
      webhook_secret: null,
      inline_body: true,
      last_dispatched_event_id: null,
      last_dispatched_at: null,
      last_acked_event_id: null,
      consecutive_failures: 0,
      paused_until: null,
      created_at: expect.any(String),
      detached_at: null,
    });
    const other = await max.subscribe(to.slug, { event_type: 'message.digest' });
    await max.owner.send(to.slug, { from: from.slug, body: 'the text é' });
    const { events, next_cursor: cursor } = await max.events(to.slug, { event_type: 'message.delivered' });
    expect(events[0]?.payload).toMatchObject({ body: 'the text é' });
    const acks = async () =>
      Object.fromEntries((await max.subscriptions(to.slug)).map((one) => [one.id, one.last_acked_event_id]));
    expect(await acks()).toEqual({ [made1.id]: cursor, [other.id]: null });
    const ack = async (id: number) => (await max.ack(to.slug, made1.id, { acked_event_id: id })).body;
    expect(await ack((cursor ?? 0) + 10)).toEqual({ acked: true });
    expect(await ack(1)).toEqual({ acked: true });
    expect(await acks()).toMatchObject({ [made1.id]: (cursor ?? 0) + 10 });
    await max.events(to.slug);
    expect(await acks()).toEqual({ [made1.id]: (cursor ?? 0) + 10, [other.id]: cursor });
  });

  test('events are kept for seven days, also over a restart of the sweep', async () => {
    const { from, to } = await pair();
    await max.owner.send(to.slug, { from: from.slug });
    const [event] = (await max.events(to.slug)).events;
    await clock.leap(6 * DAY);
    await max.owner.send(to.slug, { from: from.slug });
    expect((await max.events(to.slug)).events[0]?.id).toBe(event?.id);
    await clock.leap(DAY + 2 * 3_600_000);
    await expect.poll(async () => (await max.events(to.slug)).events.length).toBe(1);
    expect((await max.events(to.slug)).events[0]?.id).toBeGreaterThan(event?.id ?? 0);
  });
});
