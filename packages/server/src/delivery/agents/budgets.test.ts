import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { AgentClient, type Reply } from '../testing/agent-client.ts';

const refused = ({ status, body }: Reply<object>) => [status, body.error.code, body.error.message];
const outcomes = (answers: readonly Reply<object>[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

describeEachServer('what one account may have', (start) => {
  let max: AgentClient;
  beforeAll(async () => {
    const budgets = { budgetAgents: 3, budgetKeys: 3, budgetLiveSessions: 2 };
    max = await AgentClient.register(await start({ rateLimits: false, ...budgets }));
  });

  test('agents, also when many are made at once; deleting makes room', async () => {
    const made = await Promise.all([1, 2, 3, 4, 5].map((n) => max.tryCreate({ slug: `agent-${n}` })));
    expect(outcomes(made)).toEqual([201, 201, 201, 402, 402]);
    expect(refused(await max.tryCreate({ slug: 'more' }))).toEqual([
      402,
      'quota_exceeded',
      'this account has 3 agents, and may have 3 (PARLEY_BUDGET_AGENTS). Remove what is not needed',
    ]);
    const [first] = made.filter(({ status }) => status === 201);
    await max.call('DELETE', `/v1/agents/${first?.body.slug ?? ''}`);
    await max.create({ slug: 'after' });
    const other = await AgentClient.register({ url: max.people.client.url }, 'other@example.com');
    await other.create({ slug: 'mine' });
  });

  test('live sessions, and keys', async () => {
    for (const label of ['one', 'two'])
      await max.attach('after', { label, task_name: `after-${label}-live` });
    const third = await max.tryAttach('after', { label: 'three', task_name: 'after-three-live' });
    expect(refused(third).slice(0, 2)).toEqual([402, 'quota_exceeded']);
    expect(third.body.error).toMatchObject({ limit: 2, current: 2 });
    const keys = await Promise.all([1, 2, 3].map(() => max.call('POST', '/v1/keys', { body: {} })));
    expect(outcomes(keys)).toEqual([201, 201, 402]);
    const { status, body } = await max.call('GET', '/v1/usage');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      plan: 'self_hosted',
      cues: { used: 0, active: 0, limit: null, remaining: null, percent_used: 0 },
      executions: { used: 0, will_exceed_limit: false },
      messages: { used: 0, limit: null, remaining: null },
      budgets: {
        agents: { used: 3, limit: 3, remaining: 0, setting: 'PARLEY_BUDGET_AGENTS' },
        keys: { used: 3, limit: 3, remaining: 0, setting: 'PARLEY_BUDGET_KEYS' },
        live_sessions: { used: 2, limit: 2, remaining: 0, setting: 'PARLEY_BUDGET_LIVE_SESSIONS' },
        bytes: { used: 0, limit: 4096 * 1024 * 1024, setting: 'PARLEY_BUDGET_BYTES' },
        documents: { used: 0, limit: 500_000, setting: 'PARLEY_BUDGET_DOCUMENTS' },
      },
    });
  });
});
