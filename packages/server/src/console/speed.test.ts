import type { AgentsAnswer } from '@parley/protocol/console/view-routes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MessageClient } from '../delivery/testing/message-client.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { startServer, type TestServer } from '../testing/start-server.ts';
import { statementsOf } from '../testing/statements.ts';
import { PersonClient } from './testing/person-client.ts';

const look = (person: PersonClient, view: string): Promise<unknown> => {
  const [path = '', query] = view.split('?');
  return person.read(path, Object.fromEntries(new URLSearchParams(query)));
};

/** How lists are found: what a view asks of the store must not grow with what is stored. */
describe('console › speed', () => {
  const clock = new FakeClock();
  let server: TestServer;
  let ann: MessageClient;
  let owner: PersonClient;
  let operator: PersonClient;

  beforeAll(async () => {
    server = await startServer({ clock, rateLimits: false });
    ann = await MessageClient.register(server, 'ann@example.com');
    owner = await PersonClient.signIn(server, { api_key: ann.owner.key });
    operator = await PersonClient.operator(server);
  });
  afterAll(() => server.close());

  test('the agents of a page are asked for together, and so are those who are awake', async () => {
    const views = ['/v1/console/agents', '/v1/console/agents?q=a', '/v1/console/overview'];
    const counts = async (): Promise<number[]> => {
      const taken: number[] = [];
      for (const person of [owner, operator])
        for (const view of views) {
          await look(person, view);
          taken.push((await statementsOf(() => look(person, view))).length);
        }
      return taken;
    };
    await ann.create({ slug: 'a-0' });
    const few = await counts();
    for (let n = 1; n < 12; n += 1) await ann.create({ slug: `a-${n}` });
    expect((await owner.read<AgentsAnswer>('/v1/console/agents')).agents.length).toBeGreaterThanOrEqual(12);
    expect(await counts()).toEqual(few);
    expect(Math.max(...few)).toBeLessThanOrEqual(20);
  });

  /** The steps by which SQLite finds the rows that a view shows, for all its statements. */
  const planOf = async (person: PersonClient, view: string): Promise<string[]> => {
    const texts = await statementsOf(() => look(person, view));
    const steps: string[] = [];
    for (const text of texts.filter((each) => /^(select|with)\b/i.test(each))) {
      const values = Array.from(text.matchAll(/\?/g), () => null);
      // Placeholders stay as they are: only their number matters to a plan.
      const rows = await server.context.database.read.all<{ detail: string }>({
        strings: `EXPLAIN QUERY PLAN ${text}`.split('?'),
        values,
      });
      steps.push(...rows.map(({ detail }) => detail));
    }
    return steps;
  };

  const BIG =
    /^SCAN (m|e|r|messages|executions|continuity_revisions|continuity_artifacts|room_messages|agents)\b/;

  test.each([
    ['overview', 'messages_failed', 'messages_failed_of_owner'],
    ['overview', 'executions_wrong', 'executions_wrong_of_owner'],
    ['traffic?window=7d', 'messages_failed', 'messages_failed_of_owner'],
    ['traffic?window=24h', 'messages_by_state', 'messages_of_owner_by_state'],
    ['traffic?window=24h', 'executions_by_status', 'executions_of_owner_by_status'],
    ['messages', 'messages_by_state', 'messages_of_owner_by_state'],
    ['messages?state=failed', 'messages_by_state', 'messages_of_owner_by_state'],
    ['messages?state=delivering&cursor=1.msg_1', 'messages_by_state', 'messages_of_owner_by_state'],
    ['messages?agent=a-0', 'messages_state', 'messages_state'],
    ['executions', 'executions_by_status', 'executions_of_owner_by_status'],
    ['executions?status=failed', 'executions_by_status', 'executions_of_owner_by_status'],
    ['executions?source=cue&cursor=1.exec_1', 'executions_by_status', 'executions_of_owner_by_status'],
    ['executions?cue=cue_1', 'executions_cue', 'executions_cue'],
    ['cues', 'cues_by_status', 'cues_status'],
    ['cues?status=paused&cursor=1.cue_1', 'cues_by_status', 'cues_status'],
    ['activity', 'INTEGER PRIMARY KEY', 'agent_events_agent'],
    ['agents', 'agent_delivery_lately', 'agent_delivery_owner'],
    ['memory', 'continuity_artifacts_lately', 'continuity_artifacts_of_owner_lately'],
    ['rooms', 'rooms_lately', 'room_participants_of_owner'],
    ['webhooks', 'agent_delivery_webhooks', 'agent_delivery_webhooks_of_owner'],
    ['webhooks', 'room_webhook_endpoints', 'room_webhook_endpoints_of_owner'],
  ])('%s is answered by %s, and of an owner by %s', async (view, index, ofOwner) => {
    const asked = view.replace('a-0', `a-0@${ann.owner.slug}`);
    for (const [person, wanted] of [
      [operator, index],
      [owner, ofOwner],
    ] as const) {
      const plan = await planOf(person, `/v1/console/${asked}`);
      expect(plan.join('\n')).toMatch(new RegExp(`\\b${wanted}\\b`));
      expect(plan.filter((step) => BIG.test(step))).toEqual([]);
    }
  });
});
