import type { WebhookAnswer, WebhooksAnswer } from '@parley/protocol/rooms/types';
import { expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { sql } from '../../platform/database/sql.ts';
import { must, type RoomAgent, RoomClient } from '../testing/room-client.ts';

const START = Date.UTC(2026, 5, 1, 9);
const PATH = '/v1/agent/webhooks';

const create = (agent: RoomAgent, body: object, call: { key?: string } = {}) =>
  agent.call<WebhookAnswer>('POST', PATH, { body: { secret: 'hook-secret-1', ...body }, ...call });

const list = async (agent: RoomAgent): Promise<WebhookAnswer[]> =>
  must(200, await agent.call<WebhooksAnswer>('GET', PATH)).items;

describeEachServer('rooms › webhook endpoints', (start) => {
  const scene = async (options: object = {}) => {
    const clock = new FakeClock(START);
    let lookups = 0;
    const resolve = async (): Promise<readonly string[]> => {
      lookups += 1;
      throw new Error('no resolver here');
    };
    const server = await start({ clock, rateLimits: false, resolve, ...options });
    return { clock, server, client: new RoomClient(server), lookups: () => lookups };
  };

  test('are created, listed newest first and deleted; the secret never comes back', async () => {
    const { clock, client } = await scene();
    const agent = await client.agent();
    const other = await client.agent();
    expect(await list(agent)).toEqual([]);
    const first = await create(agent, { url: 'https://hooks.example/a' });
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      id: expect.stringMatching(/^whk_[\w-]{16}$/),
      agent_id: agent.id,
      url: 'https://hooks.example/a',
      key_id: 'v1',
      enabled: true,
      created_at: '2026-06-01T09:00:00Z',
      updated_at: '2026-06-01T09:00:00Z',
    });
    await clock.advance(1000);
    const second = must(
      201,
      await create(agent, { url: 'https://hooks.example/a', key_id: 'blue', enabled: false }),
    );
    expect(second).toMatchObject({ key_id: 'blue', enabled: false });
    expect(await list(agent)).toEqual([second, first.body]);
    expect(await list(other)).toEqual([]);

    const foreign = await other.call('DELETE', `${PATH}/${second.id}`);
    expect([foreign.status, foreign.body.error]).toEqual([404, 'not_found']);
    const gone = await agent.call('DELETE', `${PATH}/${second.id}`);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await agent.call('DELETE', `${PATH}/${second.id}`)).status).toBe(404);
    expect(await list(agent)).toEqual([first.body]);
  });

  test('are created whether or not a name can be looked up', async () => {
    const { client, lookups } = await scene();
    const agent = await client.agent();
    expect((await create(agent, { url: 'https://not-yet-registered.example/hook' })).status).toBe(201);
    expect(lookups()).toBe(0);
  });

  test('must have a URL that may be called', async () => {
    const { client } = await scene({ callbackAllow: ['127.0.0.1:9000', 'localhost:9000', '10.1.2.3'] });
    const agent = await client.agent();
    const hint = async (url: unknown): Promise<unknown> => {
      const { status, body } = await create(agent, { url });
      expect([url, status, body.error]).toEqual([url, 400, 'invalid_request']);
      return body.hint;
    };
    for (const url of [
      undefined,
      '',
      7,
      'nonsense',
      '/relative',
      'ftp://hooks.example/a',
      'http://hooks.example/a',
      'https://user:pass@hooks.example/a',
      'https://hooks.example/a?x=1',
      'https://hooks.example/a?',
      'https://hooks.example/a#part',
      'https://hooks.exa\tmple/a',
      'https://10.0.0.1/a',
      'https://169.254.169.254/latest/meta-data',
      'https://localhost/a',
      'https://metadata.google.internal/a',
      'http://127.0.0.1:9001/a',
      'http://10.1.2.3/a',
      `https://hooks.example/${'a'.repeat(2048)}`,
    ]) {
      expect(await hint(url)).toMatch(/^url: /);
    }
    for (const url of ['http://127.0.0.1:9000/a', 'http://localhost:9000/a', 'https://10.1.2.3/a']) {
      expect([url, (await create(agent, { url })).status]).toEqual([url, 201]);
    }
    const longest = `https://hooks.example/${'a'.repeat(2048 - 'https://hooks.example/'.length)}`;
    expect((await create(agent, { url: longest })).status).toBe(201);
  });

  test('must have a secret of 8 to 256 characters and a key id fit for a header', async () => {
    const { client } = await scene();
    const agent = await client.agent();
    const url = 'https://hooks.example/a';
    for (const body of [
      { secret: undefined },
      { secret: '' },
      { secret: '1234567' },
      { secret: '  1234567  ' },
      { secret: 'x'.repeat(257) },
      { secret: 12345678 },
      { key_id: 'two words' },
      { key_id: 'line\r\nbreak' },
      { key_id: 'x'.repeat(65) },
      { enabled: 'yes' },
    ]) {
      const { status, body: answer } = await create(agent, { url, ...body });
      expect([body, status, answer.error]).toEqual([body, 400, 'invalid_request']);
      expect(answer.hint).toMatch(new RegExp(`^${Object.keys(body)[0]}: `));
    }
    for (const body of [
      { secret: '12345678' },
      { secret: 'x'.repeat(256) },
      { key_id: null, enabled: null },
    ]) {
      expect((await create(agent, { url, ...body })).status).toBe(201);
    }
  });

  test('are at most ten for one agent, also when created at once', async () => {
    const { client } = await scene();
    const agent = await client.agent();
    const attempts = Array.from({ length: 15 }, (_, at) =>
      create(agent, { url: `https://hooks.example/${at}` }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 400)).toHaveLength(5);
    const [newest] = await list(agent);
    await agent.call('DELETE', `${PATH}/${newest?.id}`);
    expect((await create(agent, { url: 'https://hooks.example/again' })).status).toBe(201);
  });

  test('keep their secret sealed in the store', async () => {
    const { server, client } = await scene();
    const agent = await client.agent();
    await create(agent, { url: 'https://hooks.example/a', secret: 'a-very-plain-secret' });
    const rows = await server.context.database.read.all(sql`SELECT * FROM room_webhook_endpoints`);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('plain');
  });

  test('are only for those who are logged in', async () => {
    const { client } = await scene();
    const room = await client.room();
    const { token } = await room.a.token(room.id);
    for (const key of [token, 'as_unknown']) {
      expect((await room.a.call('GET', PATH, { key })).status).toBe(401);
      expect((await create(room.a, { url: 'https://hooks.example/a' }, { key })).status).toBe(401);
      expect((await room.a.call('DELETE', `${PATH}/whk_x`, { key })).status).toBe(401);
    }
    const { status, headers } = await room.a.call('PUT', PATH);
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });
});
