import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { richCapsule } from './continuity/testing/rich-capsule.ts';
import { MessageClient } from './delivery/testing/message-client.ts';
import { People } from './identity/testing/people.ts';
import { systemRandom } from './platform/ids.ts';
import { RoomClient } from './rooms/testing/room-client.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { startServer, type TestServer } from './testing/start-server.ts';
import { statementsOf } from './testing/statements.ts';

/** What is done to which table, in the order of the statements. */
const tablesOf = (statements: readonly string[]): string[] =>
  statements.map((text) => {
    const [, verb, table] =
      /^(INSERT INTO|UPDATE|DELETE FROM|SELECT)(?:(?<=SELECT).*? FROM)? "?(\w+)/i.exec(text) ?? [];
    return table === undefined ? text : `${verb?.split(' ')[0]} ${table}`;
  });

/** What each of them asks of the store, once everything that hardly changes has been read. */
describe('the busiest requests', () => {
  // Time stands still, so that nothing is written in between that was only noted.
  const clock = new FakeClock();
  let server: TestServer;

  beforeAll(async () => {
    // Nothing that is done now and then by chance is done here.
    const random = { ...systemRandom, unit: () => 0.5 };
    server = await startServer({ clock, random, rateLimits: false });
  });
  afterAll(() => server.close());

  const meanwhile = () => statementsOf(() => fetch(`${server.url}/healthz`));

  async function steps(work: () => Promise<unknown>): Promise<string[]> {
    // What follows from what was done before, such as a look at the jobs, is over.
    await expect.poll(async () => [...(await meanwhile()), ...(await meanwhile())]).toEqual([]);
    return tablesOf(await statementsOf(work));
  }

  test('whoami asks nothing', async () => {
    const people = new People(server);
    const owner = await people.owner('who@example.com');
    const ask = () => people.whoami(owner.key);
    await ask();
    expect(await steps(ask)).toEqual([]);
  });

  test('the account asks for its owner, this month and what is kept as a tally, and counts nothing', async () => {
    const people = new People(server);
    const owner = await people.owner('me@example.com');
    const ask = () => people.call('GET', '/v1/auth/me', { key: owner.key });
    await ask();
    expect((await steps(ask)).toSorted()).toEqual([
      'SELECT message_tallies',
      'SELECT owners',
      'SELECT usage_months',
    ]);
  });

  test('a message asks what must not change meanwhile, and writes five tables', async () => {
    const ann = await MessageClient.register(server);
    const ben = await MessageClient.register(server);
    await ann.create({ slug: 'app' });
    await ben.create({ slug: 'box', inbound_policy: 'anyone' });
    const send = () => ann.send(`box@${ben.owner.slug}`, { from: 'app' });
    await send();
    expect(await steps(send)).toEqual([
      'SELECT agent_pairs',
      'SELECT agents',
      'INSERT messages',
      'INSERT executions',
      'INSERT message_tallies',
      'INSERT usage_months',
      'INSERT agent_events',
    ]);
  });

  test('a turn in a room asks for the room and its webhooks, and writes five tables', async () => {
    const { a, b, id } = await new RoomClient(server).room();
    await a.send(id, 'one');
    await b.send(id, 'two');
    const { next_turn: turn, bundle_hash: hash } = await a.context(id);
    const send = () => a.post(id, { expected_turn: turn, ciphertext: 'three', bundle_hash: hash });
    expect(await steps(send)).toEqual([
      'SELECT rooms',
      'INSERT room_text_bytes',
      'INSERT room_messages',
      'UPDATE room_deliveries',
      'INSERT room_deliveries',
      'INSERT room_events',
      'SELECT room_webhook_endpoints',
      'UPDATE rooms',
      'INSERT agent_events',
    ]);
  });

  test('an upsert asks for what it replaces, and writes three tables', async () => {
    const people = new People(server);
    const owner = await people.owner('memory@example.com');
    const upsert = (at: string) => () =>
      people.call('POST', '/v1/continuity/upsert', {
        key: owner.key,
        body: { subject_kind: 'thread', subject_id: 'work', capsule: richCapsule('thread', 'work', at) },
      });
    await upsert('2026-01-01T00:00:00.000Z')();
    expect(await steps(upsert('2026-01-01T00:00:01.000Z'))).toEqual([
      'SELECT continuity_artifacts',
      'INSERT continuity_revisions',
      'INSERT continuity_artifacts',
      'INSERT stream_events',
    ]);
  });

  describe('documents', () => {
    let key: string;
    const call = (path: string, body: object) => () =>
      new People(server).call('POST', path, { key, body }).then(({ status }) => expect(status).toBe(200));
    const write = (path: string, content: string) => call('/v1/write', { path, content });

    beforeAll(async () => {
      ({ key } = await new People(server).owner('library@example.com'));
      await write('projects/plan.md', 'known words')();
      await write('projects/other.md', 'known words')();
      await write('projects/third.md', 'known words')();
      await call('/v1/index/rebuild', {})();
    });

    test('a new one asks about its place and its words, and writes three tables, with new words five', async () => {
      expect(await steps(write('projects/deep/down/known.md', 'known words deep down'))).toEqual([
        'SELECT knowledge_files',
        'INSERT continuity_revisions',
        'INSERT knowledge_files',
        'SELECT json_each',
        'INSERT knowledge_words',
        'INSERT knowledge_suffixes',
        'DELETE knowledge_postings',
        'INSERT knowledge_postings',
      ]);
      expect(await steps(write('projects/down/known.md', 'known words deep down'))).toEqual([
        'SELECT knowledge_files',
        'INSERT continuity_revisions',
        'INSERT knowledge_files',
        'SELECT json_each',
        'DELETE knowledge_postings',
        'INSERT knowledge_postings',
      ]);
    });

    test('one that is replaced is read, and its text before removed', async () => {
      expect(await steps(write('projects/plan.md', 'words known'))).toEqual([
        'SELECT knowledge_files',
        'SELECT continuity_revisions',
        'INSERT continuity_revisions',
        'DELETE continuity_revisions',
        'UPDATE knowledge_files',
        'SELECT json_each',
        'DELETE knowledge_postings',
        'INSERT knowledge_postings',
      ]);
      expect(await steps(write('projects/plan.md', 'words known'))).toEqual([
        'SELECT knowledge_files',
        'SELECT continuity_revisions',
        'SELECT continuity_revisions',
      ]);
    });

    test('a line that is appended is all that is looked at, however much is there', async () => {
      const append = call('/v1/append', { path: 'messages/log.md', record: { text: 'known words' } });
      await write('messages/log.md', `${'many known words '.repeat(2_000)}\n`)();
      await append();
      expect(await steps(append)).toEqual([
        'SELECT knowledge_files',
        'SELECT continuity_revisions',
        'INSERT continuity_revisions',
        'DELETE continuity_revisions',
        'UPDATE knowledge_files',
        'SELECT json_each',
        'INSERT knowledge_postings',
      ]);
    });

    test('a search asks what changed and what it found, and once where its words are', async () => {
      const search = call('/v1/search', { query: 'known words' });
      await call('/v1/search', { query: 'other' })();
      expect(await steps(search)).toEqual([
        'SELECT knowledge_indexes',
        'SELECT knowledge_files',
        'SELECT json_each',
        'SELECT json_each',
        'SELECT json_each',
        'SELECT knowledge_files',
        'SELECT knowledge_files',
      ]);
      expect(await steps(search)).toEqual([
        'SELECT knowledge_indexes',
        'SELECT knowledge_files',
        'SELECT knowledge_files',
        'SELECT knowledge_files',
      ]);
    });

    test('a retrieve asks for all capsules at once, and for what each section shows', async () => {
      const subjects = ['a', 'b', 'c', 'd'].map((id) => ({ subject_kind: 'thread', subject_id: id }));
      for (const subject of subjects) {
        const capsule = richCapsule('thread', subject.subject_id, '2026-01-01T00:00:00.000Z');
        await call('/v1/continuity/upsert', { ...subject, capsule })();
      }
      const retrieve = call('/v1/context/retrieve', {
        task: 'known words',
        continuity_selectors: subjects,
        continuity_max_capsules: 4,
      });
      await retrieve();
      expect((await steps(retrieve)).toSorted()).toEqual([
        'SELECT continuity_artifacts',
        'SELECT continuity_artifacts',
        'SELECT knowledge_files',
        'SELECT knowledge_files',
        'SELECT knowledge_files',
        'SELECT knowledge_files',
        'SELECT knowledge_indexes',
        'SELECT knowledge_tasks',
        'select schedule_items',
        'select schedule_items',
      ]);
    });
  });
});
