import { declareRoute } from '@parley/protocol/route';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { whileConnected } from '../platform/http/while-connected.ts';
import { endWithTheirAsker } from './asking.ts';
import { callRoute } from './inner-call.ts';

const held = declareRoute({
  name: 'held',
  method: 'GET',
  path: '/held',
  auth: 'none',
  summary: 'Answers when it is let go.',
  success: 200,
});

let app: FastifyInstance;
let url: string;
let parked = 0;
let ended = 0;
let letGo: (() => void) | undefined;

beforeAll(async () => {
  app = Fastify();
  endWithTheirAsker(app);
  app.get(held.path, async (_request, reply) => {
    const connected = whileConnected(reply);
    parked += 1;
    await new Promise<void>((resolve) => {
      letGo = resolve;
      connected.addEventListener('abort', () => {
        ended += 1;
        resolve();
      });
    });
    return { ok: true };
  });
  app.get('/ask', async (request, reply) => callRoute(app, request, whileConnected(reply), { route: held }));
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

test('a call on behalf of a message that is given up ends with it', async () => {
  const leaving = new AbortController();
  const asked = fetch(`${url}/ask`, { signal: leaving.signal }).catch(() => 'given up');
  await expect.poll(() => parked).toBe(1);
  leaving.abort();
  expect(await asked).toBe('given up');
  await expect.poll(() => ended).toBe(1);
});

test('others are answered', async () => {
  const asked = fetch(`${url}/ask`);
  await expect.poll(() => parked).toBe(2);
  letGo?.();
  expect(await (await asked).json()).toEqual({ status: 200, body: { ok: true } });
});
