import { beforeAll, expect, test } from 'vitest';
import { People } from '../identity/testing/people.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { suiteServer } from '../testing/suite-server.ts';
import { official } from './testing/official-client.ts';

describeEachServer('mcp › official clients', (start) => {
  const server = suiteServer(() => start());
  const people = new People(server);
  let key: string;

  beforeAll(async () => {
    ({ key } = await people.agent('ada'));
  });

  test.each([
    ['1.32', { library: 'older' }],
    ['2.4 with a handshake', { library: 'newer', mode: 'legacy' }],
    ['2.4 without one', { library: 'newer', mode: 'modern' }],
  ] as const)('of version %s list and call tools', async (_version, which) => {
    const calls = [
      { name: 'agents.whoami', arguments: {} },
      { name: 'rooms.context', arguments: { room_id: 'room_none' } },
    ];
    const answer = await official({ ...which, url: `${server.url}/v1/mcp`, calls }, { PARLEY_TEST_KEY: key });
    expect(answer.tools).toContain('messages.send');
    expect(answer.resources).toEqual(['parley://inbox']);
    expect(answer.prompts).toEqual(['resume']);
    expect(answer.results).toMatchObject([
      { isError: false, structuredContent: { agent: { display_name: 'ada' } } },
      { isError: true, structuredContent: { ok: false, status: 404 } },
    ]);
  });
});
