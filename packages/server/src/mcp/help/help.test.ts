import { SCOPES } from '@parley/protocol/identity/scopes';
import { HELP_ROUTES } from '@parley/protocol/help/routes';
import { TOOLS } from '@parley/protocol/tools/tools';
import { beforeAll, describe, expect, test } from 'vitest';
import { People } from '../../identity/testing/people.ts';
import { startServer } from '../../testing/start-server.ts';
import { suiteServer } from '../../testing/suite-server.ts';
import { McpClient } from '../testing/mcp-client.ts';
import { HELP_PAGES } from './pages.ts';

describe('mcp › help', () => {
  const server = suiteServer(() => startServer());
  const people = new People(server);
  const anyone = new McpClient(server);
  const get = (path: string) => people.call('GET', path);
  let admin: McpClient;
  let key: string;

  beforeAll(async () => {
    const owner = await people.owner();
    const { body } = await people.call<{ api_key: string }>('POST', '/v1/keys', {
      key: owner.key,
      body: { scopes: SCOPES },
    });
    key = body.api_key;
    admin = new McpClient(server, key);
  });

  test('lists what there is', async () => {
    const { status, body } = await get('/v1/help');
    expect(status).toBe(200);
    expect(body.hook_ids).toEqual(['startup', 'pre_prompt', 'post_prompt', 'pre_compaction_or_handoff']);
    expect(body.non_tool_topics).toEqual([
      'continuity.read.startup_view',
      'continuity.read.trust_signals',
      'continuity.upsert.session_end_snapshot',
      'last-mile-adapter',
    ]);
    expect(body.errors).toEqual(['validation', 'tool_not_found', 'unknown_help_topic']);
    expect(body.tool_topics).toEqual(
      expect.arrayContaining(['continuity.read', 'context.retrieve', 'schedule.retire']),
    );
  });

  test('has every page that it names, in the form it declares', async () => {
    for (const page of HELP_PAGES) {
      const { route, argument } = page;
      for (const named of argument === undefined ? [''] : page.known()) {
        const path = argument === undefined ? route.path : route.path.replace(`{${argument}}`, named);
        const { status, body } = await get(path);
        expect([path, status]).toEqual([path, 200]);
        expect([path, route.answer?.safeParse(body).error]).toEqual([path, undefined]);
      }
    }
  });

  test('says what can be asked for', async () => {
    const { status, body } = await get('/v1/help/tools/nope');
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'validation',
      validation_hints: [{ field: 'name', area: 'request.path', reason: 'unsupported_value', limit: null }],
    });
    for (const path of ['', 'tools/', 'topics/', 'errors/', 'limits/', 'onboarding/', 'onboarding/sections/'])
      expect([path, (await get(`/v1/help/${path}`)).status]).toEqual([path, 404]);
    expect((await people.call('POST', '/v1/help')).headers.allow).toBe('GET, HEAD');
  });

  test('takes its numbers from the checks', async () => {
    const limit = async (path: string) => (await get(`/v1/help/limits/${path}`)).body.limit;
    expect(await limit('context.retrieve.max_tokens_estimate')).toMatchObject({
      category: 'retrieval_budget',
      subfield_limits: { default: 12_000, minimum: 256, maximum: 100_000 },
    });
    expect(await limit('continuity.top_priorities')).toMatchObject({
      max_items: 8,
      per_item_max_length: 160,
    });
    expect(await limit('graph_context.nodes')).toMatchObject({ max_items: 24 });
    expect(await limit('capsule.serialized_utf8_bytes')).toMatchObject({ max_length: 20_480 });
    expect(await limit('patch.stable_preferences')).toMatchObject({ max_items: 12 });
    const { body } = await get('/v1/help/limits');
    expect(
      (body.groups as { id: string; field_paths: string[] }[]).map(({ id, field_paths }) => [
        id,
        field_paths.length > 0,
      ]),
    ).toEqual(
      [
        'continuity_orientation',
        'session_end_snapshot',
        'patch_targets',
        'retrieval_budget',
        'response_orientation_caps',
        'capsule_write_cap',
        'continuity_payload',
      ].map((id) => [id, true]),
    );
  });

  test('is there as methods too', async () => {
    const { body } = await anyone.legacy('system.validation_limit', {
      field_path: 'context.retrieve.max_tokens_estimate',
    });
    expect(body.result?.structuredContent).toMatchObject({
      httpEquivalent: '/v1/help/limits/context.retrieve.max_tokens_estimate',
      limit: { subfield_limits: { default: 12_000 } },
    });
    for (const { name } of HELP_ROUTES.filter(({ path }) => !path.includes('{'))) {
      const { body: answer } = await anyone.modern(name);
      expect([name, answer.result?.resultType]).toEqual([name, 'complete']);
    }
    expect((await anyone.legacy('system.error_guide', { code: -32601 })).body.result).toHaveProperty(
      'content',
    );
    for (const code of [-32601, '-32601', 'validation'])
      expect(await anyone.done('system.error_guide', { code })).toMatchObject({ id: String(code) });
  });

  test.each([
    ['system.error_guide', { code: '-32601' }, 'code must be an integer'],
    ['system.error_guide', { code: 5 }, 'unknown error code'],
    ['system.tool_usage', {}, 'name is required'],
    ['system.tool_usage', { name: 'nope' }, 'unknown tool'],
    ['system.topic_help', { id: 'nope' }, 'unknown topic'],
    ['system.onboarding_section', { id: 'nope' }, 'unknown onboarding section'],
    ['system.validation_limit', { field_path: 'nope' }, 'unknown validation limit'],
    ['system.help', { name: 'x' }, 'unexpected system.help param'],
  ])('%s %j is refused: %s', async (method, params, reason) => {
    const { status, body } = await anyone.legacy(method, params);
    expect([status, body.error?.code, body.error?.data?.reason]).toEqual([200, -32602, reason]);
  });

  test('shows payloads that a client can send over HTTP by what discovery says, too', async () => {
    const { body } = await get('/v1/discovery/tools');
    for (const { name, method, path } of body.tools as { name: string; method: string; path: string }[]) {
      const { minimal_payload: payload } = (await get(`/v1/help/tools/${name}`)).body;
      const given = new Map(Object.entries(payload as Record<string, string>));
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, argument: string) => {
        const value = given.get(argument);
        given.delete(argument);
        return encodeURIComponent(value ?? '');
      });
      // The protocol of rooms calls what is said by another name.
      if (name === 'rooms.say') given.set('ciphertext', given.get('text') ?? '');
      const query = new URLSearchParams([...given]);
      const { status, text } = await people.call(method, method === 'GET' ? `${filled}?${query}` : filled, {
        key,
        ...((method === 'POST' || method === 'PATCH') && { body: Object.fromEntries(given) }),
      });
      expect([name, text, status < 400 || [404, 409].includes(status)]).toEqual([name, text, true]);
    }
  });

  test.each([
    ['rooms.say', { expected_turn: 0 }],
    ['schedule.update', { expected_version: 1 }],
    ['coordination.shared_update', { expected_version: 1 }],
    ['executions.report', { success: true }],
  ])('shows of %s what is right for something that has just been made: %j', async (name, given) => {
    expect((await get(`/v1/help/tools/${name}`)).body.minimal_payload).toMatchObject(given);
  });

  test.each(TOOLS.map(({ name }) => name))('%s takes the payload that its page shows', async (name) => {
    const { body } = await get(`/v1/help/tools/${name}`);
    const { isError, structuredContent } = await admin.tool(name, body.minimal_payload);
    // An id in an example is nobody's, and nothing waits to be claimed; what comes before that has let the payload pass.
    const passed = !isError || [404, 409].includes(structuredContent.status ?? 0);
    expect([name, passed, structuredContent]).toEqual([name, true, structuredContent]);
  });
});
