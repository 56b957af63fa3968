import { listedTool } from '@parley/protocol/tools/listing';
import { TOOL_GROUPS } from '@parley/protocol/tools/tool';
import { TOOLS, toolsOf } from '@parley/protocol/tools/tools';
import { beforeAll, describe, expect, test } from 'vitest';
import { baseCapsule } from '../continuity/testing/base-capsule.ts';
import { People } from '../identity/testing/people.ts';
import { sql } from '../platform/database/sql.ts';
import { describeEachServer } from '../testing/each-server.ts';
import { startServer } from '../testing/start-server.ts';
import { suiteServer } from '../testing/suite-server.ts';
import { McpClient } from './testing/mcp-client.ts';

/** More than any tokenizer makes of such texts: names and punctuation of JSON come to some four characters each. */
const tokensOf = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 3.5);

describe('mcp › catalogue', () => {
  const listed = TOOLS.map(listedTool);

  test('names each tool once, as module.verb', () => {
    const all = listed.map(({ name }) => name);
    expect(new Set(all).size).toBe(all.length);
    for (const name of all) expect(name).toMatch(/^[a-z]+\.[a-z_0-9]+$/);
  });

  test('says of each tool what it is for and what it takes', () => {
    for (const { name, title, description, inputSchema, outputSchema } of listed) {
      expect([name, title === '' || description.length < 20]).toEqual([name, false]);
      expect([name, inputSchema.type, outputSchema.type]).toEqual([name, 'object', 'object']);
      const known = Object.keys(inputSchema.properties);
      expect([name, (inputSchema.required ?? []).filter((field) => !known.includes(field))]).toEqual([
        name,
        [],
      ]);
      expect(JSON.stringify(inputSchema)).not.toContain('$ref');
    }
  });

  test('costs an agent that asks for nothing in particular fewer than 6,000 tokens', () => {
    expect(tokensOf({ tools: toolsOf(['default']).map(listedTool) })).toBeLessThan(6000);
  });

  test('has what memory begins with among what an agent is shown that asks for nothing in particular', () => {
    const shown = toolsOf(['default']).map(({ name }) => name);
    expect(shown).toEqual(
      expect.arrayContaining(['continuity.read', 'continuity.save', 'continuity.patch', 'messages.inbox']),
    );
  });

  test('puts every tool into a group', () => {
    const groups = TOOL_GROUPS.filter((group) => group !== 'all' && group !== 'default');
    expect(toolsOf(groups)).toEqual(TOOLS);
    expect(toolsOf(['all'])).toEqual(TOOLS);
  });
});

const named = (...groups: Parameters<typeof toolsOf>[0]): string[] => toolsOf(groups).map(({ name }) => name);

async function names(client: McpClient, header?: string): Promise<string[] | undefined> {
  const chosen: Record<string, string> = header === undefined ? {} : { 'parley-tools': header };
  const { body } = await client.legacy('tools/list', {}, chosen);
  return (body.result?.tools as { name: string }[] | undefined)?.map(({ name }) => name);
}

describe('mcp › tool groups', () => {
  const server = suiteServer(() => startServer({ mcpTools: ['messages'] }));
  const people = new People(server);

  test('are chosen by a setting and a header; without a credential the whole catalogue is shown', async () => {
    const { key } = await people.agent();
    const agent = new McpClient(server, key);
    expect(await names(agent)).toEqual(named('messages'));
    expect(await names(agent, 'rooms, cues')).toEqual(named('rooms', 'cues'));
    expect(await names(new McpClient(server))).toEqual(named('all'));
    const { body } = await agent.legacy('tools/list', {}, { 'parley-tools': 'nope' });
    expect(body.error).toMatchObject({ code: -32602, data: { reason: 'unknown tool group' } });
    expect((await agent.tool('agents.whoami')).isError).toBe(false);
    // Whoever has not chosen is shown what others are shown.
    const scope = async (chosen: Record<string, string>) =>
      (await agent.modern('tools/list', {}, chosen)).body.result?.cacheScope;
    expect([await scope({}), await scope({ 'parley-tools': 'rooms' })]).toEqual(['public', 'private']);
  });
});

describeEachServer('mcp › tools', (start) => {
  const server = suiteServer(() => start());
  const people = new People(server);
  const anyone = new McpClient(server);
  let a: McpClient;
  let b: McpClient;
  let addressOfB: string;

  beforeAll(async () => {
    a = new McpClient(server, (await people.agent('ada')).key);
    const other = await people.agent('bob');
    b = new McpClient(server, other.key);
    addressOfB = other.id;
  });

  test('answer with the body of their route, as text and as an object', async () => {
    const { isError, content, structuredContent } = await anyone.tool('system.capabilities_v1');
    expect(isError).toBe(false);
    expect(structuredContent.version).toBe('1');
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  });

  test('say nothing of a failure that nobody foresaw', async () => {
    const { database } = server.context;
    await database.write((tx) => tx.run(sql`ALTER TABLE continuity_artifacts RENAME TO artifacts_away`));
    try {
      const { isError, structuredContent } = await a.tool('continuity.read', {
        subject_kind: 'user',
        subject_id: 'a',
      });
      expect([isError, structuredContent]).toEqual([
        true,
        { ok: false, status: 500, detail: 'internal error' },
      ]);
    } finally {
      await database.write((tx) => tx.run(sql`ALTER TABLE artifacts_away RENAME TO continuity_artifacts`));
    }
  });

  test('want a credential where their route does', async () => {
    const { status, headers, body } = await anyone.legacy('tools/call', { name: 'recent.list' });
    expect([status, headers['www-authenticate'], body.error]).toEqual([
      401,
      'Bearer',
      { code: 401, message: 'Unauthorized' },
    ]);
  });

  test.each([
    [{ name: 'nope.x' }, { reason: 'unknown tool', name: 'nope.x' }],
    [{ name: '  ' }, { reason: 'name is required' }],
    [{ arguments: {} }, { reason: 'name is required' }],
    [{ name: 'system.health', arguments: [] }, { reason: 'arguments must be an object' }],
  ])('are not called by %j', async (params, data) => {
    const { status, body } = await anyone.legacy('tools/call', params);
    expect([status, body.error?.code]).toEqual([200, -32602]);
    expect(body.error?.data).toMatchObject(data);
  });

  test.each([
    ['context.retrieve', {}, 422, [{ path: '/task', keyword: 'required' }]],
    ['context.retrieve', { task: 't', limit: 0 }, 422, [{ path: '/limit', keyword: 'minimum' }]],
    ['context.retrieve', { task: 't', limit: '5' }, 422, [{ path: '/limit', keyword: 'type' }]],
    ['schedule.create', { kind: 'x' }, 422, { code: 'invalid_schedule_payload', field: 'title' }],
    ['schedule.list', { due: 'true' }, 422, { code: 'invalid_schedule_query', field: 'query.due' }],
    ['schedule.list', { limit: '5' }, 422, { code: 'invalid_schedule_query', field: 'query.limit' }],
    ['schedule.list', { status: 5 }, 422, { code: 'invalid_schedule_status', field: 'query.status' }],
    ['schedule.list', { x: 1 }, 422, { code: 'invalid_schedule_query', field: 'query.x' }],
    ['schedule.get', { schedule_id: 5 }, 422, { code: 'invalid_schedule_id', field: 'schedule_id' }],
    ['schedule.get', {}, 422, { code: 'invalid_schedule_payload', field: 'schedule_id' }],
    ['schedule.get', { schedule_id: 'sched_none' }, 404, { code: 'schedule_not_found' }],
    [
      'schedule.get',
      { schedule_id: 'sched_none', x: 1 },
      422,
      { code: 'invalid_schedule_payload', field: 'x' },
    ],
    ['peers.register', { peer_id: 'p', base_url: 'http://p.example' }, 403, 'Missing scope: admin:peers'],
    ['coordination.handoff_read', { handoff_id: 'nope' }, 404, expect.anything()],
    ['messages.get', { message_id: '\ud800' }, 404, { error: { code: 'message_not_found' } }],
    // Dots would lead to another route.
    ['messages.get', { message_id: '..' }, 404, { error: { code: 'message_not_found' } }],
    ['rooms.state', { room_id: '.' }, 404, { error: 'room_not_found' }],
    ['messages.get', { message_id: 'msg_none' }, 404, { error: { code: 'message_not_found' } }],
    ['rooms.state', { room_id: 'room_none' }, 404, { error: 'room_not_found' }],
  ])('%s %j fails as a result', async (name, given, status, detail) => {
    const { isError, structuredContent, content } = await a.tool(name, given);
    expect([isError, structuredContent.ok, structuredContent.status]).toEqual([true, false, status]);
    if (typeof detail === 'string') expect(structuredContent.detail).toBe(detail);
    else expect(structuredContent.detail).toMatchObject(detail);
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent);
  });

  test('keep memory: a capsule is written, changed, read and listed', async () => {
    const subject = { subject_kind: 'thread', subject_id: 'site' };
    const capsule = baseCapsule('thread', 'site');
    expect(await a.done('continuity.upsert', { ...subject, capsule })).toMatchObject({ ok: true });
    const operations = [{ target: 'continuity.open_loops', action: 'append', value: 'ask bob' }];
    await a.done('continuity.patch', { ...subject, updated_at: '2026-03-02T12:00:00Z', operations });
    const read = await a.done('continuity.read', { ...subject, view: 'startup', allow_fallback: true });
    expect(read).toMatchObject({ capsule: { continuity: { open_loops: ['answer review', 'ask bob'] } } });
    const cleared = { ...capsule, updated_at: '2026-03-03T12:00:00Z', stable_preferences: null };
    await a.done('continuity.upsert', { ...subject, capsule: cleared, merge_mode: 'preserve' });
  });

  test('begin a capsule and carry it on with what has to be there, and keep the rest', async () => {
    const subject = { subject_kind: 'thread', subject_id: 'short' };
    const { continuity, ...head } = baseCapsule('thread', 'short');
    const saved = (updated_at: string, loops: string[]) =>
      a.done('continuity.save', {
        ...subject,
        merge_mode: 'preserve',
        capsule: { ...head, updated_at, continuity: { ...continuity, open_loops: loops } },
      });
    expect(await saved('2026-03-01T12:00:00Z', ['one'])).toMatchObject({ ok: true, created: true });
    const operations = [{ target: 'continuity.trailing_notes', action: 'append', value: 'kept' }];
    await a.done('continuity.patch', { ...subject, updated_at: '2026-03-02T12:00:00Z', operations });
    await saved('2026-03-03T12:00:00Z', ['two']);
    expect(await a.done('continuity.read', subject)).toMatchObject({
      capsule: { continuity: { open_loops: ['two'], trailing_notes: ['kept'] } },
    });
    const { structuredContent } = await a.tool('continuity.save', { ...subject, capsule: {} });
    expect([structuredContent.status, structuredContent.detail]).toEqual([
      422,
      expect.arrayContaining([expect.objectContaining({ path: '/merge_mode' })]),
    ]);
  });

  test('keep documents, and find them again', async () => {
    await a.done('memory.write', { path: 'projects/site/notes.md', content: 'the parser is done' });
    expect(await a.done('memory.read', { path: 'projects/site/notes.md' })).toMatchObject({ ok: true });
    expect(await a.done('search.query', { query: 'parser' })).toMatchObject({ ok: true });
  });

  test('carry a message from one agent to another, once, and tell that it was dealt with', async () => {
    const letter = { to: addressOfB, body: 'hello', subject: 'hi', idempotency_key: 'k1' };
    const { id } = await a.done('messages.send', letter);
    expect(await a.done('messages.send', letter)).toMatchObject({ id });
    expect(await b.done('messages.inbox', { state: 'queued', limit: 5 })).toMatchObject({ total: 1 });
    await b.done('messages.ack', { message_id: id });
    expect(await a.done('messages.get', { message_id: id })).toMatchObject({ id });
  });

  test('hold a conversation in a room', async () => {
    const listing = await a.done('rooms.offer', { topic: 'tools speak', tags: ['mcp'] });
    const found = await b.done('rooms.find', { q: 'tools speak', limit: 3 });
    expect(found).toMatchObject({ items: [{ id: listing.id }] });
    const { room_id } = await b.done('rooms.take', { listing_id: listing.id });
    const context = await a.done('rooms.context', { room_id });
    const turn = { expected_turn: context.turn_index, bundle_hash: context.bundle_hash };
    expect(await a.done('rooms.say', { room_id, text: 'hello', ...turn })).toMatchObject({ next_turn: 1 });
    expect((await a.tool('rooms.say', { room_id, text: 'again', ...turn })).structuredContent.status).toBe(
      409,
    );
    expect(await b.done('rooms.close', { room_id })).toMatchObject({ state: 'CLOSED' });
  });

  test('make a cue and tell what came of it', async () => {
    const schedule = { type: 'recurring', cron: '0 9 * * *', timezone: 'UTC' };
    const { id } = await a.done('cues.create', {
      name: 'daily',
      transport: 'worker',
      schedule,
      payload: { task: 'x' },
    });
    await a.done('cues.fire', { cue_id: id });
    const { execution_id } = (await a.done('executions.claim', { worker_id: 'w' })) as {
      execution_id: string;
    };
    await a.done('executions.report', { execution_id, success: true, summary: 'did it' });
    expect(await a.done('executions.get', { execution_id })).toMatchObject({ id: execution_id });
    expect(await a.done('cues.delete', { cue_id: id })).toEqual({ ok: true });
  });

  test('count against the limits of their routes', async () => {
    const answers = await Promise.all(Array.from({ length: 260 }, () => a.tool('index.status')));
    expect(
      answers.filter(({ structuredContent }) => structuredContent.status === 429).length,
    ).toBeGreaterThan(0);
  });
});
