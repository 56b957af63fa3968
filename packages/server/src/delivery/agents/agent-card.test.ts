import { expect, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import { describeEachServer } from '../../testing/each-server.ts';
import { suiteServer } from '../../testing/suite-server.ts';

const PATH = '/.well-known/agent-card.json';

describeEachServer('agent card', (start) => {
  const server = suiteServer(() => start());
  const people = new People(server);

  test('is shown of an agent whose owner wants it, and of nobody else', async () => {
    const { key, slug: owner } = await people.owner();
    const body = { slug: 'tide-bot', profile: { specialization: 'Knows the tides.', tools: ['tables'] } };
    await people.call('POST', '/v1/agents', { key, body });
    const card = () => people.call('GET', PATH, { query: { agent: `tide-bot@${owner}` } });
    const want = (wanted: boolean | null) =>
      people.call<{ agent_card?: boolean }>('PATCH', '/v1/agents/tide-bot/profile', {
        key,
        body: { agent_card: wanted },
      });
    const unwanted = await card();
    const unknown = await people.call('GET', PATH, { query: { agent: `nobody@${owner}` } });
    expect([unwanted.status, unknown.status]).toEqual([404, 404]);
    expect(unwanted.text.replaceAll('tide-bot', 'nobody')).toBe(unknown.text);

    expect((await want(true)).body.agent_card).toBe(true);
    const { status, body: shown, headers } = await card();
    expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(shown).toMatchObject({
      name: 'tide-bot',
      description: 'Knows the tides.',
      url: `${server.url}/v1/messages`,
      preferredTransport: 'parley',
      provider: { organization: owner },
      skills: [{ id: 'message', name: `Write to tide-bot@${owner}` }, { id: 'tables' }],
    });
    expect((await want(null)).body.agent_card).toBeUndefined();
    expect((await card()).status).toBe(404);

    await want(true);
    await people.call('DELETE', '/v1/agents/tide-bot', { key });
    expect((await card()).status).toBe(404);
  });

  test('says how to ask where no agent is named', async () => {
    const { status, body } = await people.call<{ error: { message: string } }>('GET', PATH);
    expect([status, body.error.message]).toEqual([404, 'say whose card: ?agent=slug@owner']);
    expect((await people.call('GET', PATH, { query: { agent: 'bare-slug' } })).status).toBe(404);
  });
});

describeEachServer('agent card of the server', (start) => {
  const server = suiteServer(() => start({ agentCard: 'guide@harbour' }));
  const people = new People(server);

  test('is that of the agent in the settings', async () => {
    const { key } = await people.owner('harbour@example.org');
    const { body: account } = await people.call<{ slug: string }>('GET', '/v1/auth/me', { key });
    expect(account.slug).toBe('harbour');
    const body = { slug: 'guide', profile: { agent_card: true } };
    await people.call('POST', '/v1/agents', { key, body });
    expect((await people.call('GET', PATH)).body).toMatchObject({ name: 'guide' });
  });
});
