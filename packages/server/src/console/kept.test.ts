import type {
  ComingAnswer,
  CoordinationAnswer,
  CuesAnswer,
  MemoryAnswer,
  NextTimesAnswer,
  ScheduleAnswer,
} from '@parley/protocol/console/kept-routes';
import { KEPT_ROUTES } from '@parley/protocol/console/kept-routes';
import type { AgentsAnswer } from '@parley/protocol/console/view-routes';
import { beforeAll, expect, test } from 'vitest';
import { baseCapsule } from '../continuity/testing/base-capsule.ts';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { describeEachServer } from '../testing/each-server.ts';
import type { TestServer } from '../testing/start-server.ts';
import { PersonClient } from './testing/person-client.ts';

const now = `${new Date().toISOString().slice(0, 19)}Z`;
const REMINDER = { kind: 'reminder', due_at: '2099-01-01T06:00:00Z' };

const post = async (client: MessageClient, path: string, body: object, key = client.owner.key) => {
  const answer = await client.people.call('POST', path, { key, body });
  if (answer.status >= 400) throw new Error(`${path}: ${answer.text}`);
};

const cueNames = async (person: PersonClient, query = {}): Promise<string[]> =>
  (await person.read<CuesAnswer>('/v1/console/cues', query)).cues.map(({ name }) => name);

describeEachServer('console › what agents keep', (start) => {
  let server: TestServer;
  let ann: MessageClient;
  let bob: MessageClient;
  let anns: PersonClient;
  let bobs: PersonClient;
  let operator: PersonClient;

  /** As the agent itself, by a key of its own. */
  const keyOf = async (slug: string): Promise<string> => {
    await ann.create({ slug });
    const made = await ann.call<{ api_key: string }>('POST', '/v1/keys', { body: { agent: slug } });
    return made.body.api_key;
  };
  const upsert = (kind: 'thread' | 'task', id: string, key = ann.owner.key) => {
    const capsule = baseCapsule(kind, id, now);
    return post(ann, '/v1/continuity/upsert', { subject_kind: kind, subject_id: id, capsule }, key);
  };

  beforeAll(async () => {
    server = await start({ rateLimits: false });
    ann = await MessageClient.register(server, 'ann@example.com');
    bob = await MessageClient.register(server, 'bob@example.com');
    anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    bobs = await PersonClient.signIn(server, { api_key: bob.owner.key });
    operator = await PersonClient.operator(server);
    const harbour = await keyOf('harbour');
    await ann.create({ slug: 'quay' });
    await upsert('thread', 'tides', harbour);
    await upsert('task', 'pump');
    const signal = { kind: 'system_check', source_ref: 'pump', observed_at: now, summary: 'two levels' };
    await post(ann, '/v1/continuity/revalidate', {
      subject_kind: 'task',
      subject_id: 'pump',
      outcome: 'degrade',
      reason: 'two levels',
      signals: [signal],
    });
    await post(ann, '/v1/schedule/items', { ...REMINDER, title: 'for ann alone' }, harbour);
    const handed = {
      recipient_peer: 'self',
      subject_kind: 'thread',
      subject_id: 'tides',
      note: 'for ann alone',
    };
    await post(ann, '/v1/coordination/handoff/create', handed, harbour);
    await post(ann, '/v1/cues', { name: 'hourly', cron: '0 * * * *', agent: 'harbour' });
  });

  test('answers have the declared shapes, and nothing of another owner', async () => {
    for (const { path, answer } of KEPT_ROUTES) {
      const query: Record<string, string> = path.endsWith('times') ? { cron: '0 6 * * *' } : {};
      for (const person of [anns, operator]) {
        const body = await person.read(path, query);
        expect(answer?.safeParse(body).error, path).toBeUndefined();
      }
      const theirs = JSON.stringify(await bobs.read(path, { ...query, owner: ann.owner.slug }));
      expect(theirs).not.toMatch(/ann|tides|pump|hourly/);
    }
  });

  test('capsules by salience, narrowed by kind, health and who wrote them', async () => {
    const ids = async (query: Record<string, string> = {}): Promise<string[]> =>
      (await anns.read<MemoryAnswer>('/v1/console/memory', query)).subjects.map(({ subject_id: id }) => id);
    expect(await ids()).toEqual(['tides', 'pump']);
    expect(await ids({ health: 'degraded' })).toEqual(['pump']);
    expect(await ids({ kind: 'thread', order: 'updated' })).toEqual(['tides']);
    expect(await ids({ agent: `harbour@${ann.owner.slug}` })).toEqual(['tides']);
    const first = await anns.read<MemoryAnswer>('/v1/console/memory', { limit: 1 });
    expect(first.next).toBe('1');
    expect(await ids({ cursor: '1' })).toEqual(['pump']);
    expect((await anns.call('GET', '/v1/console/memory', { query: { cursor: 'x' } })).status).toBe(400);
    const { agents } = await anns.read<AgentsAnswer>('/v1/console/agents');
    const told = new Map(agents.map(({ address, remembered_at: at }) => [address, at]));
    expect(told.get(`harbour@${ann.owner.slug}`)).not.toBeNull();
    expect(told.get(`quay@${ann.owner.slug}`)).toBeNull();
  });

  test('what was asked for, what was handed over, and what comes next', async () => {
    const { items } = await anns.read<ScheduleAnswer>('/v1/console/schedule');
    expect(items).toMatchObject([
      { title: 'for ann alone', created_by: 'harbour', derived_state: 'scheduled' },
    ]);
    expect((await anns.read<ScheduleAnswer>('/v1/console/schedule', { side: 'over' })).items).toEqual([]);
    const { exchanges } = await anns.read<CoordinationAnswer>('/v1/console/coordination');
    expect(exchanges).toMatchObject([
      { from: 'harbour', to: ['self'], status: 'pending', handoff: { note: 'for ann alone' }, shared: null },
    ]);
    const { fires } = await anns.read<ComingAnswer>('/v1/console/coming');
    expect(fires).toHaveLength(24);
    expect(fires[0]).toMatchObject({ cue: 'hourly', agent: `harbour@${ann.owner.slug}` });
    const preview = { cron: '0 6 * * *', timezone: 'Europe/Lisbon' };
    const { times } = await anns.read<NextTimesAnswer>('/v1/console/next-times', preview);
    expect(times).toHaveLength(5);
    const wrong = await anns.call('GET', '/v1/console/next-times', { query: { cron: 'soon' } });
    expect(wrong.status).toBe(400);
  });

  test('cues of everybody for an operator, of an owner its own, with their next times', async () => {
    const made = await ann.call<{ id: string }>('POST', '/v1/cues', {
      body: {
        name: 'ebb',
        cron: '0 5 * * *',
        timezone: 'Europe/Lisbon',
        agent: 'quay',
        payload: { body: 'annsword' },
      },
    });
    await bob.call('POST', '/v1/cues', { body: { name: 'bobs', cron: '0 6 * * *', transport: 'worker' } });
    expect(await cueNames(operator)).toEqual(expect.arrayContaining(['ebb', 'bobs']));
    expect(await cueNames(operator, { owner: ann.owner.slug })).not.toContain('bobs');
    expect(await cueNames(anns, { owner: bob.owner.slug })).not.toContain('bobs');
    expect(await cueNames(bobs)).toEqual(['bobs']);
    expect(await cueNames(anns, { agent: `quay@${ann.owner.slug}` })).toContain('ebb');
    const ebb = (await anns.read<CuesAnswer>('/v1/console/cues')).cues.find(({ id }) => id === made.body.id);
    expect(ebb).toMatchObject({ owner: 'ann', agent: 'quay@ann', cron: '0 5 * * *', at: null });
    expect(ebb?.times).toHaveLength(5);
    expect(ebb?.times[0]?.at).toBe(ebb?.next_run);
    expect(ebb?.times.every(({ local }) => local.slice(11, 16) === '05:00')).toBe(true);
    expect(JSON.stringify(ebb)).not.toContain('annsword');
    await ann.call('PATCH', `/v1/cues/${made.body.id}`, { body: { status: 'paused' } });
    expect(await cueNames(operator, { status: 'paused' })).toEqual(['ebb']);
    const first = await operator.read<CuesAnswer>('/v1/console/cues', { limit: 1 });
    const second = await operator.read<CuesAnswer>('/v1/console/cues', { cursor: first.next ?? '' });
    expect([...first.cues, ...second.cues].map(({ name }) => name)).toEqual(await cueNames(operator));
  });

  test('an operator of a server for others sees that there is something, not what it says', async () => {
    const abroad = await start({ rateLimits: false, publicUrl: 'https://parley.example' });
    const eve = await MessageClient.register(abroad, 'eve@example.com');
    await post(eve, '/v1/schedule/items', { ...REMINDER, title: 'private words' });
    const person = await PersonClient.operator(abroad);
    const { items } = await person.read<ScheduleAnswer>('/v1/console/schedule');
    expect(items).toMatchObject([{ owner: eve.owner.slug, title: '' }]);
  });
});
