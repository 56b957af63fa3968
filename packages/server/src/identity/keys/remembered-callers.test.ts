import { describe, expect, test } from 'vitest';
import { freshTables, missingPostgres } from '../../testing/databases.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { missingRedis, startRedis } from '../../testing/redis.ts';
import { startServer } from '../../testing/start-server.ts';
import { People } from '../testing/people.ts';

interface Made {
  id: string;
  api_key: string;
}

describeEachServer('callers are remembered', (start) => {
  const scene = async () => {
    const server = await start({ rateLimits: false });
    const people = new People(server);
    const owner = await people.owner();
    const { body } = await people.call<Made>('POST', '/v1/keys', { key: owner.key, body: {} });
    const status = async (key = body.api_key) => (await people.call('GET', '/v1/whoami', { key })).status;
    expect(await status()).toBe(200);
    return { people, owner, made: body, status };
  };

  test('a revoked key is refused at once', async () => {
    const { people, owner, made, status } = await scene();
    await people.call('DELETE', `/v1/keys/${made.id}`, { key: owner.key });
    expect(await status()).toBe(401);
  });

  test('and by every request that begins after the answer, whatever was under way', async () => {
    const { people, owner, made, status } = await scene();
    let revoked = false;
    const late: number[] = [];
    const askAgain = async (): Promise<void> => {
      for (let asked = 0; asked < 30; asked++) {
        const after = revoked;
        const answer = await status();
        if (after) late.push(answer);
      }
    };
    const asking = Array.from({ length: 8 }, askAgain);
    await people.call('DELETE', `/v1/keys/${made.id}`, { key: owner.key });
    revoked = true;
    expect(await status()).toBe(401);
    await Promise.all(asking);
    expect(late.filter((answer) => answer !== 401)).toEqual([]);
  });

  test('a session ends with its key, and a rotated key is told so', async () => {
    const { people, owner, status } = await scene();
    const session = await people.login(owner.key);
    expect(await status(session)).toBe(200);
    const headers = { 'x-confirm-destructive': 'true' };
    await people.call('POST', '/v1/auth/key/regenerate', { key: owner.key, headers });
    expect(await status(session)).toBe(401);
    const { body } = await people.call<{ error: { code: string } }>('GET', '/v1/whoami', { key: owner.key });
    expect(body.error.code).toBe('key_rotated');
  });

  test('a new slug is shown at once', async () => {
    const { people, owner, status } = await scene();
    const slug = `new-${owner.slug}`;
    await people.call('PATCH', '/v1/auth/me', { key: owner.key, body: { slug } });
    expect(await status()).toBe(200);
    const { body } = await people.whoami(owner.key);
    expect(body.owner.slug).toBe(slug);
  });
});

const missing = missingPostgres() ?? missingRedis();
const title = 'a key revoked by another server on the same store, with every hint lost';

describe.skipIf(missing)(
  missing ? `${title}: PostgreSQL or Redis is not available: ${missing}` : title,
  () => {
    test('is refused within two seconds', async () => {
      const place = await freshTables();
      const clock = new FakeClock();
      const shared = { clock, databaseUrl: place.at.url, secretKey: '5'.repeat(64), rateLimits: false };
      // One for each: nothing carries hints between them.
      const redis = [await startRedis(), await startRedis()] as const;
      const nodes = [
        await startServer({ ...shared, redisUrl: redis[0].url }),
        await startServer({ ...shared, redisUrl: redis[1].url }),
      ] as const;
      try {
        const [here, there] = [new People(nodes[0]), new People(nodes[1])];
        const owner = await here.owner();
        const { body } = await here.call<Made>('POST', '/v1/keys', { key: owner.key, body: {} });
        const asked = async () => (await there.call('GET', '/v1/whoami', { key: body.api_key })).status;
        expect(await asked()).toBe(200);
        await here.call('DELETE', `/v1/keys/${body.id}`, { key: owner.key });
        await clock.advance(2_000);
        expect(await asked()).toBe(401);
      } finally {
        for (const node of nodes) await node.close();
        for (const each of redis) await each.stop();
        await place.remove();
      }
    });
  },
);
