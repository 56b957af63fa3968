import type { ActivityAnswer } from '@parley/protocol/console/view-routes';
import { beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { describeEachServer } from '../testing/each-server.ts';
import type { TestServer } from '../testing/start-server.ts';
import { PersonClient } from './testing/person-client.ts';

const read = (person: PersonClient, query: Record<string, string | number> = {}): Promise<ActivityAnswer> =>
  person.read<ActivityAnswer>('/v1/console/activity', query);

describeEachServer('console › activity', (start) => {
  let server: TestServer;
  let anns: PersonClient;
  let bobs: PersonClient;
  let operator: PersonClient;
  let sent: string;

  beforeAll(async () => {
    server = await start({ rateLimits: false });
    const ann = await MessageClient.register(server, 'ann@example.com');
    const bob = await MessageClient.register(server, 'bob@example.com');
    await ann.create({ slug: 'harbour' });
    await bob.create({ slug: 'pier' });
    await ann.attach('harbour');
    ({ id: sent } = await ann.send('harbour', { subject: 'annsword', body: 'annsword' }));
    anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    bobs = await PersonClient.signIn(server, { api_key: bob.owner.key });
    operator = await PersonClient.operator(server);
    await anns.call('POST', '/v1/agents', { body: { slug: 'quay' } });
  });

  test('has what people did and what happened to agents in one stream, newest first', async () => {
    const { lines } = await read(anns);
    expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).toSorted((a, b) => (a < b ? 1 : -1)));
    expect(lines).toContainEqual(
      expect.objectContaining({ source: 'audit', actor: 'owner', action: 'signed_in', owner: 'ann' }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({
        source: 'audit',
        actor: 'owner',
        action: 'changed',
        object: 'POST /v1/agents',
      }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({
        source: 'event',
        actor: 'harbour@ann',
        action: 'message.delivered',
        object: sent,
        view: `/messages/${sent}`,
        owner: 'ann',
      }),
    );
  });

  test('shows no text, and nothing of another owner', async () => {
    expect(JSON.stringify(await read(operator))).not.toContain('annsword');
    expect(JSON.stringify(await read(bobs))).not.toMatch(/harbour|ann/);
    expect(JSON.stringify(await read(operator))).toContain('harbour@ann');
  });

  test('is found by who, by what was done and by what is shown', async () => {
    const byAgent = await read(anns, { actor: 'harbour@' });
    expect(new Set(byAgent.lines.map(({ actor }) => actor))).toEqual(new Set(['harbour@ann']));
    const byKind = await read(operator, { kind: 'signed_in' });
    expect(byKind.lines.map(({ actor }) => actor).toSorted()).toEqual(['operator', 'owner', 'owner']);
    const byText = await read(anns, { q: sent.toUpperCase() });
    expect(byText.lines.length).toBeGreaterThan(0);
    expect(byText.lines.every(({ object }) => object === sent)).toBe(true);
    expect(await read(anns, { q: 'annsword' })).toEqual({ lines: [], next: null });
  });

  test('page by page it is the same, each line once', async () => {
    const whole = await read(operator);
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const page: ActivityAnswer = await read(operator, { limit: 2, ...(cursor !== null && { cursor }) });
      paged.push(...page.lines.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== null);
    expect(paged).toEqual(whole.lines.map(({ id }) => id));
    const answer = await operator.call('GET', '/v1/console/activity', { query: { cursor: '7.x' } });
    expect(answer.status).toBe(400);
  });
});
