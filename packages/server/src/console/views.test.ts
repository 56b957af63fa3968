import type {
  AgentRouteAnswer,
  AgentsAnswer,
  ConsoleSearchAnswer,
  ExecutionsAnswer,
  MessagesAnswer,
  Overview,
  Traffic,
} from '@parley/protocol/console/view-routes';
import { VIEW_ROUTES } from '@parley/protocol/console/view-routes';
import { beforeAll, expect, test } from 'vitest';
import { baseCapsule } from '../continuity/testing/base-capsule.ts';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { SseReader } from '../testing/sse-reader.ts';
import type { TestServer } from '../testing/start-server.ts';
import { WebhookSink } from '../testing/webhook-sink.ts';
import { conversation } from './testing/conversation.ts';
import { PersonClient } from './testing/person-client.ts';

const slugs = async (person: PersonClient): Promise<string[]> =>
  (await person.read<AgentsAnswer>('/v1/console/agents')).agents.map(({ address }) => address);

const viewsFor = async (person: PersonClient, q: string): Promise<Record<string, string>> => {
  const { results } = await person.read<ConsoleSearchAnswer>('/v1/console/search', { q });
  return Object.fromEntries(results.map(({ kind, view }) => [kind, view]));
};

describeEachServer('console › views', (start) => {
  let server: TestServer;
  let ann: MessageClient;
  let bob: MessageClient;
  let anns: PersonClient;
  let bobs: PersonClient;
  let operator: PersonClient;

  beforeAll(async () => {
    server = await start({ rateLimits: false, callbackAllow: ['127.0.0.1'], dlInboundPolicy: 'anyone' });
    ann = await MessageClient.register(server, 'ann@example.com');
    bob = await MessageClient.register(server, 'bob@example.com');
    await ann.create({ slug: 'harbour' });
    await bob.create({ slug: 'lighthouse' });
    anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    bobs = await PersonClient.signIn(server, { api_key: bob.owner.key });
    operator = await PersonClient.operator(server);
  });

  test('answers have the declared shapes', async () => {
    const sent = await ann.send('harbour', { subject: 'tide', body: 'x' });
    for (const { path, answer } of VIEW_ROUTES) {
      if (!answer) continue;
      const asked = path.replace('{ref}', `harbour@${ann.owner.slug}`).replace('{id}', sent.id);
      for (const person of [anns, operator]) {
        const body = await person.read(asked, path.endsWith('search') ? { q: 'har' } : {});
        expect(answer.safeParse(body).error, path).toBeUndefined();
      }
    }
  });

  test('an operator sees the agents of all, an owner its own', async () => {
    const [harbour, lighthouse] = [`harbour@${ann.owner.slug}`, `lighthouse@${bob.owner.slug}`];
    expect(await slugs(operator)).toEqual(expect.arrayContaining([harbour, lighthouse]));
    expect(await slugs(anns)).toContain(harbour);
    expect(await slugs(anns)).not.toContain(lighthouse);
    expect((await bobs.call('GET', `/v1/console/agents/${harbour}/route`)).status).toBe(404);
    const found = await operator.read<ConsoleSearchAnswer>('/v1/console/search', { q: 'light' });
    expect(found.results).toEqual([
      { kind: 'agent', title: lighthouse, hint: 'lighthouse', view: `/agents/${lighthouse}` },
    ]);
    expect((await anns.read<ConsoleSearchAnswer>('/v1/console/search', { q: 'light' })).results).toEqual([]);
  });

  test('everything is found by its name or id, and nothing of another owner', async () => {
    await ann.send('harbour', { subject: 'Fog over the bay', body: 'x' });
    const cue = await ann.call<{ id: string }>('POST', '/v1/cues', {
      body: { name: 'fog horn', cron: '0 6 * * *', agent: 'harbour', payload: { body: 'x' } },
    });
    const { room_id: room } = await conversation(
      [anns.as('harbour'), anns.as('self')],
      { topic: 'Who listens in fog' },
      ['I do.'],
    );
    const at = `${new Date().toISOString().slice(0, 19)}Z`;
    await ann.call('POST', '/v1/continuity/upsert', {
      body: { subject_kind: 'task', subject_id: 'fog-log', capsule: baseCapsule('task', 'fog-log', at) },
    });
    for (const person of [anns, operator])
      expect(await viewsFor(person, 'FOG')).toEqual({
        cue: `/cues/${cue.body.id}`,
        room: `/rooms/${room}`,
        memory: '/memory/task/fog-log?owner=ann',
        message: expect.stringMatching(/^\/messages\/msg_/),
      });
    expect(await viewsFor(bobs, 'fog')).toEqual({});
    const { body: agent } = await ann.call<{ id: string }>('GET', '/v1/agents/harbour');
    const { id } = agent;
    expect(await viewsFor(operator, id)).toEqual({ agent: '/agents/harbour@ann' });
    expect(await viewsFor(bobs, id)).toEqual({});
    expect(await viewsFor(operator, 'harbour@ann')).toEqual({ agent: '/agents/harbour@ann' });
    expect(await viewsFor(operator, 'harbour@bob')).toEqual({});
  });

  test('the route of an agent changes with its sessions', async () => {
    const route = () => anns.read<AgentRouteAnswer>(`/v1/console/agents/harbour@${ann.owner.slug}/route`);
    expect((await route()).agent.reach).toBe('inbox');
    await ann.attach('harbour');
    const live = await route();
    expect([live.agent.reach, live.route]).toEqual(['live', 'live']);
    expect(live.steps.at(-1)).toMatchObject({ step: 'resolved', result: 'live' });
    await ann.session('DELETE', 'harbour', 'main');
  });

  test('messages come page by page, and those of others not at all', async () => {
    await ann.create({ slug: 'pages' });
    for (const n of [1, 2, 3]) await ann.send('pages', { subject: `number ${n}`, body: 'secret text' });
    const query = { agent: `pages@${ann.owner.slug}`, limit: 2 };
    const first = await anns.read<MessagesAnswer>('/v1/console/messages', query);
    const second = await anns.read<MessagesAnswer>('/v1/console/messages', {
      ...query,
      cursor: first.next ?? '',
    });
    expect([...first.messages, ...second.messages].map(({ subject }) => subject)).toEqual([
      'number 3',
      'number 2',
      'number 1',
    ]);
    expect(second.next).toBeNull();
    expect(JSON.stringify(first)).not.toContain('secret text');
    const others = await bobs.read<MessagesAnswer>('/v1/console/messages', { owner: ann.owner.slug });
    expect(others.messages).toEqual([]);
    const runs = await anns.read<ExecutionsAnswer>('/v1/console/executions', {
      agent: `pages@${ann.owner.slug}`,
    });
    expect(runs.executions).toHaveLength(3);
  });

  const needs = async () => (await anns.read<Overview>('/v1/console/overview')).needs;

  test('a webhook that is gone needs somebody, until it is replayed', async () => {
    const sink = await new WebhookSink().listen();
    sink.answer = () => 410;
    await ann.create({ slug: 'hooked', webhook_url: sink.url() });
    const sent = await ann.send('hooked', { delivery_mode: 'webhook' });
    await expect.poll(async () => (await needs()).map(({ id }) => id)).toContain(sent.id);
    expect((await bobs.read<Overview>('/v1/console/overview')).needs).toEqual([]);
    sink.answer = () => 200;
    await anns.call('POST', `/v1/executions/${sent.execution_id}/replay`, { body: {} });
    await expect.poll(async () => (await needs()).map(({ id }) => id)).not.toContain(sent.id);
    await sink.close();
  });

  test('what failed and was sent again needs nobody any more', async () => {
    const lost = { delivery_mode: 'live', live_fallback_mode: 'none' };
    const sent = await ann.send('harbour', lost);
    expect((await needs()).map(({ id }) => id)).toContain(sent.id);
    await ann.send('harbour', { reply_to: sent.id });
    expect((await needs()).map(({ id }) => id)).not.toContain(sent.id);
  });

  test('a message that nobody has yet is taken back by who sent it, and by nobody else', async () => {
    const sent = await ann.send('harbour', { body: 'not yet' });
    const cancel = (person: PersonClient) => person.call('DELETE', `/v1/console/messages/${sent.id}`);
    expect((await cancel(bobs)).status).toBe(404);
    expect((await cancel(anns)).status).toBe(204);
    expect((await ann.message(sent.id)).delivery_state).toBe('expired');
    expect((await ann.inbox('harbour', { peek: 'true' })).messages.map(({ id }) => id)).not.toContain(
      sent.id,
    );
    expect((await cancel(anns)).status).toBe(409);
    const fetched = await ann.send('harbour', { body: 'too late' });
    await ann.inbox('harbour');
    expect((await anns.call('DELETE', `/v1/console/messages/${fetched.id}`)).status).toBe(409);
  });

  test('traffic counts what happened', async () => {
    const mine = await anns.read<Traffic>('/v1/console/traffic', { window: '1h' });
    expect(mine.messages.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(4);
    expect(mine.messages).toHaveLength(60);
    const theirs = await bobs.read<Traffic>('/v1/console/traffic', { window: '24h' });
    expect(theirs.messages.every((n) => n === 0)).toBe(true);
  });

  test('a page is told what changed, and ends with its session', async () => {
    const person = await PersonClient.signIn(server, { api_key: ann.owner.key });
    const stream = await SseReader.open(server, '/v1/console/stream', { headers: { cookie: person.cookie } });
    await ann.send('harbour', { body: 'news' });
    await expect
      .poll(() => stream.frames.flatMap(({ data }) => (data as { kinds: string[] }).kinds))
      .toContain('messages');
    await person.call('DELETE', '/v1/console/session');
    await expect.poll(() => stream.over).toBe(true);
  });
});
