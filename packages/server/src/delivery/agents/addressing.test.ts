import { DIRECTORY_ROUTES } from '@parley/protocol/delivery/agent-routes';
import type { AgentAnswer } from '@parley/protocol/delivery/types';
import { LIVE_SESSION_ROUTES } from '@parley/protocol/delivery/live-session-routes';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { AgentClient } from '../testing/agent-client.ts';

/** What each route needs to get as far as the address. */
const BODIES: Readonly<Record<string, unknown>> = {
  agent_update: { display_name: 'x' },
  agent_rename: { slug: 'x' },
  agent_profile_update: {},
  agent_webhook_secret_regenerate: {},
  agent_heartbeat: { channel: 'bg' },
  live_session_attach: { label: 'x', task_name: 'x' },
  live_session_update: { session_token: 'x' },
  live_session_heartbeat: {},
};
const WITH_REF = [...DIRECTORY_ROUTES, ...LIVE_SESSION_ROUTES].filter(
  ({ path, name }) => path.includes('{ref}') && name !== 'live_session_stream',
);

describeEachServer('addressing', (start) => {
  let server: TestServer;
  let max: AgentClient;
  let eve: AgentClient;
  let agent: AgentAnswer;

  beforeAll(async () => {
    server = await start({ rateLimits: false });
    max = await AgentClient.register(server, 'max@example.com');
    eve = await AgentClient.register(server, 'eve@example.com');
    agent = await max.create({ slug: 'cue-mac-app', webhook_url: 'https://hooks.example.com/' });
    await max.attach('cue-mac-app', { label: 'main' });
  });

  test.each([
    ['the id', () => agent.id],
    ['the other spelling of it', () => agent.id.replace('agent_', 'agt_')],
    ['slug and owner', () => 'cue-mac-app@max'],
    ['both in capitals', () => 'Cue-Mac-App@MAX'],
    ['the bare slug', () => 'cue-mac-app'],
    ['the bare slug among spaces', () => ' cue-mac-app '],
  ])('finds an agent by %s', async (_, ref) => {
    expect((await max.read(ref())).body.id).toBe(agent.id);
  });

  test.each([
    'a@b@c',
    '@max',
    'cue-mac-app@',
    'cue mac app',
    'x_y',
    '-',
    'agent_short',
    'agent_AAAAAAAAAAAA',
  ])('refuses %j as no address', async (ref) => {
    const answer = await max.read(ref);
    expect(answer.body.error).toMatchObject({ code: 'invalid_agent_address', status: 400 });
  });

  test('what looks like an id is not tried as a slug', async () => {
    expect((await max.read('agent_aaaaaaaaaaaa')).body.error.code).toBe('agent_not_found');
  });

  test('an unknown owner, an unknown slug and a deleted agent are all the same 404', async () => {
    await max.create({ slug: 'deleted' });
    await max.call('DELETE', '/v1/agents/deleted');
    for (const ref of ['cue-mac-app@nobody', 'nothing@max', 'nothing', 'deleted', 'deleted@max']) {
      const { status, body } = await max.read(ref);
      const error = { code: 'agent_not_found', message: `agent ${ref} not found`, status: 404 };
      expect([status, body]).toEqual([404, { error, detail: { error } }]);
    }
  });

  describe('by the task of a live session', () => {
    test('a slug nobody has leads to the agent whose attached session stands for it', async () => {
      const { id } = await max.create({ slug: 'oddly-named' });
      expect((await max.read('mac-helper')).status).toBe(404);
      await max.attach('oddly-named', { task_name: 'max-mac-helper-main-live' });
      expect((await max.read('mac-helper')).body.id).toBe(id);
      expect((await max.read('mac-helper@max')).body.id).toBe(id);
      expect((await eve.read('mac-helper')).status).toBe(404);
      await max.session('DELETE', 'oddly-named', 'main');
      expect((await max.read('mac-helper')).status).toBe(404);
    });

    test('an agent of that slug, and one that gave it up, come first', async () => {
      const { id: former } = await max.create({ slug: 'contested' });
      await max.call('POST', '/v1/agents/contested/rename', { body: { slug: 'was-contested' } });
      await max.create({ slug: 'claimant' });
      await max.attach('claimant', { task_name: 'contested-live' });
      expect((await max.read('contested')).body.id).toBe(former);
      const { id: own } = await max.create({ slug: 'contested' });
      expect((await max.read('contested')).body.id).toBe(own);
    });
  });

  describe.each(WITH_REF.map((route) => [route.name, route] as const))('%s', (name, { method, path }) => {
    const call = (client: AgentClient, ref: string) =>
      client.call(method, path.replace('{ref}', encodeURIComponent(ref)).replace('{label}', 'main'), {
        headers: { 'x-confirm-destructive': 'true' },
        ...(name in BODIES && { body: BODIES[name] }),
      });

    test('takes an agent of another owner for none', async () => {
      for (const ref of [agent.id, agent.id.replace('agent_', 'agt_'), 'cue-mac-app@max']) {
        const foreign = await call(eve, ref);
        const error = { code: 'agent_not_found', message: `agent ${ref} not found`, status: 404 };
        expect([foreign.status, foreign.body]).toEqual([404, { error, detail: { error } }]);
      }
      expect((await call(eve, 'cue-mac-app')).status).toBe(404);
    });

    test('wants a key, and an address', async () => {
      const anonymous = await max.people.call(
        method,
        path.replace('{ref}', agent.id).replace('{label}', 'main'),
      );
      expect(anonymous.status).toBe(401);
      expect((await call(max, 'a@b@c')).body.error.code).toBe('invalid_agent_address');
    });
  });
});
