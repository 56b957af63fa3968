import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import { baseCapsule, T } from './testing/base-capsule.ts';
import {
  breach,
  type Memory,
  type MemoryServer,
  refusal,
  type SchemaDetail,
  startMemory,
} from './testing/memory.ts';

const padded = (padding: string): string => `{"subject_kind":"user","subject_id":"a","padding":"${padding}"}`;
const sized = (bytes: number): string => padded('x'.repeat(bytes - padded('').length));

describeEachServer('continuity › transport', (start) => {
  let memory: Memory;
  let home: MemoryServer;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });

  test('an unknown kind of subject is refused with the kinds there are', async () => {
    const { status, body } = await memory.call<SchemaDetail>('read', {
      subject_kind: 'agent',
      subject_id: 'a',
    });
    expect(status).toBe(422);
    expect(body.detail[0]).toEqual({
      type: 'literal_error',
      loc: ['body', 'subject_kind'],
      msg: "Input should be 'user', 'peer', 'thread' or 'task'",
    });
  });

  test('an id has 1 to 200 characters', async () => {
    expect(breach(await memory.read('user', ''))).toEqual([422, 'string_too_short']);
    expect(breach(await memory.read('user', 'a'.repeat(201)))).toEqual([422, 'string_too_long']);
  });

  test('lengths are code points', async () => {
    expect((await memory.read('user', `a${'😀'.repeat(199)}`)).status).toBe(404);
    expect(breach(await memory.read('user', `a${'😀'.repeat(200)}`))).toEqual([422, 'string_too_long']);
  });

  test('an id of which nothing is left after normalising is refused', async () => {
    const text = [400, 'Normalized subject_id is empty'];
    expect(refusal(await memory.read('user', '!!!'))).toEqual(text);
    expect(refusal(await memory.upsert(baseCapsule('user', '!!!')))).toEqual(text);
  });

  test('an unknown view is refused; null is none', async () => {
    const { status, body } = await memory.call<SchemaDetail>('read', {
      subject_kind: 'user',
      subject_id: 'a',
      view: 'full',
    });
    expect([status, body.detail[0]?.loc]).toEqual([422, ['body', 'view']]);
    expect((await memory.read('user', 'a', { view: null })).status).toBe(404);
  });

  test('a list takes a whole number from 1 to 200 as its limit, also as text', async () => {
    expect(breach(await memory.list({ limit: 0 }))).toEqual([422, 'greater_than_equal']);
    expect(breach(await memory.list({ limit: 201 }))).toEqual([422, 'less_than_equal']);
    expect((await memory.list({ limit: '5' })).status).toBe(200);
    expect(breach(await memory.list({ limit: 5.5 }))).toEqual([422, 'int_from_float']);
    expect(breach(await memory.list({ limit: 'five' }))).toEqual([422, 'int_parsing']);
    expect(breach(await memory.list({ limit: [] }))).toEqual([422, 'int_type']);
  });

  test('no credential, an unknown one and a revoked one are refused, each in its words', async () => {
    const body = { subject_kind: 'user', subject_id: 'a' };
    const read = (authorization?: string) =>
      home.people.call('POST', '/v1/continuity/read', {
        body,
        headers: authorization === undefined ? {} : { authorization },
      });
    expect(refusal(await read())).toEqual([401, 'Missing Authorization header']);
    expect(refusal(await read('Basic abc'))).toEqual([401, 'Invalid Authorization header']);
    expect(refusal(await read('Bearer cue_sk_nobody'))).toEqual([401, 'Invalid token']);
    const { body: made } = await home.people.call<{ id: string; api_key: string }>('POST', '/v1/keys', {
      key: memory.key,
      body: { label: 'short', expires_at: new Date(home.clock.now() + 60_000).toISOString() },
    });
    expect((await read(`Bearer ${made.api_key}`)).status).toBe(404);
    await home.people.call('DELETE', `/v1/keys/${made.id}`, { key: memory.key });
    expect(refusal(await read(`Bearer ${made.api_key}`))).toEqual([401, 'Token revoked']);
  });

  test('a credential that has run out', async () => {
    const { body: made } = await home.people.call<{ api_key: string }>('POST', '/v1/keys', {
      key: memory.key,
      body: { expires_at: new Date(home.clock.now() + 60_000).toISOString() },
    });
    await home.clock.leap(61_000);
    const answer = await home.people.call('POST', '/v1/continuity/read', {
      key: made.api_key,
      body: { subject_kind: 'user', subject_id: 'a' },
    });
    expect(refusal(answer)).toEqual([401, 'Token expired']);
  });

  test('however deep a body is nested', async () => {
    const depth = 50_000;
    const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const capsule = JSON.stringify(
      baseCapsule('user', 'deep', T(1), { continuity: { related_documents: 'X' } }),
    );
    const send = (documents: string, more: string) =>
      memory.call(
        'upsert',
        `{"subject_kind":"user","subject_id":"deep","capsule":${capsule.replace('"X"', documents)}${more}}`,
      );
    expect(refusal(await send(nested, ''))[0]).toBe(400);
    expect(refusal(await send(`[{"a":${nested}}]`, ''))[0]).toBe(400);
    expect((await send('[]', `,"extra":${nested}`)).status).toBe(200);
    expect(refusal(await send(`[{"path":${nested}}]`, ',"explain":true'))[0]).toBe(400);
    const metadata = JSON.stringify(baseCapsule('user', 'deep', T(1), { metadata: { a: 'X' } }));
    const explained = await memory.call(
      'upsert',
      `{"subject_kind":"user","subject_id":"deep","explain":true,"capsule":${metadata.replace('"X"', nested)}}`,
    );
    expect(refusal(explained)).toEqual([400, 'Metadata values must be scalar']);
    const replayed = await send('[]', `,"extra":${nested},"idempotent_replay":true,"idempotency_key":"k"`);
    expect(replayed.status).toBe(400);
  });

  test('a body that is no object is refused', async () => {
    expect(breach(await memory.call('read', '{nope'))).toEqual([422, 'json_invalid']);
    expect(breach(await memory.call('read', '[]'))).toEqual([422, 'model_attributes_type']);
    const empty = await memory.call<SchemaDetail>('read', '');
    expect([empty.status, empty.body.detail[0]?.type, empty.body.detail[0]?.loc]).toEqual([
      422,
      'missing',
      ['body'],
    ]);
  });

  test('a broken body is told before a missing credential', async () => {
    const answer = await home.people.call('POST', '/v1/continuity/read', { body: '{nope' });
    expect(breach(answer)).toEqual([422, 'json_invalid']);
  });

  test('other methods are a 405 that names the right one, other paths a 404', async () => {
    const got = await home.people.call('GET', '/v1/continuity/read', { key: memory.key });
    expect([got.status, got.headers.allow]).toEqual([405, 'POST']);
    const nope = await home.people.call('POST', '/v1/continuity/nope', { key: memory.key, body: {} });
    expect([nope.status, nope.body]).toEqual([404, { detail: 'Not Found' }]);
  });

  test('a body of exactly the limit, and one byte more', async () => {
    expect((await memory.call('read', sized(262_144))).status).toBe(404);
    expect(refusal(await memory.call('read', sized(262_145)))).toEqual([
      413,
      'Payload too large for continuity.read: 262145 bytes > limit 262144',
    ]);
    const job = await home.people.call('POST', '/v1/ops/run', {
      key: memory.key,
      body: {
        job_id: 'continuity_cold_store',
        arguments: { source_archive_path: 'x' },
        more: sized(262_144),
      },
    });
    expect(refusal(job)[0]).toBe(413);
  });

  test('of what is refused, no more than 200 characters come back', async () => {
    const anchor = 'x'.repeat(5000);
    const anchored = await memory.upsert(
      baseCapsule('thread', 'echo', T(1), { thread_descriptor: { label: 'L', scope_anchors: [anchor] } }),
    );
    expect(refusal(anchored)).toEqual([400, `Invalid scope_anchor format: ${anchor.slice(0, 200)}`]);
    const path = await memory.upsert(baseCapsule('user', 'echo', T(1), { canonical_sources: [anchor] }));
    expect(refusal(path)[1]).toBe(
      `Invalid repo-relative path in canonical_sources: Top-level path not allowed: ${anchor.slice(0, 200)}`,
    );
    const entry = { tag: 't', content: 'c', [anchor]: 1 };
    const unknown = await memory.upsert(baseCapsule('user', 'echo', T(1), { stable_preferences: [entry] }));
    expect([unknown.status, unknown.text.length < 500]).toEqual([422, true]);
    const half = `{"metadata":{"${anchor}":"\\ud800"}}`;
    const capsule = JSON.stringify(baseCapsule('user', 'echo')).replace(/^\{/, `${half.slice(0, -1)},`);
    const keyed = await memory.call(
      'upsert',
      `{"subject_kind":"user","subject_id":"echo","capsule":${capsule}}`,
    );
    expect([breach(keyed), keyed.text.length < 500]).toEqual([[422, 'string_type'], true]);
  });

  test('a body above the limit of the protocol', async () => {
    const answer = await memory.call('read', {
      subject_kind: 'user',
      subject_id: 'a',
      padding: 'x'.repeat(262_144),
    });
    expect(answer.status).toBe(413);
    expect(refusal(answer)[1]).toMatch(/^Payload too large for continuity\.read: \d+ bytes > limit 262144$/);
    const huge = await memory.call('read', `"${'x'.repeat(1_100_000)}"`);
    expect(refusal(huge)).toEqual([
      413,
      'Payload too large for continuity.read: 1100002 bytes > limit 262144',
    ]);
  });

  test('half a character is no text', async () => {
    const subject = '{"subject_kind":"user","subject_id":"a\\ud800"}';
    expect(breach(await memory.call('read', subject))).toEqual([422, 'string_type']);
  });

  test('all breaches are told, in the order of the fields', async () => {
    const { body } = await memory.call<SchemaDetail>('upsert', {
      subject_kind: 'robot',
      capsule: { subject_kind: 'user', source: [], confidence: { continuity: 'x', relationship_model: 2 } },
    });
    expect(body.detail.map(({ type, loc }) => [type, loc.slice(1).join('.')])).toEqual([
      ['literal_error', 'subject_kind'],
      ['missing', 'subject_id'],
      ['missing', 'capsule.subject_id'],
      ['missing', 'capsule.updated_at'],
      ['missing', 'capsule.verified_at'],
      ['model_attributes_type', 'capsule.source'],
      ['missing', 'capsule.continuity'],
      ['float_parsing', 'capsule.confidence.continuity'],
      ['less_than_equal', 'capsule.confidence.relationship_model'],
    ]);
  });

  test('a value of the wrong type is one breach, whatever its length', async () => {
    const { body } = await memory.call<SchemaDetail>('archive', {
      subject_kind: 'user',
      subject_id: [],
      reason: Array.from({ length: 241 }, () => 'x'),
    });
    expect(body.detail.map(({ type, loc }) => [type, loc.at(-1)])).toEqual([
      ['string_type', 'subject_id'],
      ['string_type', 'reason'],
    ]);
    const patch = { subject_kind: 'user', subject_id: 'a', updated_at: T(1), operations: 'x'.repeat(11) };
    const refused = await memory.call<SchemaDetail>('patch', patch);
    expect(refused.body.detail.map(({ type }) => type)).toEqual(['list_type']);
  });
});
