import { createServer as createHttpServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach } from 'vitest';
import { systemClock } from '../../clock.ts';
import { CallbackAllow } from '../callback-allow.ts';
import { GuardedClient, type GuardedClientOptions, type OutboundRequest } from '../guarded-client.ts';
import type { Resolver } from '../resolver.ts';

const cleanups: (() => Promise<void>)[] = [];

/** To be called by each test file: what a test opened is closed after it. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });
}

export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

export const serve = (handler: RequestListener): Promise<number> => listen(createHttpServer(handler));

type ClientSetup = { allow?: string[]; resolve?: Resolver } & Partial<GuardedClientOptions>;

/** Unless a test brings a resolver, every name is unknown: no look-up ever leaves the machine. */
export function client({
  allow = [],
  resolve = async () => [],
  ...options
}: ClientSetup = {}): GuardedClient {
  const rules = { production: false, allow: new CallbackAllow(allow) };
  const made = new GuardedClient({ rules, clock: systemClock, resolve, ...options });
  cleanups.push(() => made.close());
  return made;
}

export function get(url: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { url, method: 'GET', timeoutMs: 30_000, ...more };
}
