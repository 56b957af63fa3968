import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChannelClient } from '../testing/channel-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { TestServer } from '../testing/start-server.ts';
import { describeEachStore } from './testing/each-store.ts';

describeEachStore('channel › as the operator sees it', (startOn) => {
  let server: TestServer;
  let clock: FakeClock;
  beforeEach(async () => {
    clock = new FakeClock();
    server = await startOn({ clock, rateLimits: false });
  });
  afterEach(() => server.close());

  const listed = async () => (await server.context.channels.listing(10))[0] ?? expect.fail('none is listed');

  test('who waits was seen now, who went when they last were; nothing ends it while somebody waits', async () => {
    const client = new ChannelClient(server);
    const channel = await client.create();
    const [ada, ben] = [await channel.join('ada'), await channel.join('ben')];
    const start = clock.now();
    await clock.advance(1_000);
    const { idleAt: first, activeAt } = await listed();
    expect([activeAt, first]).toEqual([start, expect.any(Number)]);
    const polled = ada.poll({ since: 2 });
    await client.parked(1);
    await clock.advance(9_000);
    const { participants, listeners, idleAt } = await listed();
    expect(participants).toEqual([
      { name: 'ada', seenAt: clock.now() },
      { name: 'ben', seenAt: start },
    ]);
    expect([listeners, idleAt]).toEqual([1, null]);
    await ben.send('hello');
    await polled;
    await expect.poll(async () => (await listed()).listeners).toBe(0);
    const after = await listed();
    expect([after.messages, after.bytes]).toEqual([1, 5]);
    expect((after.idleAt ?? 0) - after.activeAt).toBe((first ?? 0) - start);
  });
});
