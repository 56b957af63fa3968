import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ChannelClient } from '../client.ts';
import type { Identity } from '../identity.ts';
import { NodeTransport } from '../node-transport.ts';
import { takeChain } from './chain-file.ts';
import { sendOnce } from './sending.ts';

describe('shell session › sending', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-sending-'));
  const chain = join(folder, 'chain');
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
    vi.stubEnv('BRIDGE_URL', server.url);
    vi.stubEnv('SESSION_FILE', join(folder, 'session'));
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
    await server.close();
  });

  async function member(): Promise<Identity> {
    const client = new ChannelClient(new NodeTransport(server.url));
    const { channel_id: channelId, token } = await client.create();
    const name = 'ann';
    const { participant_id: participantId } = await client.join(channelId, { token, name });
    return { channelId, token, participantId, name, key: 'ab'.repeat(32) };
  }

  test('leaves the numbering for the next process, which goes on with it', async () => {
    const ann = await member();
    const first = await sendOnce(ann, { text: 'one' }, chain);
    expect(await sendOnce(ann, { text: 'two' }, chain)).toBe(first + 1);
    expect(takeChain(chain)).toMatchObject({ seq: 2, prev: expect.any(String) });
  });

  test('leaves it also when the message could not be sent', async () => {
    const ann = await member();
    await sendOnce(ann, { text: 'one' }, chain);
    await expect(sendOnce({ ...ann, token: 'wrong' }, { text: 'two' }, chain)).rejects.toThrow();
    expect(takeChain(chain)).toMatchObject({ seq: expect.any(Number) });
  });
});
