import { expect, test } from 'vitest';
import { sql as raw } from 'kysely';
import { sql } from '../../platform/database/sql.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { PROVEN_STAGE } from '../tables/message-tables.ts';
import { WorkScene } from '../testing/work-scene.ts';

const [, ...FROM_FACTS] = PROVEN_STAGE;

describeEachServer('proven stage › messages from before it was kept', (start) => {
  const scene = new WorkScene(start);

  test('get it from what is left of what happened', async () => {
    const { max, slug } = scene;
    const inbox = { delivery_mode: 'inbox' };
    await max.create({ slug: 'box' });
    await max.create({ slug: 'live', delivery_capabilities: ['live', 'inbox'] });
    const at = new Date(scene.clock.now() + 60_000_000).toISOString();
    const none = { delivery_mode: 'live', live_fallback_mode: 'none' };
    const sent = {
      scheduled: await max.send('box', { ...inbox, send_at: at }),
      missed: await max.send('live', none),
      acked: await max.send('box', inbox),
      read: await max.send('box', inbox),
      fetched: await max.send('box', inbox),
      lost: await scene.push(),
      offered: await scene.push(),
    };
    await max.inbox('box');
    await max.mark(sent.acked.id, 'ack');
    await max.mark(sent.read.id, 'read');
    await max.claim(sent.lost.execution_id, 'w');
    await scene.later(1_100_000);
    const stages = {
      scheduled: 'stored',
      missed: 'stored',
      acked: 'acked',
      read: 'claimed',
      fetched: 'delivered',
      lost: 'claimed',
      offered: 'offered',
    };
    const told = async () => {
      const entries = Object.entries(sent).map(
        async ([name, { id }]) => [name, (await max.message(id)).proven_stage] as const,
      );
      return Object.fromEntries(await Promise.all(entries));
    };
    await expect.poll(told).toEqual(stages);
    const { database } = scene.server.context;
    await database.write(async (tx) => {
      await tx.run(sql`UPDATE messages SET proven_stage = 'stored'`);
      for (const statement of FROM_FACTS) await raw.raw(statement).execute(tx.kysely());
    });
    expect(await told()).toEqual(stages);
    expect(await max.inbox(slug, { peek: 'true' })).toMatchObject({ total: 2 });
  });
});
