import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../../testing/each-server.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { MessageClient } from '../../testing/message-client.ts';

const HOPS = 4;
const TURNS = 6;

describeEachServer('message › loop guard', (start) => {
  const clock = new FakeClock();
  let max: MessageClient;
  let a: string;
  let b: string;
  let count = 0;

  beforeAll(async () => {
    const server = await start({ clock, rateLimits: false, dlLoopMaxHops: HOPS, dlLoopPairTurns: TURNS });
    max = await MessageClient.register(server);
  });

  beforeEach(async () => {
    count += 1;
    a = `a-${count}`;
    b = `b-${count}`;
    for (const slug of [a, b]) await max.create({ slug });
  });

  const trySay = (from: string, to: string, more: object = {}) =>
    max.trySend({ from, to, body: 'x', ...more });
  const say = (from: string, to: string, more: object = {}) => max.send(to, { from, ...more });
  /** The agents answer each other until the guard stops them; returns how often they could. */
  const chat = async (first: { id: string }, more: object = {}) => {
    let last = first;
    for (let hop = 1; hop <= 50; hop++) {
      const [from, to] = hop % 2 === 1 ? [b, a] : [a, b];
      const answer = await trySay(from, to, { reply_to: last.id, ...more });
      if (answer.status !== 201) return { hops: hop - 1, answer, last };
      last = answer.body;
    }
    return { hops: 50, answer: undefined, last };
  };

  describe('in a thread', () => {
    test('stops two agents that answer each other, and says how to go on', async () => {
      const first = await say(a, b);
      const { hops, answer, last } = await chat(first);
      expect(hops).toBe(HOPS);
      expect(answer).toMatchObject({
        status: 409,
        body: { error: { code: 'loop_guard_tripped', by: 'thread_hops', limit: HOPS, thread_id: first.id } },
      });
      const execution = await max.execution((await max.message(last.id)).execution_id);
      const guard = execution.routing_trace.filter(({ step }) => step === 'loop_guard');
      expect(guard.map(({ result, reason }) => [result, reason])).toEqual([
        ['passed', `hop ${HOPS} of ${HOPS}`],
        ['tripped', `thread_hops ${HOPS + 1} of ${HOPS}`],
      ]);
    });

    test('a person who writes in the thread sets it going again', async () => {
      const { last } = await chat(await say(a, b));
      const words = await max.send(a, { reply_to: last.id, body: 'go on' });
      expect((await chat(words)).hops).toBeGreaterThanOrEqual(2);
    });

    test('a person may resume it; an agent key may not', async () => {
      const first = await say(a, b);
      const { last } = await chat(first);
      const key = (await max.call<{ api_key: string }>('POST', '/v1/keys', { body: { agent: a } })).body
        .api_key;
      const agent = new MessageClient(max.people, { ...max.owner, key });
      expect((await agent.call('POST', `/v1/threads/${first.id}/resume`)).status).toBe(403);
      expect((await max.call('POST', `/v1/threads/${first.id}/resume`)).body).toEqual({
        thread_id: first.id,
        hops: 0,
        resumed: true,
      });
      expect((await trySay(b, a, { reply_to: last.id })).status).toBe(201);
      expect((await max.call('POST', '/v1/threads/msg_000000000000/resume')).status).toBe(404);
    });

    test('replying to the first message again and again does not get around it', async () => {
      const first = await say(a, b);
      const answers = [];
      for (let turn = 0; turn < HOPS + 1; turn++) {
        answers.push((await trySay(turn % 2 ? a : b, turn % 2 ? b : a, { reply_to: first.id })).status);
      }
      expect(answers).toEqual([...Array.from({ length: HOPS }, () => 201), 409]);
    });

    test('one agent may say as much as it likes', async () => {
      const first = await say(a, b);
      for (let n = 0; n < 3 * HOPS; n++) {
        expect((await trySay(a, b, { reply_to: first.id })).status).toBe(201);
      }
    });
  });

  describe('status updates', () => {
    test('are exempt', async () => {
      const status = { metadata: { kind: 'status' } };
      const first = await say(a, b);
      const { last } = await chat(first);
      expect((await trySay(b, a, { reply_to: last.id, ...status })).status).toBe(201);
    });

    test('that answer each other are not', async () => {
      const first = await say(a, b, { metadata: { kind: 'status' } });
      expect((await chat(first, { metadata: { kind: 'status' } })).hops).toBe(HOPS);
    });

    test('that want an answer are not', async () => {
      const first = await say(a, b);
      const asking = await chat(first, { metadata: { kind: 'status' }, expects_reply: true });
      expect(asking.hops).toBe(HOPS);
    });
  });

  describe('between two agents', () => {
    test('new threads all the time do not get around it either', async () => {
      const statuses: number[] = [];
      for (let turn = 0; turn < TURNS + 2; turn++) {
        statuses.push((await trySay(turn % 2 ? b : a, turn % 2 ? a : b)).status);
      }
      expect(statuses).toEqual([...Array.from({ length: TURNS + 1 }, () => 201), 409]);
      const again = await trySay(b, a);
      expect(again.body.error).toMatchObject({ code: 'loop_guard_tripped', by: 'pair_turns', limit: TURNS });
      await max.send(a, { body: 'a person speaks' });
      expect((await trySay(b, a)).status).toBe(201);
    });

    test('the window moves on by itself', async () => {
      for (let turn = 0; turn < TURNS + 2; turn++) await trySay(turn % 2 ? b : a, turn % 2 ? a : b);
      expect((await trySay(b, a)).status).toBe(409);
      await clock.leap(3_600_000);
      expect((await trySay(b, a)).status).toBe(201);
    });
  });
});
