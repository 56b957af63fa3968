import type { ExecutionsAnswer, MessagesAnswer } from '@parley/protocol/console/view-routes';
import { beforeAll, expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { PersonClient } from './testing/person-client.ts';

type Query = Record<string, string | number>;

async function paged(person: PersonClient, path: string, query: Query, ids: (body: unknown) => string[]) {
  const pages: string[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: Query = cursor === '' ? {} : { cursor };
    const body: { next: string | null } = await person.read(path, { ...query, limit: 2, ...more });
    pages.push(ids(body));
    cursor = body.next;
  }
  expect(pages.every((page) => page.length <= 2)).toBe(true);
  return pages.flat();
}

const messages = (person: PersonClient, query: Query = {}) =>
  paged(person, '/v1/console/messages', query, (body) =>
    (body as MessagesAnswer).messages.map(({ id }) => id),
  );
const runs = (person: PersonClient, query: Query = {}) =>
  paged(person, '/v1/console/executions', query, (body) =>
    (body as ExecutionsAnswer).executions.map(({ id }) => id),
  );

/** Which of the messages go to another owner. */
const abroad = (at: number): boolean => at === 2 || at === 4;

/** Lists are put together of several stretches of indexes: nothing may be missing, twice or out of order. */
describeEachServer('console › pages', (start) => {
  const clock = new FakeClock();
  let ann: MessageClient;
  let bob: MessageClient;
  let anns: PersonClient;
  let bobs: PersonClient;
  let operator: PersonClient;
  /** Oldest first; what became of each is beside it. */
  const sent: { id: string; run: string; state: string }[] = [];

  beforeAll(async () => {
    const server = await start({ clock, rateLimits: false, dlInboundPolicy: 'anyone' });
    ann = await MessageClient.register(server, 'ann@example.com');
    bob = await MessageClient.register(server, 'bob@example.com');
    await ann.create({ slug: 'box' });
    await bob.create({ slug: 'far' });
    anns = await PersonClient.signIn(server, { api_key: ann.owner.key });
    bobs = await PersonClient.signIn(server, { api_key: bob.owner.key });
    operator = await PersonClient.operator(server);
    const send = async (to: string, state: string, more: object = {}): Promise<void> => {
      await clock.advance(1000);
      const { id, execution_id: run } = await ann.send(to, more);
      if (state === 'acked') {
        await ann.inbox(to);
        await ann.mark(id, 'ack');
      }
      sent.push({ id, run: run ?? '', state });
    };
    const lost = { delivery_mode: 'live', live_fallback_mode: 'none' };
    await send('box', 'acked');
    await send('box', 'failed', lost);
    await send(`far@${bob.owner.slug}`, 'queued');
    await send('box', 'acked', { from: 'box' });
    await send(`far@${bob.owner.slug}`, 'failed', lost);
    // Two in the same moment are told apart by their ids.
    await clock.advance(1000);
    sent.push(
      ...(await Promise.all(
        [1, 2].map(async () => {
          const { id, execution_id: run } = await ann.send('box');
          return { id, run: run ?? '', state: 'queued' };
        }),
      )),
    );
  });

  /** Those two at the end have one time: which comes first is a matter of their ids. */
  const newestFirst = (key: 'id' | 'run', wanted: (each: (typeof sent)[number], at: number) => boolean) => {
    const last = sent.slice(-2).toSorted((a, b) => (a[key] < b[key] ? -1 : 1));
    return [...sent.slice(0, -2), ...last]
      .filter((each) => wanted(each, sent.indexOf(each)))
      .map((each) => each[key])
      .toReversed();
  };

  test('messages of all states, newest first', async () => {
    for (const person of [anns, operator])
      expect(await messages(person)).toEqual(newestFirst('id', () => true));
    expect(await messages(bobs)).toEqual(newestFirst('id', (_, at) => abroad(at)));
    expect(await messages(operator, { owner: bob.owner.slug })).toEqual(await messages(bobs));
  });

  test('messages of one state', async () => {
    for (const state of ['acked', 'failed', 'queued', 'delivering']) {
      const wanted = newestFirst('id', (each) => each.state === state);
      for (const person of [anns, operator]) expect(await messages(person, { state })).toEqual(wanted);
      expect(await messages(bobs, { state })).toEqual(
        newestFirst('id', (each, at) => each.state === state && abroad(at)),
      );
    }
  });

  test('messages of an agent, those to itself once', async () => {
    const agent = `box@${ann.owner.slug}`;
    const wanted = newestFirst('id', (_, at) => !abroad(at));
    for (const person of [anns, operator]) expect(await messages(person, { agent })).toEqual(wanted);
    expect(await messages(anns, { agent, state: 'acked' })).toEqual(
      newestFirst('id', ({ state }) => state === 'acked'),
    );
    expect(await messages(operator, { agent, owner: bob.owner.slug })).toEqual([]);
  });

  test('a message that is to come later stands in the list of its agent', async () => {
    const later = new Date(clock.now() + 3_600_000).toISOString();
    await bob.create({ slug: 'later' });
    const { id } = await bob.send('later', { send_at: later });
    expect(await messages(bobs, { agent: `later@${bob.owner.slug}` })).toEqual([id]);
  });

  test('executions of all and of one status, newest first', async () => {
    const own = newestFirst('run', (_, at) => !abroad(at));
    expect((await runs(anns)).filter((id) => own.includes(id))).toEqual(own);
    expect(await runs(anns, { status: 'missed' })).toEqual(
      newestFirst('run', ({ state }, at) => state === 'failed' && !abroad(at)),
    );
    expect((await runs(operator)).filter((id) => sent.some(({ run }) => run === id))).toEqual(
      newestFirst('run', () => true),
    );
    expect(await runs(anns, { source: 'message' })).toEqual(await runs(anns));
    expect(await runs(anns, { source: 'cue' })).toEqual([]);
    expect(await runs(bobs, { agent: `box@${ann.owner.slug}` }).catch(() => 'refused')).toBe('refused');
  });

  const ids = async (query: Query): Promise<string[]> =>
    (await ann.executions(query)).executions.map(({ id }) => id);

  test('the public list of executions skips and names each once', async () => {
    const own = await runs(anns);
    expect(await ids({ limit: 100 })).toEqual(own);
    expect(await ids({ limit: 2, offset: 1 })).toEqual(own.slice(1, 3));
    const missed = newestFirst('run', ({ state }, at) => state === 'failed' && !abroad(at));
    expect(await ids({ status__in: 'missed,missed' })).toEqual(missed);
  });
});
