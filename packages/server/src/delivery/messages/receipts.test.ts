import type { MessageState } from '@parley/protocol/delivery/vocabulary';
import { MESSAGE_STATES } from '@parley/protocol/delivery/vocabulary';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { answerRecipient } from '../records/message-states.ts';
import { patchMessage } from '../records/message-store.ts';
import { tally } from '../../identity/testing/people.ts';
import { MessageClient } from '../testing/message-client.ts';

describeEachServer('message › read and ack', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: MessageClient;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    max = await MessageClient.register(server);
    await max.create({ slug: 'scout' });
    await max.create({ slug: 'hand', delivery_capabilities: ['bg', 'inbox'] });
  });

  test('read, then ack; repeats change nothing', async () => {
    const { id } = await max.send('scout');
    const at = new Date(clock.now()).toISOString();
    expect((await max.mark(id, 'read')).body).toEqual({ delivery_state: 'read', read_at: at });
    await clock.advance(1000);
    expect((await max.mark(id, 'read')).body).toEqual({ delivery_state: 'read', read_at: at });
    const acked = new Date(clock.now()).toISOString();
    expect((await max.mark(id, 'ack')).body).toEqual({ delivery_state: 'acked', acked_at: acked });
    await clock.advance(1000);
    expect(await max.mark(id, 'ack')).toMatchObject({ status: 200, body: { acked_at: acked } });
    expect(await max.message(id)).toMatchObject({
      read_at: at,
      acked_at: acked,
      delivered_at: at,
      proven_stage: 'acked',
    });
  });

  describe('from every state', () => {
    const asked = [
      ['read', 'read'],
      ['ack', 'acked'],
    ] as const;
    const rows = MESSAGE_STATES.flatMap((state) => asked.map(([how, to]) => [state, how, to] as const));
    test.each(rows)('%s by %s', async (state, how, to) => {
      const { id } = await max.send('scout');
      // The states that only a transport or the clock can bring about are put there directly.
      await server.context.database.write((tx) => patchMessage(tx, id, { state }));
      const expected = answerRecipient(state, to);
      const answer = await max.mark(id, how);
      if (expected.kind === 'refused') {
        expect([answer.status, answer.body.error.code]).toEqual([409, 'invalid_state_transition']);
        expect((await max.message(id)).state).toBe(state);
      } else {
        expect([answer.status, answer.body.delivery_state]).toEqual([200, to]);
      }
    });
    test('is what the table of states says', () => {
      expect(refused('read')).toEqual<MessageState[]>(['acked', 'expired']);
      expect(refused('acked')).toEqual<MessageState[]>(['expired']);
    });
  });

  test('an ack and a claim raced: the work is done once', async () => {
    for (let round = 0; round < 25; round++) {
      const { id, execution_id: execution } = await max.send('hand');
      const [ack, claim] = await Promise.all([max.mark(id, 'ack'), max.claim(execution)]);
      expect(ack.status).toBe(200);
      const after = await max.execution(execution);
      expect(claim.status === 200 ? after.status : after.delivery_route).toBe(
        claim.status === 200 ? 'delivering' : 'inbox_direct',
      );
      expect((await max.message(id)).state).toBe('acked');
    }
  });

  test('many acks at once are one', async () => {
    await max.create({ slug: 'popular' });
    const { id } = await max.send('popular');
    const answers = await Promise.all(Array.from({ length: 20 }, () => max.mark(id, 'ack')));
    expect(tally(answers)).toEqual({ 200: 20 });
    expect(await max.inbox('popular', { state: 'acked' })).toMatchObject({ total: 1, messages: [{ id }] });
    expect(await max.inbox('popular')).toMatchObject({ total: 0, messages: [] });
  });

  describe('that a bridge started the agent', () => {
    test('is told to the sender, and the first time counts', async () => {
      const ann = await MessageClient.register(server);
      await ann.create({ slug: 'writer' });
      const { id } = await ann.send(`scout@${max.owner.slug}`, { from: 'writer' });
      const at = new Date(clock.now()).toISOString();
      expect((await max.invoked(id, { bridge: 'desk' })).body).toEqual({
        proven_stage: 'invoked',
        invoked_at: at,
        invoked_by: 'desk',
      });
      await clock.advance(1000);
      expect(await max.invoked(id)).toMatchObject({
        status: 200,
        body: { invoked_at: at, invoked_by: 'desk' },
      });
      expect(await ann.message(id)).toMatchObject({
        state: 'queued',
        proven_stage: 'invoked',
        proven_stage_reason: 'awaiting_fetch',
        delivered_at: at,
        invoked_at: at,
        invoked_by: 'desk',
      });
      const sender = await ann.invoked(id);
      expect([sender.status, sender.body.error.code]).toEqual([403, 'not_recipient']);
    });

    test('takes nothing back from a message that is further', async () => {
      const { id } = await max.send('scout');
      await max.mark(id, 'ack');
      const { status, body } = await max.invoked(id);
      expect([status, body.proven_stage, body.invoked_by]).toEqual([200, 'acked', null]);
      expect(await max.message(id)).toMatchObject({ state: 'acked', proven_stage: 'acked' });
    });

    test('is refused for what is not due, not known or not well formed', async () => {
      const later = new Date(clock.now() + 3_600_000).toISOString();
      const { id } = await max.send('scout', { send_at: later });
      const early = await max.invoked(id);
      expect([early.status, early.body.error.code]).toEqual([409, 'invalid_state_transition']);
      expect((await max.invoked('msg_000000000000')).status).toBe(404);
      for (const body of [{ bridge: 7 }, { bridge: 'x'.repeat(65) }, { bridge: 'two\nlines' }, { more: 1 }]) {
        expect((await max.invoked(id, body)).status, JSON.stringify(body)).toBe(422);
      }
    });
  });

  test.each(['msg_000000000000', 'x', 'msg_', '00000000-0000-4000-8000-000000000000'])(
    '%s is unknown',
    async (id) => {
      for (const how of ['read', 'ack'] as const) {
        const answer = await max.mark(id, how);
        expect([answer.status, answer.body.error.code]).toEqual([404, 'message_not_found']);
      }
    },
  );
});

const refused = (to: 'read' | 'acked'): MessageState[] =>
  MESSAGE_STATES.filter((state) => answerRecipient(state, to).kind === 'refused');
