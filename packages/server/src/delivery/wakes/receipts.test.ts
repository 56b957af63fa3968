import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { CueClient } from '../testing/cue-client.ts';
import { putReceipt } from './receipt-store.ts';

interface Wake {
  kind: string;
  id: string;
  bridge: string | null;
  delivered_at: string;
  invoked_at: string | null;
  resumed_at: string | null;
}

describeEachServer('delivery › receipts of wakes', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: CueClient;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false });
    max = await CueClient.register(server);
    await max.create({ slug: 'scout' });
    await max.create({ slug: 'hand', delivery_capabilities: ['bg', 'inbox'] });
  });

  const say = (body: object, ref = 'scout') => max.call<Wake>('POST', `/v1/agents/${ref}/wakes`, { body });
  const wakes = async (ref = 'scout', query = '') =>
    (await max.call<{ wakes: Wake[] }>('GET', `/v1/agents/${ref}/wakes${query}`)).body.wakes;
  const now = () => new Date(clock.now()).toISOString();

  test('of a message: each stage once, and its sender sees that the agent was started', async () => {
    const { id } = await max.send('scout');
    const delivered_at = now();
    expect((await say({ kind: 'message', id, stage: 'delivered', bridge: 'desk' })).body).toMatchObject({
      kind: 'message',
      id,
      bridge: 'desk',
      delivered_at,
      invoked_at: null,
    });
    expect(await max.message(id)).toMatchObject({
      state: 'queued',
      proven_stage: 'delivered',
      delivered_at,
      invoked_at: null,
    });
    await clock.advance(1000);
    const invoked_at = now();
    await say({ kind: 'message', id, stage: 'invoked', bridge: 'desk' });
    expect(await max.message(id)).toMatchObject({ proven_stage: 'invoked', invoked_at, invoked_by: 'desk' });
    await clock.advance(1000);
    await say({ kind: 'message', id, stage: 'invoked', bridge: 'other' });
    const { body } = await say({ kind: 'message', id, stage: 'resumed' });
    expect(body).toMatchObject({ bridge: 'desk', delivered_at, invoked_at, resumed_at: now() });
    expect((await wakes())[0]).toEqual(body);
  });

  test('of a run of a cue: it stands in the routing trace, once', async () => {
    const cue = await max.cue({ agent: 'hand' });
    const { body } = await max.call<{ id: string }>('POST', `/v1/cues/${cue.id}/fire`, { body: {} });
    for (const stage of ['invoked', 'invoked', 'resumed']) {
      expect((await say({ kind: 'cue', id: body.id, stage, bridge: 'desk' }, 'hand')).status).toBe(200);
    }
    const { routing_trace: trace } = await max.execution(body.id);
    expect(trace.filter(({ step }) => step === 'bridge')).toEqual([
      { at: now(), step: 'bridge', result: 'invoked', reason: 'desk' },
    ]);
    expect((await say({ kind: 'cue', id: body.id, stage: 'invoked' })).status).toBe(404);
  });

  test('of turns and handoffs: a later stage proves those before it', async () => {
    await clock.advance(1000);
    const { body } = await say({ kind: 'room', id: 'room_abc-3', stage: 'resumed' });
    expect(body).toMatchObject({ delivered_at: now(), invoked_at: now(), resumed_at: now() });
    await say({ kind: 'handoff', id: 'handoff_1', stage: 'delivered' });
    expect((await wakes('scout', '?limit=2')).map(({ kind }) => kind).toSorted()).toEqual([
      'handoff',
      'room',
    ]);
  });

  test('are refused for what is not known, not the agent’s or not well formed', async () => {
    const { id } = await max.send('hand');
    const foreign = await say({ kind: 'message', id, stage: 'invoked' });
    expect([foreign.status, (foreign.body as unknown as { error: { code: string } }).error.code]).toEqual([
      404,
      'message_not_found',
    ]);
    expect((await max.message(id)).invoked_at).toBe(null);
    for (const body of [
      { kind: 'message', id: 'msg_000000000000', stage: 'invoked' },
      { kind: 'cue', id: 'x', stage: 'delivered' },
    ]) {
      expect((await say(body)).status, JSON.stringify(body)).toBe(404);
    }
    for (const body of [
      { kind: 'room', id: 'r' },
      { kind: 'room', id: 'x'.repeat(129), stage: 'invoked' },
      { kind: 'room', id: 'two\nlines', stage: 'invoked' },
      { kind: 'dream', id: 'r', stage: 'invoked' },
      { kind: 'room', id: 'r', stage: 'invoked', more: 1 },
    ]) {
      expect((await say(body)).status, JSON.stringify(body)).toBe(422);
    }
  });

  test('the oldest are forgotten, so that nobody fills the store with them', async () => {
    const { id } = await max.create({ slug: 'busy' });
    await server.context.database.write(async (tx) => {
      for (let turn = 0; turn < 503; turn++) {
        const at = clock.now() - 1000 + turn;
        const stages = { delivered_at: at, invoked_at: at, resumed_at: null, updated_at: at };
        const row = {
          agent: id.replace('agent_', ''),
          kind: 'room',
          ref: `room_x-${turn}`,
          bridge: null,
        } as const;
        await tx.run(putReceipt({ ...row, ...stages }));
      }
    });
    await say({ kind: 'room', id: 'room_y-0', stage: 'invoked' }, 'busy');
    const { body } = await say({ kind: 'room', id: 'room_x-2', stage: 'resumed' }, 'busy');
    // Forgotten, so it is new.
    expect(body.delivered_at).toBe(now());
    const kept = await say({ kind: 'room', id: 'room_x-400', stage: 'resumed' }, 'busy');
    expect(kept.body.delivered_at).not.toBe(now());
  });
});
