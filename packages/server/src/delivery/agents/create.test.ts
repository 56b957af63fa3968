import type { AgentAnswer } from '@parley/protocol/delivery/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { tally } from '../../identity/testing/people.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { TestServer } from '../../testing/start-server.ts';
import { AgentClient, resolveNames } from '../testing/agent-client.ts';

describeEachServer('agents', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let max: AgentClient;
  let eve: AgentClient;

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false, resolve: resolveNames });
    max = await AgentClient.register(server, 'max@example.com');
    eve = await AgentClient.register(server, 'eve@example.com');
  });

  describe('create', () => {
    test('answers with everything there is to know', async () => {
      const agent = await max.create({ slug: 'cue-mac-app', display_name: 'Cue Mac App' });
      expect(agent).toEqual({
        id: expect.stringMatching(/^agent_[a-z0-9]{12}$/),
        user_id: max.owner.id,
        owner: 'max',
        slug: 'cue-mac-app',
        address: 'cue-mac-app@max',
        display_name: 'Cue Mac App',
        status: 'online',
        delivery_capabilities: ['inbox'],
        capabilities_declared: false,
        preferred_contact: null,
        profile: {
          display_name: null,
          specialization: null,
          tools: [],
          preferred_contact: null,
          work_style: null,
        },
        webhook_url: null,
        webhook_secret: null,
        metadata: {},
        parent_agent_id: null,
        inbound_policy: 'anyone',
        inbound_allow: [],
        bg_task: 'cue-mac-app-bg',
        live_attached: false,
        heartbeat_age_sec: null,
        live_sessions: [],
        last_seen_at: null,
        deleted_at: null,
        created_at: new Date(clock.now()).toISOString(),
        updated_at: new Date(clock.now()).toISOString(),
      });
      expect((await max.read('cue-mac-app')).body).toEqual(agent);
    });

    test('keeps every field it is given', async () => {
      const given = {
        slug: 'full',
        display_name: 'Full',
        webhook_url: 'https://hooks.example.com/in',
        metadata: { team: 'a', n: [1, { deep: null }] },
        delivery_capabilities: ['webhook', 'live', 'bg', 'webhook'],
        preferred_contact: 'live',
        profile: {
          display_name: 'Fully',
          specialization: 'all',
          tools: ['grep', 'sed'],
          work_style: 'async',
        },
        inbound_policy: 'allowlist',
        inbound_allow: ['eve', 'agent_aaaaaaaaaaaa'],
        bg_task: 'run-full',
      };
      const { webhook_secret, ...agent } = await max.create(given);
      expect(agent).toMatchObject({
        ...given,
        delivery_capabilities: ['webhook', 'live', 'bg'],
        capabilities_declared: true,
        profile: { ...given.profile, preferred_contact: 'async' },
      });
      expect(webhook_secret).toMatch(/^whsec_[0-9a-f]{64}$/);
      expect((await max.read('full')).body.webhook_secret).toBeNull();
    });

    test.each([
      [{ display_name: 'Nice Robot!' }, { slug: 'nice-robot', display_name: 'Nice Robot!' }],
      [{ display_name: '…' }, { slug: 'agent' }],
      [{ slug: 'only-slug' }, { display_name: 'only-slug' }],
      [{ profile: { display_name: 'Pat' } }, { display_name: 'Pat', slug: 'pat' }],
    ])('of %j has %j', async (body, expected) => {
      expect(await max.create(body)).toMatchObject(expected);
    });

    test('takes null for what is left out', async () => {
      const nothing = {
        slug: null,
        parent_agent_id: null,
        webhook_url: null,
        metadata: null,
        profile: null,
        delivery_capabilities: null,
        preferred_contact: null,
        inbound_policy: null,
        inbound_allow: null,
        bg_task: null,
      };
      expect(await max.create({ display_name: 'Nothing Else', ...nothing })).toMatchObject({
        slug: 'nothing-else',
        metadata: {},
        capabilities_declared: false,
        inbound_policy: 'anyone',
        bg_task: 'nothing-else-bg',
      });
    });

    test('gives a derived slug that is taken or reserved four hex digits more', async () => {
      await max.create({ display_name: 'Twin' });
      expect((await max.create({ display_name: 'Twin' })).slug).toMatch(/^twin-[0-9a-f]{4}$/);
      expect((await max.create({ display_name: 'Admin' })).slug).toMatch(/^admin-[0-9a-f]{4}$/);
    });

    test.each<[unknown, number, string]>([
      [{}, 422, 'validation_error'],
      [{ slug: 'Not Good' }, 422, 'validation_error'],
      [{ slug: '-x' }, 422, 'validation_error'],
      [{ slug: ' x ' }, 422, 'validation_error'],
      [{ slug: 'x'.repeat(65) }, 422, 'validation_error'],
      [{ slug: 'roster' }, 400, 'reserved_slug'],
      [{ slug: 'a', display_name: 'x'.repeat(256) }, 422, 'validation_error'],
      [{ slug: 'a', colour: 'red' }, 422, 'validation_error'],
      [{ slug: 'a', delivery_capabilities: [] }, 422, 'validation_error'],
      [{ slug: 'a', delivery_capabilities: ['fax'] }, 422, 'validation_error'],
      [{ slug: 'a', preferred_contact: 'live' }, 422, 'preferred_contact_not_in_capabilities'],
      [
        { slug: 'a', profile: { work_style: 'sync', preferred_contact: 'async' } },
        422,
        'work_style_conflict',
      ],
      [{ slug: 'a', profile: { mood: 'good' } }, 422, 'validation_error'],
      [{ slug: 'a', profile: { tools: Array(51).fill('t') } }, 422, 'validation_error'],
      [{ slug: 'a', metadata: { text: 'x'.repeat(10_240) } }, 400, 'metadata_too_large'],
      [{ slug: 'a', webhook_url: 'https://inside.example.com/' }, 400, 'invalid_callback_url'],
      [{ slug: 'a', webhook_url: 'http://127.0.0.1/' }, 400, 'invalid_callback_url'],
      [{ slug: 'a', webhook_url: 'ftp://hooks.example.com/' }, 400, 'invalid_callback_url'],
      [{ slug: 'a', inbound_policy: 'friends' }, 422, 'validation_error'],
      [{ slug: 'a', parent_agent_id: 'nobody-here' }, 422, 'invalid_parent_agent'],
    ])('refuses %j', async (body, status, code) => {
      const answer = await max.tryCreate(body);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      expect(answer.body.detail.error).toEqual(answer.body.error);
    });

    test('names the other axis when the two contacts are mixed up', async () => {
      const routing = await max.tryCreate({ slug: 'a', preferred_contact: 'sync' });
      expect(routing.body.error).toMatchObject({
        code: 'validation_error',
        details: [
          { field: 'body.preferred_contact', message: expect.stringContaining('profile.work_style') },
        ],
      });
      const style = await max.tryCreate({ slug: 'a', profile: { preferred_contact: 'live' } });
      expect(style.body.error.details?.[0]).toEqual({
        field: 'body.profile.preferred_contact',
        message: expect.stringContaining('top-level preferred_contact'),
      });
    });

    test('refuses a slug the owner has; another owner may have it', async () => {
      await max.create({ slug: 'mine' });
      expect((await max.tryCreate({ slug: 'mine' })).body.error).toMatchObject({
        code: 'slug_taken',
        status: 409,
      });
      expect((await eve.create({ slug: 'mine' })).address).toBe('mine@eve');
    });

    test('lets exactly one of many racing for a slug have it', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => max.tryCreate({ slug: 'raced' })));
      expect(tally(answers)).toEqual({ 201: 1, 409: 19 });
    });

    test('warns of a webhook whose name does not resolve', async () => {
      const agent = await max.create({ slug: 'lost', webhook_url: 'https://nowhere.example.com/' });
      expect(agent.warning).toBe('hostname did not resolve');
    });

    test('makes a live sibling of a background agent, but not of a sibling', async () => {
      const parent = await max.create({ slug: 'worker', delivery_capabilities: ['bg', 'inbox'] });
      const sibling = await max.create({ parent_agent_id: 'worker' });
      expect(sibling).toMatchObject({ slug: 'worker-live', parent_agent_id: parent.id });
      expect((await max.create({ parent_agent_id: parent.id })).slug).toMatch(/^worker-live-[0-9a-f]{4}$/);
      const { id: longest } = await max.create({ slug: 'x'.repeat(64) });
      const { slug } = await max.create({ parent_agent_id: longest });
      expect(slug).toBe(`${'x'.repeat(59)}-live`);
      expect((await max.read(slug)).status).toBe(200);
      const third = await max.tryCreate({ slug: 'third', parent_agent_id: sibling.id });
      expect([third.status, third.body.error.code]).toEqual([422, 'invalid_parent_agent']);
      const foreign = await eve.tryCreate({ slug: 'thief', parent_agent_id: parent.id });
      expect([foreign.status, foreign.body.error.code]).toEqual([422, 'invalid_parent_agent']);
    });

    test('an agent that registered for rooms is one too', async () => {
      const registered = await max.people.agent('Roomer');
      const read = await max.people.call<AgentAnswer>('GET', `/v1/agents/${registered.id}`, {
        key: registered.key,
      });
      expect(read.body).toMatchObject({
        slug: 'roomer',
        delivery_capabilities: ['inbox'],
        bg_task: 'roomer-bg',
      });
    });
  });
});
