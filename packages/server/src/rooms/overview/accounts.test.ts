import type { ConsoleRoomsAnswer } from '@parley/protocol/console/room-routes';
import type { ConsoleWebhooksAnswer } from '@parley/protocol/console/webhook-routes';
import type { Traffic } from '@parley/protocol/console/view-routes';
import { afterEach, expect, test } from 'vitest';
import { conversation } from '../../console/testing/conversation.ts';
import { PersonClient } from '../../console/testing/person-client.ts';
import { MessageClient } from '../../delivery/testing/message-client.ts';
import type { Database } from '../../platform/database/database.ts';
import { describeEachDatabase } from '../../testing/databases.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';
import { sql } from '../../platform/database/sql.ts';

/** Makes of a store what the version before had: rooms and endpoints that name agents and no accounts. */
async function setBack(database: Database): Promise<void> {
  await database.write(async (tx) => {
    await tx.run(sql`DROP INDEX room_participants_of_owner`);
    await tx.run(sql`ALTER TABLE room_participants DROP COLUMN owner_id`);
    await tx.run(sql`ALTER TABLE room_participants DROP COLUMN room_created_at`);
    await tx.run(sql`DROP INDEX room_webhook_endpoints_of_owner`);
    await tx.run(sql`ALTER TABLE room_webhook_endpoints DROP COLUMN owner_id`);
    await tx.run(sql`
      DELETE FROM parley_migrations WHERE name IN ('006 rooms of an account', '002 endpoints of an account')`);
  });
}

describeEachDatabase('rooms › of the version before', (open, { location }) => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  test('are found by the accounts of their agents', async () => {
    const at = await location();
    const place = 'url' in at ? { databaseUrl: at.url, secretKey: '7'.repeat(64) } : { dataDir: at.dataDir };
    const clock = new FakeClock();
    const begin = (): Promise<TestServer> => startServer({ ...place, clock, rateLimits: false });
    const first = await begin();
    const ann = await MessageClient.register(first, 'ann@example.com');
    const bob = await MessageClient.register(first, 'bob@example.com');
    for (const slug of ['harbour', 'tide']) await ann.create({ slug });
    const before = await PersonClient.signIn(first, { api_key: ann.owner.key });
    const talk = await conversation([before.as('harbour'), before.as('tide')], { topic: 'The tides' }, [
      'one',
    ]);
    const body = { url: 'https://example.com/hook', secret: 'tell-nobody-of-this-secret' };
    expect((await before.as('tide').call('POST', '/v1/agent/webhooks', { body })).status).toBe(201);
    await first.close();
    await first.context.database.close();
    await setBack(await open({ at }));

    const second = await begin();
    cleanups.push(() => second.close());
    const seen = async ({ owner }: MessageClient) => {
      const person = await PersonClient.signIn(second, { api_key: owner.key });
      const { rooms } = await person.read<ConsoleRoomsAnswer>('/v1/console/rooms');
      const { webhooks } = await person.read<ConsoleWebhooksAnswer>('/v1/console/webhooks');
      const { turns } = await person.read<Traffic>('/v1/console/traffic', { window: '1h' });
      return [
        rooms.map(({ id }) => id),
        webhooks.map(({ url }) => url),
        turns.reduce((sum, n) => sum + n, 0),
      ];
    };
    expect(await seen(ann)).toEqual([[talk.room_id], [body.url], 1]);
    expect(await seen(bob)).toEqual([[], [], 0]);
  });
});
