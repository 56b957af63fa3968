import { expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { INTERNAL_ADDRESSES } from '../../platform/outbound/testing/address-samples.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { MessageClient } from '../testing/message-client.ts';
import { webhookScenes } from './testing/scene.ts';

/** A hundred deliveries, one after the other. */
const MANY_MS = 90_000;
const PUBLIC = '203.0.113.9';
const host = (address: string): string => (address.includes(':') ? `[${address}]` : address);

/** Addresses in other spellings, names of this machine, and URLs that are more than an address. */
const SPELLINGS = [
  'http:///hooks.example.com',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0177.0.0.1/',
  'http://0177.0.0.0x1/',
  'http://127.1/',
  'http://127.0.1/',
  'http://0/',
  'http://0xa9fea9fe/',
  'http://2852039166/',
  'http://169.254.43518/',
  'http://127.0.0.1./',
  'http://%31%32%37.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://app.localhost/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://metadata.internal/',
  'http://Metadata.Google.Internal./',
  'http://user@203.0.113.9/',
  'http://user:pass@203.0.113.9/',
  'http://203.0.113.9@127.0.0.1/',
  'ftp://203.0.113.9/',
  'file:///etc/passwd',
  'gopher://203.0.113.9/',
  'javascript:alert(1)',
  'http://',
  'nothing',
];

const LITERALS = [...INTERNAL_ADDRESSES.map((address) => `http://${host(address)}/hook`), ...SPELLINGS];

describeEachServer('delivery › webhooks › addresses', (start) => {
  const scene = webhookScenes(start);

  test(
    `refuse all of ${LITERALS.length + INTERNAL_ADDRESSES.length} rows when they are stored`,
    async () => {
      const names = new Map(
        INTERNAL_ADDRESSES.map((address, at) => [`n${at}.example.com`, [PUBLIC, address]]),
      );
      const { owner } = await scene({ resolve: async (name) => names.get(name) ?? [PUBLIC] });
      const urls = [...LITERALS, ...[...names.keys()].map((name) => `https://${name}/hook`)];
      expect(urls.length).toBeGreaterThan(60);
      await owner.create({ slug: 'kept', webhook_url: 'https://hooks.example.com/kept' });
      for (const url of urls) {
        for (const answer of [
          await owner.tryCreate({ slug: 'refused', webhook_url: url }),
          await owner.patch('kept', { webhook_url: url }),
        ]) {
          expect([url, answer.status, answer.body.error.code]).toEqual([url, 400, 'invalid_callback_url']);
        }
      }
      expect((await owner.read('refused')).status).toBe(404);
      expect((await owner.read('kept')).body.webhook_url).toBe('https://hooks.example.com/kept');
    },
    MANY_MS,
  );

  test(
    `refuse all of ${LITERALS.length} stored rows when they are called`,
    async () => {
      // Allowed once, when it was stored; not any more.
      const { server, owner, send, settled, sink } = await scene(
        { callbackAllow: [] },
        { slug: 'sink', webhook_url: 'https://203.0.113.9/' },
      );
      for (const url of LITERALS) {
        const at = url.replace(/^http:\/\/127\.0\.0\.1\//, `http://${sink.host}/`);
        await server.context.database.write((tx) =>
          tx.run(sql`UPDATE agent_delivery SET webhook_url = ${at}`),
        );
        const { id, execution_id: executionId } = await send();
        expect([url, (await settled(id, 'failed')).message_dispatch_error]).toEqual([url, 'ssrf_blocked']);
        const execution = await owner.execution(executionId);
        expect(execution).toMatchObject({
          status: 'failed',
          attempts: 1,
          http_status: null,
          response_body: null,
        });
      }
      expect(sink.received).toEqual([]);
    },
    MANY_MS,
  );

  test(
    `refuse a name that leads to any of ${INTERNAL_ADDRESSES.length} addresses only when it is called`,
    async () => {
      const asked = new Map<string, number>();
      const resolve = async (name: string): Promise<string[]> => {
        const times = asked.get(name) ?? 0;
        asked.set(name, times + 1);
        const turned = INTERNAL_ADDRESSES[Number(/^n(\d+)\./.exec(name)?.[1])];
        if (times === 0 || turned === undefined) return [PUBLIC];
        // Also when only one of several addresses is a private one.
        return times % 2 === 1 ? [turned] : [PUBLIC, turned];
      };
      const { owner, sink, settled } = await scene({ callbackAllow: [], resolve }, { slug: 'sink' });
      for (const at of INTERNAL_ADDRESSES.keys()) {
        const url = `http://n${at}.example.com:${sink.port}/hook`;
        const { status } = await owner.patch('sink', { webhook_url: url });
        expect(status).toBe(200);
        for (let times = 0; times < 2; times++) {
          const { id } = await owner.send('sink', { delivery_mode: 'webhook' });
          expect([at, (await settled(id, 'failed')).message_dispatch_error]).toEqual([at, 'ssrf_blocked']);
        }
        expect(asked.get(`n${at}.example.com`)).toBe(3);
      }
      expect(sink.received).toEqual([]);
    },
    MANY_MS,
  );

  test('connect to the address that was checked, under the name that was given', async () => {
    let asked = 0;
    const { owner, sink, settled } = await scene(
      {
        callbackAllow: ['127.0.0.1/32'],
        // Were it asked again between check and connection, it would lead elsewhere.
        resolve: async () => (++asked <= 2 ? ['127.0.0.1'] : ['10.0.0.1']),
      },
      { slug: 'sink' },
    );
    await owner.patch('sink', { webhook_url: `http://hooks.example.com:${sink.port}/hook` });
    const { id } = await owner.send('sink', { delivery_mode: 'webhook' });
    await settled(id, 'delivered');
    expect(sink.received.map(({ headers }) => headers.host)).toEqual([`hooks.example.com:${sink.port}`]);
    expect(asked).toBe(2);
  });

  test('allow what the operator allows and nothing beside it', async () => {
    const { owner, sink } = await scene();
    expect((await owner.patch('sink', { webhook_url: sink.url('/other') })).status).toBe(200);
    const other = `http://127.0.0.1:${sink.port === 65_535 ? 1 : sink.port + 1}/`;
    expect((await owner.patch('sink', { webhook_url: other })).status).toBe(400);
  });

  test('take a name that does not resolve with a warning, but not in production', async () => {
    const { owner, settled } = await scene({ resolve: async () => [] }, { slug: 'sink' });
    const { status, body } = await owner.patch('sink', { webhook_url: 'https://later.example.com/' });
    expect([status, (body as { warning?: string }).warning]).toEqual([200, 'hostname did not resolve']);
    const { id } = await owner.send('sink', { delivery_mode: 'webhook' });
    await settled(id, 'retry_ready');
    const { execution_id: executionId } = await owner.message(id);
    expect(await owner.execution(executionId)).toMatchObject({ error_message: 'dns_resolution_failed' });

    const server = await start({
      production: true,
      publicUrl: 'https://parley.example.com',
      resolve: async () => [],
    });
    const strict = await MessageClient.register(server);
    for (const url of ['https://later.example.com/', `http://${PUBLIC}/`]) {
      const answer = await strict.tryCreate({ slug: 'sink', webhook_url: url });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_callback_url']);
    }
  });

  test('tell a refused connection and a failed handshake apart', async () => {
    const { owner, sink, server, send, settled } = await scene({ callbackAllow: ['127.0.0.1'] });
    for (const [url, error] of [
      [`https://${sink.host}/`, 'tls_handshake_failed'],
      ['http://127.0.0.1:1/', 'connection_refused'],
    ] as const) {
      await server.context.database.write((tx) =>
        tx.run(sql`UPDATE agent_delivery SET webhook_url = ${url}`),
      );
      const { id, execution_id: executionId } = await send();
      await settled(id, 'retry_ready');
      expect(await owner.execution(executionId)).toMatchObject({ error_message: error });
    }
  });
});
