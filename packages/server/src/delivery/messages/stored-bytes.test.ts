import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { MessageClient } from '../testing/message-client.ts';

const DAY = 24 * 3_600_000;
const TEXT = 'x'.repeat(30_000);

const send = (of: MessageClient) =>
  of.call('POST', '/v1/messages', { body: { to: 'app', from: 'app', body: TEXT } });

describeEachServer('what the messages of one account take up', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let ann: MessageClient;
  beforeAll(async () => {
    server = await start({ clock, rateLimits: false, budgetBytes: 1 });
    ann = await MessageClient.register(server);
    await ann.create({ slug: 'app' });
  });

  const used = async () => {
    const { body } = await ann.call<{ budgets: { bytes: { used: number } } }>('GET', '/v1/usage');
    return body.budgets.bytes.used;
  };

  test('is bounded, told, and free again when they are removed', async () => {
    const answers = [];
    for (let sent = 0; sent < 40; sent++) answers.push(await send(ann));
    const taken = answers.filter(({ status }) => status === 201).length;
    // A megabyte has room for so many texts with what is counted beside each.
    expect(taken).toBe(Math.floor((1024 * 1024) / (TEXT.length + 1024)));
    const refused = answers.at(-1);
    expect([refused?.status, refused?.body.error.code]).toEqual([402, 'quota_exceeded']);
    expect(refused?.body.error.message).toContain('PARLEY_BUDGET_BYTES');
    expect(await used()).toBe(taken * (TEXT.length + 1024));

    const ben = await MessageClient.register(server);
    await ben.create({ slug: 'app' });
    expect((await send(ben)).status).toBe(201);

    await clock.leap(31 * DAY);
    await expect
      .poll(async () => {
        await clock.leap(8 * DAY);
        return await used();
      })
      .toBe(0);
    expect((await send(ann)).status).toBe(201);
  });
});
