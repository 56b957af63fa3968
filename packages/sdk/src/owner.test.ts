import { People } from '@parley/server/identity/testing/people';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Parley } from './parley.ts';
import type { RouteCaller } from './route-caller.ts';
import { Rooms } from './rooms/rooms.ts';

describe('sdk › account and agents of an owner', () => {
  let server: TestServer;
  let parley: Parley;

  beforeAll(async () => {
    server = await startServer({ clock: new FakeClock(Date.UTC(2026, 5, 1, 9)), rateLimits: false });
    const { key } = await new People(server).owner('ann@example.com');
    parley = new Parley({ server: server.url, key });
  });
  afterAll(() => server.close());

  test('an agent is made, found by each of its names, changed and taken away', async () => {
    const { agents } = parley;
    const made = await agents.create({ slug: 'helper', display_name: 'A helper' });
    await agents.create({ slug: 'second', display_name: 'Second' });
    expect((await agents.list({ limit: 1, offset: 1 })).agents).toHaveLength(1);
    expect((await agents.list()).agents.map(({ slug }) => slug).toSorted()).toEqual(['helper', 'second']);
    expect(await agents.update('helper', { display_name: 'Aide' })).toMatchObject({ display_name: 'Aide' });
    expect(await agents.rename('helper', 'aide')).toMatchObject({ slug: 'aide' });
    // Its former slug leads to it still.
    for (const name of ['aide', 'helper', made.id]) {
      expect(await agents.read(name)).toMatchObject({ id: made.id, slug: 'aide' });
    }
    expect((await agents.directory()).agents.map(({ slug }) => slug).toSorted()).toEqual(['aide', 'second']);
    await agents.delete('second');
    expect((await agents.list()).agents.map(({ slug }) => slug)).toEqual(['aide']);
  });

  test('a secret is another one only after it was asked for', async () => {
    const { account, agents } = parley;
    await agents.create({ slug: 'hooked', display_name: 'x', webhook_url: 'https://a.example/hook' });
    const secrets = [
      [() => agents.webhookSecret('hooked'), () => agents.regenerateWebhookSecret('hooked')],
      [() => account.webhookSecret(), () => account.regenerateWebhookSecret()],
      [() => account.alertSecret(), () => account.regenerateAlertSecret()],
    ] as const;
    for (const [read, regenerate] of secrets) {
      const before = await read();
      expect(await read()).toEqual(before);
      await regenerate();
      expect(await read()).not.toEqual(before);
    }
  });

  test('the account is read and changed, and its key replaced by the one in the answer', async () => {
    const { account } = parley;
    expect(await account.read()).toMatchObject({ email: 'ann@example.com' });
    expect(await account.usage()).toHaveProperty('outcomes');
    const { api_key: key } = await account.regenerateKey();
    await expect(account.read()).rejects.toMatchObject({ status: 401 });
    parley = new Parley({ server: server.url, key });
    expect(await parley.account.read()).toMatchObject({ email: 'ann@example.com' });
  });
});

const from = (last?: string) => ({ last_delivery_id: last, include: 'rooms,cues' });

describe('sdk › wakes of a room', () => {
  test('are told once each, and begin anew where the cursor is too old', async () => {
    const asked: unknown[] = [];
    const told = [
      { event: 'room.turn', id: 'd1', data: '{"turn":1}' },
      { event: 'stream.replay_required', id: undefined, data: '{"replay":true}' },
      { event: 'room.turn', id: 'd1', data: '{"turn":1}' },
      { event: 'room.turn', id: 'd2', data: '{"turn":2}' },
      { event: 'stream.replay_required', id: undefined, data: '{"replay":true}' },
    ];
    const caller = {
      async *events(_route: unknown, { after }: { after: () => unknown }) {
        for (const each of told) {
          asked.push(after());
          yield each;
        }
        asked.push(after());
      },
    };
    const rooms = new Rooms(caller as unknown as RouteCaller);
    const seen: unknown[] = [];
    for await (const event of rooms.wakes({ after: 'd0', include: ['rooms', 'cues'] })) seen.push(event);
    expect(seen).toEqual([{ turn: 1 }, { replay: true }, { turn: 2 }, { replay: true }]);
    expect(asked).toEqual([from('d0'), from('d0'), from(), from(), from(), from()]);
  });
});
