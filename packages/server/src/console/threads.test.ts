import type {
  ConsoleSearchAnswer,
  ExecutionsAnswer,
  MessagesAnswer,
  ThreadsAnswer,
} from '@parley/protocol/console/view-routes';
import { beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { sql } from '../platform/database/sql.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { TestServer } from '../testing/start-server.ts';
import { PersonClient } from './testing/person-client.ts';

const threads = (person: PersonClient, query: Record<string, string | number> = {}) =>
  person.read<ThreadsAnswer>('/v1/console/threads', query);

const subjects = async (person: PersonClient, query: Record<string, string | number> = {}) =>
  (await threads(person, query)).threads.map(({ subject }) => subject);

describeEachServer('console › threads', (start) => {
  const clock = new FakeClock();
  let server: TestServer;
  let ann: MessageClient;
  let bob: MessageClient;
  let anns: PersonClient;
  let bobs: PersonClient;
  let operator: PersonClient;
  let tides: string;
  let execution: string;

  const say = async (to: string, more: object) => {
    await clock.advance(1_000);
    return await ann.send(to, more);
  };

  beforeAll(async () => {
    server = await start({ clock, rateLimits: false, dlInboundPolicy: 'anyone' });
    ann = await MessageClient.register(server, 'ann@example.com');
    bob = await MessageClient.register(server, 'bob@example.com');
    await ann.create({ slug: 'harbour' });
    await ann.create({ slug: 'ferry' });
    await bob.create({ slug: 'lighthouse' });
    anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    bobs = await PersonClient.signIn(server, { api_key: bob.owner.key });
    operator = await PersonClient.operator(server);

    const first = await say('harbour', { subject: 'Tides of 100 %', body: 'secret words' });
    tides = first.id;
    await say('ferry', { subject: 'A pump', priority: 5 });
    const done = await say('harbour', { subject: 'Read long ago' });
    execution = done.execution_id;
    await say(`lighthouse@${bob.owner.slug}`, { subject: 'Over to you' });
    await ann.inbox('harbour');
    await ann.mark(done.id, 'read');
    await ann.mark(first.id, 'read');
    // An answer without a subject, after all others.
    await say('ferry', { from: 'harbour', reply_to: first.id });
    await clock.advance(1_000);
  });

  test('those with something unread come first, then the others, newest first', async () => {
    const { threads: found, next } = await threads(anns);
    expect(found.map(({ subject, unread, messages }) => [subject, unread, messages])).toEqual([
      ['Tides of 100 %', 1, 2],
      ['A pump', 1, 1],
      ['Over to you', 0, 1],
      ['Read long ago', 0, 1],
    ]);
    expect(found[0]).toMatchObject({
      thread_id: tides,
      from: `harbour@${ann.owner.slug}`,
      to: `ferry@${ann.owner.slug}`,
      stopped_at: null,
    });
    expect(next).toBeNull();
    expect(JSON.stringify(found)).not.toContain('secret words');
  });

  test('page by page each comes once', async () => {
    for (const limit of [1, 2, 3]) {
      const seen: (string | null)[] = [];
      let cursor: string | null = null;
      do {
        const page: ThreadsAnswer = await threads(anns, { limit, ...(cursor && { cursor }) });
        seen.push(...page.threads.map(({ subject }) => subject));
        ({ next: cursor } = page);
      } while (cursor !== null);
      expect(seen).toEqual(['Tides of 100 %', 'A pump', 'Over to you', 'Read long ago']);
    }
    expect((await anns.call('GET', '/v1/console/threads?cursor=x')).status).toBe(400);
  });

  test('by agent, state, priority and a part of the subject', async () => {
    const harbour = `harbour@${ann.owner.slug}`;
    expect(await subjects(anns, { agent: harbour })).toEqual(['Tides of 100 %', 'Read long ago']);
    expect(await subjects(anns, { priority: 5 })).toEqual(['A pump']);
    expect(await subjects(anns, { state: 'read' })).toEqual(['Read long ago', 'Tides of 100 %']);
    expect(await subjects(anns, { state: 'queued', agent: `ferry@${ann.owner.slug}` })).toEqual([
      'Tides of 100 %',
      'A pump',
    ]);
    expect(await subjects(anns, { q: 'TIDES' })).toEqual(['Tides of 100 %']);
    expect(await subjects(anns, { q: '100 %' })).toEqual(['Tides of 100 %']);
    expect(await subjects(anns, { q: '1%0' })).toEqual([]);
    expect(await subjects(anns, { q: '_' })).toEqual([]);
  });

  test('of others nothing; the other end of a message sees it as its own', async () => {
    expect(await subjects(bobs)).toEqual(['Over to you']);
    expect((await threads(bobs)).threads).toMatchObject([{ unread: 1, owner: bob.owner.slug }]);
    expect(await subjects(operator)).toHaveLength(4);
    expect(await subjects(operator, { owner: bob.owner.slug })).toEqual(['Over to you']);
    expect((await bobs.call('GET', `/v1/console/threads?agent=harbour@${ann.owner.slug}`)).status).toBe(404);
  });

  test('one that the loop guard stopped says so', async () => {
    await server.context.database.write((tx) =>
      tx.run(sql`UPDATE message_threads SET tripped_at = ${clock.now()} WHERE id = ${tides}`),
    );
    const [first] = (await threads(anns)).threads;
    expect(first?.stopped_at).not.toBeNull();
    const stoppedAt = async (person: PersonClient, thread = tides) =>
      (await person.read<MessagesAnswer>('/v1/console/messages', { thread })).stopped_at;
    expect(await stoppedAt(anns)).toBe(first?.stopped_at);
    expect(await stoppedAt(bobs)).toBeNull();
    expect((await anns.call('POST', `/v1/threads/${tides}/resume`)).status).toBe(200);
    expect((await threads(anns)).threads[0]?.stopped_at).toBeNull();
    expect(await stoppedAt(anns)).toBeNull();
  });

  test('an execution is found by its id, by whose it is', async () => {
    const runs = async (person: PersonClient) =>
      (await person.read<ExecutionsAnswer>('/v1/console/executions', { id: execution })).executions;
    expect((await runs(anns)).map(({ id }) => id)).toEqual([execution]);
    expect((await runs(operator)).map(({ id }) => id)).toEqual([execution]);
    expect(await runs(bobs)).toEqual([]);
    const { results } = await anns.read<ConsoleSearchAnswer>('/v1/console/search', { q: execution });
    expect(results).toMatchObject([{ kind: 'execution', view: `/executions?id=${execution}` }]);
  });
});

describeEachServer('console › threads of strangers', (start) => {
  test('an operator who reads no texts searches none either', async () => {
    const server = await start({
      rateLimits: false,
      publicUrl: 'http://127.0.0.1:1',
      registration: 'open',
      allowOpenRegistration: true,
      operatorReads: 'names',
    });
    const ann = await MessageClient.register(server, 'ann@example.com');
    await ann.create({ slug: 'harbour' });
    await ann.send('harbour', { subject: 'for ann alone' });
    const operator = await PersonClient.operator(server);
    const found = await operator.read<ThreadsAnswer>('/v1/console/threads');
    expect(found.threads).toMatchObject([{ subject: null, unread: 1 }]);
    expect((await operator.call('GET', '/v1/console/threads?q=ann')).status).toBe(400);
  });
});
