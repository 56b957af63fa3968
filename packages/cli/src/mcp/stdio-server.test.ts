import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeTransport } from '@parley/sdk/channels/node-transport';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BridgeWakes } from './bridge-wakes.ts';
import { ChannelTools } from './channel-tools.ts';
import type { Loose } from './rpc.ts';
import { ServerLink } from './server-link.ts';
import { StdioServer } from './stdio-server.ts';

describe('parley mcp, line by line', () => {
  /** One that answers nothing, as long as anybody waits. */
  let silent: Server;
  let asked = 0;
  let hungUp = 0;
  let told: Loose[];
  let transport: NodeTransport;
  let stdio: StdioServer;

  beforeEach(async () => {
    asked = 0;
    hungUp = 0;
    silent = createServer((request, response) => {
      request.resume().once('end', () => (asked += 1));
      response.once('close', () => (hungUp += 1));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const server = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    told = [];
    const write = (message: Loose): void => void told.push(message);
    transport = new NodeTransport(server, {});
    const bridge = new BridgeWakes({ home: '/nowhere', server, agentId: '' });
    stdio = new StdioServer({
      link: new ServerLink({ server, transport, keys: [], tools: undefined, tell: write }),
      channels: new ChannelTools(server),
      wakes: { when: 'off', transport, keys: [], bridge },
      write,
    });
  });
  afterEach(() => {
    transport.close();
    silent.closeAllConnections();
    silent.close();
  });

  const say = (message: object): void => stdio.take(JSON.stringify({ jsonrpc: '2.0', ...message }));

  test('hangs up on the server when the client gives a request up, and answers it no more', async () => {
    const params = { name: 'messages.inbox', arguments: { wait: 25 } };
    for (const id of ['given-up', 7]) say({ id, method: 'tools/call', params });
    await expect.poll(() => asked).toBe(2);
    say({ method: 'notifications/cancelled', params: { requestId: 'nobody asked this' } });
    say({ method: 'notifications/cancelled', params: { requestId: 'given-up' } });
    await expect.poll(() => hungUp).toBe(1);
    say({ method: 'notifications/cancelled', params: { requestId: 7 } });
    await stdio.end();
    expect(told).toEqual([]);
  });

  test('tells what is no JSON from what is no message, and takes an answer in silence', () => {
    stdio.take('{');
    stdio.take('[]');
    say({ id: 1 });
    say({ id: null, method: 'ping' });
    say({ id: 1, result: {} });
    say({ method: 'notifications/initialized' });
    const codes = told.map(({ id, error }) => [id, (error as { code: number }).code]);
    expect(codes).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32600],
    ]);
  });
});
