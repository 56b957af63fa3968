import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { expectStatus } from '../testing/agent-client.ts';
import { webhookScenes } from './testing/scene.ts';

const MINUTE = 60_000;

describeEachServer('delivery › webhooks › replay', (start) => {
  const scenes = webhookScenes(start);

  const scene = async () => {
    const parts = await scenes();
    const { owner, clock } = parts;
    const replay = async (executionId: string): Promise<string> => {
      // A moment later, as it is whenever somebody decides to do it.
      await clock.advance(1);
      const answer = await owner.call<{ execution_id: string }>(
        'POST',
        `/v1/executions/${executionId}/replay`,
      );
      return expectStatus(200, answer).execution_id;
    };
    return { ...parts, replay };
  };

  test('sends again what the recipient has done with', async () => {
    const { sink, owner, send, settled, replay } = await scene();
    sink.answer = () => ({ status: 200, text: '{"success": true}' });
    const first = await send();
    await settled(first.id, 'acked');
    const second = await replay(first.execution_id);
    expect((await sink.nth(2)).body).toMatchObject({ id: first.id, execution_id: second });
    await expect
      .poll(() => owner.execution(second))
      .toMatchObject({
        status: 'success',
        outcome_state: 'reported_success',
        replayed_from: first.execution_id,
      });
    expect((await owner.message(first.id)).state).toBe('acked');
    expect(sink.received).toHaveLength(2);
  });

  test('of what was delivered or read before goes by its own schedule, and fails by it', async () => {
    const { sink, clock, owner, send, settled, replay } = await scene();
    const delivered = await send();
    await settled(delivered.id, 'delivered');
    const read = await send();
    await settled(read.id, 'delivered');
    await owner.mark(read.id, 'read');
    sink.answer = () => 503;
    const again = [await replay(delivered.execution_id), await replay(read.execution_id)];
    const standing = () =>
      Promise.all(
        again.map(async (id) => {
          const { attempts, status, delivery_route: route } = await owner.execution(id);
          return `${attempts} ${status} ${route}`;
        }),
      );
    for (const [before, wait] of [0, MINUTE, 5 * MINUTE, 15 * MINUTE].entries()) {
      await clock.advance(wait);
      const expected = `${before + 1} ${before === 3 ? 'failed' : 'retrying'} webhook_direct`;
      await expect.poll(standing).toEqual([expected, expected]);
    }
    expect([(await owner.message(delivered.id)).state, (await owner.message(read.id)).state]).toEqual([
      'delivered',
      'read',
    ]);
  });

  test('ends when the message is read while it is under way', async () => {
    const { sink, clock, owner, send, settled, replay } = await scene();
    const { id, execution_id: executionId } = await send();
    await settled(id, 'delivered');
    const held: ((status: number) => void)[] = [];
    sink.answer = () => new Promise<number>((resolve) => held.push(resolve));
    const again = await replay(executionId);
    await sink.count(2);
    await owner.mark(id, 'read');
    held[0]?.(500);
    await expect
      .poll(() => owner.execution(again))
      .toMatchObject({ status: 'success', delivery_route: 'inbox_direct' });
    await clock.leap(3_600_000);
    expect(sink.received).toHaveLength(2);
  });
});
