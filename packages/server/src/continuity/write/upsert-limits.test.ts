import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { canonicalCapsule } from '../capsule/canonical.ts';
import { baseCapsule, stored, T } from '../testing/base-capsule.ts';
import { breach, type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

const x = (length: number) => 'x'.repeat(length);
const tooLong = (name: string) => [400, `Value too long in ${name}`];

describeEachServer('continuity › upsert › schema and limits', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
  });

  let count = 0;
  /** A subject of its own for each try. */
  const attempt = (change: Parameters<typeof baseCapsule>[3], at = T(1)) =>
    memory.upsert(baseCapsule('user', `u${++count}`, at, change));

  test('a missing list is named with its place', async () => {
    const capsule = baseCapsule('user', 'u');
    Reflect.deleteProperty(capsule.continuity, 'drift_signals');
    const answer = await memory.upsert<{ detail: { loc: string[] }[] }>(capsule);
    expect(breach(answer)).toEqual([422, 'missing']);
    expect(answer.body.detail[0]?.loc).toEqual(['body', 'capsule', 'continuity', 'drift_signals']);
  });

  test.each([
    ['open_loops', 9],
    ['active_concerns', 6],
    ['trailing_notes', 4],
  ])('too many %s are refused', async (name, many) => {
    const items = Array.from({ length: many }, (_, index) => `${index}`);
    expect(breach(await attempt({ continuity: { [name]: items } }))).toEqual([422, 'too_long']);
  });

  test.each([
    ['top_priorities', 161, 'Value too long in top_priorities'],
    ['working_hypotheses', 161, 'Value too long in working_hypotheses'],
    ['curiosity_queue', 121, 'Value too long in continuity.curiosity_queue'],
    ['trailing_notes', 161, 'Value too long in continuity.trailing_notes'],
  ])('an item of %s of %i characters', async (name, length, text) => {
    expect(refusal(await attempt({ continuity: { [name]: [x(length)] } }))).toEqual([400, text]);
  });

  test('a stance has at most 240 characters, and may be empty', async () => {
    expect((await attempt({ continuity: { stance_summary: x(241) } })).status).toBe(422);
    expect((await attempt({ continuity: { stance_summary: '' } })).status).toBe(200);
  });

  const at = (updated_at: string) => attempt({ updated_at });

  test('a time in another zone, or none, is refused', async () => {
    const notUtc = [400, 'Timestamp must be UTC for updated_at'];
    expect(refusal(await at('2026-03-01T12:00:00'))).toEqual(notUtc);
    expect(refusal(await at('2026-03-01T12:00:00+02:00'))).toEqual(notUtc);
    for (const offset of ['-00:00', '+0000', '+00', '+23:59']) {
      expect(refusal(await at(`2026-03-01T12:00:00${offset}`))).toEqual(notUtc);
    }
    for (const text of ['2026-03-01T12:00:00+24:00', '2026-03-01T12:00:00+02:60', '2026-03-01T12:00:60Z']) {
      expect(refusal(await at(text))).toEqual([400, 'Invalid UTC timestamp for updated_at']);
    }
    for (const text of ['soon', '2026-03-01T24:00:00Z', '2026-03-01t12:00:00z', ' 2026-03-01T12:00:00Z']) {
      expect(refusal(await at(text))).toEqual([400, 'Invalid UTC timestamp for updated_at']);
    }
  });

  test.each([
    ['2026-03-01T12:00:00+00:00', '2026-03-01T12:00:00Z'],
    ['2026-03-01T12:00:00.5Z', '2026-03-01T12:00:00.500000Z'],
    ['2026-03-01 12:00Z', '2026-03-01T12:00:00Z'],
    ['2026-03-01T12:00:00.12345678Z', '2026-03-01T12:00:00.123456Z'],
  ])('%s reads back as %s', async (sent, shown) => {
    expect((await attempt({ updated_at: sent })).status).toBe(200);
    expect((await memory.capsule('user', `u${count}`)).updated_at).toBe(shown);
  });

  const after = async (stale_after_seconds: number) =>
    (await attempt({ freshness: { stale_after_seconds } })).status;

  test('a threshold of staleness is between five minutes and a year', async () => {
    expect([await after(299), await after(300), await after(31_536_001)]).toEqual([422, 200, 422]);
  });

  test('an expiry that is a date only is refused', async () => {
    const answer = await attempt({ freshness: { expires_at: '2026-01-01' } });
    expect(refusal(answer)).toEqual([400, 'Timestamp must be UTC for freshness.expires_at']);
  });

  test('metadata is at most 12 scalar values', async () => {
    expect(refusal(await attempt({ metadata: { a: {} } }))).toEqual([400, 'Metadata values must be scalar']);
    const many = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`k${index}`, 1]));
    expect(refusal(await attempt({ metadata: many }))).toEqual([400, 'Too many metadata keys']);
    expect((await attempt({ metadata: { a: null, b: true } })).status).toBe(200);
    expect((await memory.capsule('user', `u${count}`)).metadata).toEqual({ a: null, b: true });
  });

  test('the boundary and its kind belong together', async () => {
    const source = { producer: 'acceptance', update_reason: 'interaction_boundary' } as const;
    const key = 'metadata.interaction_boundary_kind';
    expect(refusal(await attempt({ source }))).toEqual([
      400,
      `${key} is required when source.update_reason=interaction_boundary`,
    ]);
    expect(refusal(await attempt({ source, metadata: { interaction_boundary_kind: 'lunch' } }))).toEqual([
      400,
      `Invalid ${key}`,
    ]);
    expect((await attempt({ source, metadata: { interaction_boundary_kind: 'task_switch' } })).status).toBe(
      200,
    );
    expect(refusal(await attempt({ metadata: { interaction_boundary_kind: 'task_switch' } }))).toEqual([
      400,
      `${key} requires source.update_reason=interaction_boundary`,
    ]);
  });

  const inputs = (list: string[]) =>
    attempt({ source: { producer: 'a', update_reason: 'manual', inputs: list } });

  test('a source has at most 12 inputs of 200 characters', async () => {
    expect((await inputs(Array.from({ length: 13 }, String))).status).toBe(422);
    expect(refusal(await inputs([x(201)]))).toEqual([400, 'Value too long in source.inputs']);
  });

  test('a confidence over 1 and another version are refused', async () => {
    expect((await attempt({ confidence: { continuity: 1.5, relationship_model: 0 } })).status).toBe(422);
    expect((await attempt({ schema_version: '2.0' as '1.1' })).status).toBe(422);
  });

  test('version 1.0 is stored as 1.1', async () => {
    expect((await attempt({ schema_version: '1.0' })).status).toBe(200);
    expect((await memory.capsule('user', `u${count}`)).schema_version).toBe('1.1');
  });

  test('items of the small objects have their own lengths', async () => {
    expect(refusal(await attempt({ attention_policy: { presence_bias_overrides: [x(161)] } }))).toEqual(
      tooLong('attention_policy.presence_bias_overrides'),
    );
    const model = (more: object) => attempt({ continuity: { relationship_model: more } });
    expect(refusal(await model({ preferred_style: [x(81)] }))).toEqual(
      tooLong('relationship_model.preferred_style'),
    );
    expect(refusal(await model({ sensitivity_notes: [x(121)] }))).toEqual(
      tooLong('relationship_model.sensitivity_notes'),
    );
    const hints = await attempt({ continuity: { retrieval_hints: { must_include: [x(161)] } } });
    expect(refusal(hints)).toEqual(tooLong('retrieval_hints.must_include'));
  });

  const twoFaults = {
    source: { producer: 'a', update_reason: 'manual' as const, inputs: [x(201)] },
    continuity: { open_loops: [x(161)] },
  };

  test('of two faults the first in the order of the rules is told', async () => {
    expect(refusal(await attempt(twoFaults))).toEqual([400, 'Value too long in source.inputs']);
  });

  test('with explain, all of them', async () => {
    const problems = [
      { path: 'source.inputs', message: 'Value too long in source.inputs' },
      { path: 'open_loops', message: 'Value too long in open_loops' },
    ];
    const capsule = baseCapsule('user', 'explained', T(1), twoFaults);
    const asked = await memory.upsert(capsule, { explain: true });
    expect([asked.status, asked.body]).toEqual([
      400,
      { detail: 'Value too long in source.inputs', problems },
    ]);
    const byHeader = await memory.call(
      'upsert',
      { subject_kind: 'user', subject_id: 'explained', capsule },
      { 'x-parley-explain': 'true' },
    );
    expect(byHeader.body.problems).toEqual(problems);
  });

  test('with explain, every refusal lists what it found', async () => {
    const text = 'Capsule subject does not match request subject';
    const answer = await memory.upsert(baseCapsule('user', 'one'), { subject_id: 'two', explain: true });
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: text, problems: [{ path: 'request', message: text }] },
    ]);
    await memory.store('user', 'dated', {}, T(2));
    const stale = await memory.upsert(baseCapsule('user', 'dated', T(1)), { explain: true });
    expect([stale.status, 'problems' in stale.body]).toEqual([409, false]);
  });

  test('with explain, the faults of the request stand before those of the capsule', async () => {
    const capsule = baseCapsule('user', 'one', 'soon', {
      continuity: { open_loops: [x(161)], related_documents: null },
    });
    const asked = { subject_id: 'two', superseded_by: 'three', lifecycle_transition: 'suspend' };
    const messages = [
      'Invalid value type in continuity.related_documents[]',
      'Capsule subject does not match request subject',
      "superseded_by is only allowed when lifecycle_transition is 'supersede'",
      'lifecycle_transition is only allowed for thread and task capsules',
      'Invalid UTC timestamp for updated_at',
      'Invalid UTC timestamp for verified_at',
      'Value too long in open_loops',
    ];
    const { status, body } = await memory.upsert(capsule, { ...asked, explain: true });
    expect([status, body.detail]).toEqual([400, messages[0]]);
    expect(body.problems).toEqual(messages.map((message) => expect.objectContaining({ message })));
    expect(refusal(await memory.upsert(capsule, asked))).toEqual([400, messages[0]]);
    const nameless = await memory.upsert(capsule, { ...asked, subject_id: '!!!', explain: true });
    expect(nameless.body.problems).toContainEqual({
      path: 'request',
      message: 'Normalized subject_id is empty',
    });
  });

  /** Free text in `early_load` has no bound of its own. */
  const sized = (bytes: number) =>
    baseCapsule('user', `size${++count}`, T(1), {
      attention_policy: { early_load: [x(bytes)] },
    });

  test('the whole may have 20480 bytes, one more does not', async () => {
    const rest = Buffer.byteLength(canonicalCapsule(stored(sized(0))));
    expect((await memory.upsert(sized(20_480 - rest))).status).toBe(200);
    expect(refusal(await memory.upsert(sized(20_481 - rest)))).toEqual([
      400,
      'Continuity capsule exceeds 20 KB serialized UTF-8',
    ]);
  });

  test('paths lead into the store', async () => {
    const refused = async (path: string) => refusal(await attempt({ canonical_sources: [path] }))[1];
    const text = 'Invalid repo-relative path in canonical_sources';
    expect(await refused('')).toBe(text);
    expect(await refused('memory/a b')).toBe(text);
    expect(await refused('/memory/a')).toBe(`${text}: Path must be a non-empty relative path`);
    expect(await refused('docs/a')).toBe(`${text}: Top-level path not allowed: docs`);
    expect(await refused('memory/../../a')).toBe(`${text}: Path escapes repository root`);
    const hints = await attempt({ continuity: { retrieval_hints: { load_next: ['x/a'] } } });
    expect(refusal(hints)[1]).toBe(
      'Invalid repo-relative path in retrieval_hints.load_next: Top-level path not allowed: x',
    );
  });
});
