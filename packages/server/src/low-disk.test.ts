import { CONTINUITY_ROUTES } from '@parley/protocol/continuity/routes';
import { CONSOLE_ROUTES } from '@parley/protocol/console/routes';
import { COORDINATION_ROUTES } from '@parley/protocol/coordination/routes';
import { KNOWLEDGE_ROUTES } from '@parley/protocol/knowledge/routes';
import { DELIVERY_ROUTES } from '@parley/protocol/delivery/routes';
import { AGENT_ROUTES } from '@parley/protocol/identity/agent-routes';
import { DEVICE_LOGIN_ROUTES } from '@parley/protocol/identity/device-login-routes';
import { IDENTITY_ROUTES } from '@parley/protocol/identity/routes';
import { ALL_ROOMS_ROUTES } from '@parley/protocol/rooms/endpoints';
import type { RouteDeclaration } from '@parley/protocol/route';
import { SCHEDULE_ROUTES } from '@parley/protocol/schedule/routes';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { FakeClock } from './testing/fake-clock.ts';
import { HttpClient } from './testing/http-client.ts';
import { startServer, type TestServer } from './testing/start-server.ts';

/** What changes something by its method and still goes on. Every other one is refused, a new one too. */
const GOES_ON: ReadonlySet<string> = new Set([
  // Reading, and what has to come before it.
  'agent_login',
  'room_join',
  'room_access_token',
  'room_transcript',
  'room_viewers',
  'device_code_poll',
  ...['read', 'list', 'search', 'history', 'diff', 'compare'].map((name) => `continuity.${name}`),
  'documents.search',
  'documents.recent',
  'context.retrieve',
  // Acknowledging, and being there to do it.
  'message_read',
  'message_invoked',
  'agent_wake_receipt',
  'message_ack',
  'alert_acknowledge',
  'subscription_ack',
  'coordination.handoff_consume',
  'agent_heartbeat',
  'live_session_heartbeat',
  'worker_heartbeat',
  'execution_heartbeat',
  'execution_claim',
  'execution_claim_next',
  'execution_live_claim',
  'execution_outcome',
  'execution_verify',
  'execution_verification_pending',
  'schedule.acknowledge',
  'agent_stream_ack',
  'room_context_ack',
  'room_typing',
  // Ending, and making room.
  'room_close',
  'room_leave',
  'agent_logout',
  'schedule.retire',
  'coordination.reconciliation_resolve',
  'tasks.update',
  'cue_bulk_delete',
  ...['delete', 'refresh_plan', 'retention_plan'].map((name) => `continuity.${name}`),
  'ops.run',
  // The way in for whoever looks after it.
  'console_session_create',
  // One in place of another.
  'key_regenerate',
  'webhook_secret_regenerate',
  'alert_webhook_secret_regenerate',
  'agent_key_rotate',
  'agent_webhook_secret_regenerate',
  'live_session_update',
  'room_human_code',
  'room_keep',
  'peers.trust',
]);

const ROUTES: readonly RouteDeclaration[] = [
  ...new Set([
    ...IDENTITY_ROUTES,
    ...DEVICE_LOGIN_ROUTES,
    ...AGENT_ROUTES,
    ...DELIVERY_ROUTES,
    ...ALL_ROOMS_ROUTES,
    ...CONTINUITY_ROUTES,
    ...SCHEDULE_ROUTES,
    ...COORDINATION_ROUTES,
    ...KNOWLEDGE_ROUTES,
    ...CONSOLE_ROUTES,
  ]),
];
const named = ROUTES.map((route): [string, RouteDeclaration] => [`${route.method} ${route.path}`, route]);
const changing = named.filter(([, { method }]) => method !== 'GET' && method !== 'DELETE');

describe('on a low disk', () => {
  const clock = new FakeClock();
  let server: TestServer;
  let client: HttpClient;

  beforeAll(async () => {
    server = await startServer({ clock, rateLimits: false, freeBytes: async () => 10 * 1024 ** 2 });
    client = new HttpClient(server);
    await vi.waitFor(() => expect(server.context.disk.isLow).toBe(true), { timeout: 60_000 });
  });
  afterAll(() => server.close());

  const ask = (method: string, path: string) =>
    client.call(
      method,
      path.replaceAll(/\{\w+\}/g, 'x'),
      method === 'GET' || method === 'DELETE' ? {} : { body: {} },
    );

  test('the list names routes that are there', () => {
    const names = new Set(changing.map(([, { name }]) => name));
    expect([...GOES_ON].filter((name) => !names.has(name))).toEqual([]);
  });

  test.each(changing)('%s is refused, unless it adds nothing', async (_call, { name, method, path }) => {
    const { status, text } = await ask(method, path);
    if (GOES_ON.has(name)) return expect(status).not.toBe(507);
    expect(status).toBe(507);
    expect(text).toContain('PARLEY_MIN_FREE_DISK_MB');
  });

  test('what reads or deletes by its method goes on', async () => {
    const others = named.filter(
      ([, { method, path }]) => (method === 'GET' || method === 'DELETE') && !path.includes('stream'),
    );
    const statuses = await Promise.all(others.map(([, { method, path }]) => ask(method, path)));
    expect(statuses.filter(({ status }) => status === 507)).toEqual([]);
  });

  test('what is not there, or not by this method, is told as ever', async () => {
    expect((await ask('POST', '/v1/nothing')).status).toBe(404);
    expect((await ask('PUT', '/v1/messages')).status).toBe(405);
    expect((await client.call('POST', '/channels', {})).status).toBe(200);
  });
});
