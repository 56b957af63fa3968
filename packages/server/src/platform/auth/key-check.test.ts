import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeEachDialect, freshLocation, type FreshLocation } from '../../testing/databases.ts';
import { startServer, type TestServer } from '../../testing/start-server.ts';

const KEYS = ['a'.repeat(64), 'b'.repeat(64)] as const;

describeEachDialect('the secret key of a store', (dialect) => {
  let place: FreshLocation;
  let dataDir: string;
  const servers: TestServer[] = [];

  beforeEach(async () => {
    place = await freshLocation(dialect);
    dataDir = 'url' in place.at ? mkdtempSync(join(tmpdir(), 'parley-node-')) : place.at.dataDir;
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    rmSync(dataDir, { recursive: true, force: true });
    await place.remove();
  });

  const open = async (settings: object = {}): Promise<TestServer> => {
    const database = 'url' in place.at ? { databaseUrl: place.at.url } : {};
    const server = await startServer({ dataDir, ...database, ...settings });
    servers.push(server);
    return server;
  };
  const restart = async (settings: object = {}): Promise<TestServer> => {
    for (const server of servers.splice(0)) await server.close();
    return await open(settings);
  };

  test('goes on fitting', async () => {
    await open();
    await restart();
    const { secrets } = (await restart()).context;
    expect(secrets.open(secrets.seal('x', 'test'), 'test')).toBe('x');
  });

  test('that was changed is refused at the start, in plain words', async () => {
    await open({ secretKey: KEYS[0] });
    await restart({ secretKey: KEYS[0] });
    await expect(restart({ secretKey: KEYS[1] })).rejects.toMatchObject({
      code: 'wrong_key',
      message: expect.stringContaining('the secret key does not fit this database'),
    });
    await restart({ secretKey: KEYS[0] });
  });

  test('that lies in a file of another node is refused too', async () => {
    await open();
    writeFileSync(join(dataDir, 'parley.key'), KEYS[1], { mode: 0o600 });
    await expect(restart()).rejects.toMatchObject({ code: 'wrong_key' });
  });

  test('is replaced when the operator says that the old one is lost, and the new one then counts', async () => {
    const first = await open({ secretKey: KEYS[0] });
    const sealed = first.context.secrets.seal('x', 'test');
    const second = await restart({ secretKey: KEYS[1], acceptNewKey: true });
    expect(() => second.context.secrets.open(sealed, 'test')).toThrow('another key');
    await restart({ secretKey: KEYS[1] });
    await expect(restart({ secretKey: KEYS[0] })).rejects.toMatchObject({ code: 'wrong_key' });
  });

  test('that is missing is made anew only on that word', async () => {
    await open();
    rmSync(join(dataDir, 'parley.key'));
    const code = dialect === 'sqlite' ? 'missing_key_file' : 'wrong_key';
    await expect(restart()).rejects.toMatchObject({ code });
    await restart({ acceptNewKey: true });
    await restart();
  });
});
