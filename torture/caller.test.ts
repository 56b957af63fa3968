import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { Caller } from './caller.ts';
import { Tally } from './tally.ts';

test.each([
  ['without a time to come back is wrong', {}, ['/x was answered 503 without Retry-After: away']],
  ['with one is what a fault may cost', { 'Retry-After': '1' }, []],
])('a 503 %s', async (_, headers, wrong) => {
  const server = createServer(
    (__, response) => void response.writeHead(503, { ...headers, 'Content-Length': 4 }).end('away'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const tally = new Tally();
  const caller = new Caller(() => `http://127.0.0.1:${(server.address() as AddressInfo).port}`, tally);
  try {
    const answer = await caller.once({ method: 'GET', path: '/x' });
    expect(answer?.status).toBe(503);
    expect(tally.wrong).toEqual(wrong);
  } finally {
    caller.close();
    server.close();
  }
});
