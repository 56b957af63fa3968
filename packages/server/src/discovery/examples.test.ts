import { readFileSync, writeFileSync } from 'node:fs';
import { API } from '@parley/protocol/api';
import { CONSOLE_ROUTES } from '@parley/protocol/console/routes';
import { DISCOVERY_ROUTES } from '@parley/protocol/discovery/routes';
import { HELP_ROUTES } from '@parley/protocol/help/routes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';
import { DELIVERY_STEPS } from './testing/example-delivery-steps.ts';
import { MEMORY_STEPS } from './testing/example-memory-steps.ts';
import { repeatable, runExamples } from './testing/example-run.ts';
import { FIRST_STEPS } from './testing/example-steps.ts';

const FILE = new URL('./examples.json', import.meta.url);

/** These take nothing, are streams, forms for people, or need what one run cannot have: a mail, a second owner, a live offer. */
const WITHOUT: readonly string[] = [
  // For the cookie of a page alone.
  ...CONSOLE_ROUTES.map(({ name }) => name),
  ...[...DISCOVERY_ROUTES, ...HELP_ROUTES].map(({ name }) => name),
  'agent_stream',
  'agent_stream_ack',
  'agent_wake_receipt',
  'agent_wakes',
  'alert_acknowledge',
  'capabilities',
  'channel_events',
  'continuity.events',
  'cue_delete',
  'device_code_submit_email',
  'device_login_form',
  'device_login_page',
  'execution_live_claim',
  'execution_verification_pending',
  'live_session_stream',
  'login_session_key',
  'login_session_open',
  'mcp',
  'metrics',
  'openapi',
  'ops.run',
  'room_events',
  'room_viewer_events',
];

describe('examples of /openapi.json', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ clock: new FakeClock(), random: repeatable(), rateLimits: false });
  });
  afterAll(() => server.close());

  test('are what a server answers when they are sent; PARLEY_WRITE_EXAMPLES=1 writes them anew', async () => {
    const run = await runExamples(server, [...FIRST_STEPS, ...DELIVERY_STEPS, ...MEMORY_STEPS]);
    const text = `${JSON.stringify(run, null, 1).replaceAll(new URL(server.url).host, '127.0.0.1:7330')}\n`;
    if (process.env.PARLEY_WRITE_EXAMPLES === '1') writeFileSync(FILE, text);
    expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
    const names = new Set(Object.keys(run));
    const without = API.flatMap(({ routes }) => routes).filter(({ name }) => !names.has(name));
    expect(without.map(({ name }) => name).toSorted()).toEqual(WITHOUT.toSorted());
  });
});
