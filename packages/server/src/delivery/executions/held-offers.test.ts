import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { MessageClient } from '../testing/message-client.ts';

describeEachServer('execution › held for a live session', (start) => {
  const clock = new FakeClock();
  const directory = mkdtempSync(join(tmpdir(), 'parley-held-'));
  let max: MessageClient;

  beforeAll(async () => {
    max = await MessageClient.register(
      await start({ clock, rateLimits: false, dlHeartbeatDir: directory }),
      'max@example.com',
    );
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const touch = (agentId: string, label = 'main') => {
    mkdirSync(join(directory, agentId), { recursive: true });
    const file = join(directory, agentId, `${label}.heartbeat`);
    writeFileSync(file, '');
    utimesSync(file, clock.now() / 1000, clock.now() / 1000);
  };
  const task = async (name: string) =>
    (await max.claimable({ task: name })).map(({ execution_id: id }) => id);
  /** The monitor goes on touching its file, as long as it takes the server to look. */
  const offeredWhile = async (agentId: string, name: string) => {
    touch(agentId);
    await clock.advance(5_000);
    return await task(name);
  };

  test('is offered when only its heartbeat file says that the session is back', async () => {
    const { id } = await max.create({ slug: 'app', delivery_capabilities: ['live', 'inbox'] });
    await max.attach('app', { task_name: 'app-task' });
    await clock.advance(130_000);
    const request = { delivery_mode: 'live', live_fallback_mode: 'live_only' };
    const held = [await max.send('app', request), await max.send('app', request)];
    expect(held[0]).toMatchObject({ proven_stage_reason: 'waiting_for_live_session' });
    await clock.advance(10_000);
    expect(await task('app-task')).toEqual([]);
    await expect
      .poll(() => offeredWhile(id, 'app-task'))
      .toEqual(expect.arrayContaining(held.map((sent) => sent.execution_id)));
    expect(await max.message(held[1]?.id ?? '')).toMatchObject({ proven_stage: 'offered' });
  });

  test('one that comes while others are looked for is not forgotten', async () => {
    const { id } = await max.create({ slug: 'late', delivery_capabilities: ['live', 'inbox'] });
    await max.attach('late', { task_name: 'late-task' });
    await clock.advance(130_000);
    const sent: string[] = [];
    for (let n = 0; n < 4; n++) {
      const message = await max.send('late', { delivery_mode: 'live', live_fallback_mode: 'live_only' });
      sent.push(message.execution_id);
      await clock.advance(3_000);
    }
    await expect.poll(() => offeredWhile(id, 'late-task')).toEqual(expect.arrayContaining(sent));
  });

  test.each([
    [
      'it is made the default',
      (ann: MessageClient) => ann.session('PATCH', 'app', 'second', { is_default: true }),
    ],
    ['the default detaches', (ann: MessageClient) => ann.session('DELETE', 'app', 'main')],
  ])('is offered to a session that was fresh all along once %s', async (_, change) => {
    const ann = await MessageClient.register(await start({ clock, rateLimits: false }));
    await ann.create({ slug: 'app', delivery_capabilities: ['live', 'inbox'] });
    await ann.attach('app', { is_default: true });
    await clock.advance(130_000);
    await ann.attach('app', { label: 'second', task_name: 'second-task' });
    const { execution_id: id } = await ann.send('app', {
      delivery_mode: 'live',
      live_fallback_mode: 'live_only',
    });
    expect(await ann.claimable({ task: 'second-task' })).toEqual([]);
    expect((await change(ann)).status).toBe(200);
    expect(await ann.claimable({ task: 'second-task' })).toMatchObject([{ execution_id: id }]);
  });
});
