import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { baseCapsule, T } from '../testing/base-capsule.ts';
import { breach, type Memory, type MemoryServer, refusal, startMemory } from '../testing/memory.ts';

const signal = (kind = 'external_observation', ref = 'ref') => ({
  kind,
  source_ref: ref,
  observed_at: T(3),
  summary: 'seen',
});
const STANCE = 'Turn to the printer now that the parser is done.';
const NOON = '2026-04-01T12:00:00Z';
const told = (messages: string[]) => messages.map((message) => expect.objectContaining({ message }));

const changed = (id: string, more: Parameters<typeof baseCapsule>[3] = {}) =>
  baseCapsule('user', id, T(1), { continuity: { stance_summary: STANCE }, ...more });

describeEachServer('continuity › compare and revalidate', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
    await memory.store('user', 'a');
  });
  const compare = (candidate: object, signals: object[] = [signal()], id = 'a') =>
    memory.call('compare', { subject_kind: 'user', subject_id: id, candidate_capsule: candidate, signals });
  const revalidate = (id: string, outcome: string, more: object = {}) =>
    memory.call('revalidate', {
      subject_kind: 'user',
      subject_id: id,
      outcome,
      signals: [signal()],
      ...more,
    });

  test('a candidate that says the same is identical', async () => {
    const { status, body } = await compare(baseCapsule('user', 'a', T(1), { verified_at: T(9) }));
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        path: 'memory/continuity/user-a.json',
        identical: true,
        changed_fields: [],
        strongest_signal: 'external_observation',
        recommended_outcome: 'confirm',
      },
    ]);
  });

  test.each(['2026-03-01T12:00:00+00:00', '2026-03-01 12:00Z', '2026-03-01T12:00:00.5Z'])(
    'what was stored at %s says the same as itself',
    async (time) => {
      const said = baseCapsule('user', 'spelled', time);
      await memory.call('delete', {
        subject_kind: 'user',
        subject_id: 'spelled',
        delete_active: true,
        reason: 'anew',
      });
      await memory.upsert(said);
      expect((await compare(said, [signal()], 'spelled')).body.changed_fields).toEqual([]);
      const { body } = await revalidate('spelled', 'correct', { candidate_capsule: said });
      expect([body.outcome, body.updated]).toEqual(['confirm', false]);
    },
  );

  test('a candidate that says something else is a correction, or a conflict where only the agent itself says so', async () => {
    const { body } = await compare(changed('a'));
    expect([body.changed_fields, body.recommended_outcome]).toEqual([
      ['continuity.stance_summary'],
      'correct',
    ]);
    expect((await compare(changed('a'), [signal('self_review')])).body.recommended_outcome).toBe('conflict');
    const strongest = await compare(changed('a'), [signal('self_review'), signal('system_check'), signal()]);
    expect(strongest.body.strongest_signal).toBe('system_check');
  });

  test('fields are told in their order; what the server adds itself is not compared', async () => {
    await memory.store('thread', 'c', {
      thread_descriptor: { label: 'L', keywords: ['k'] },
      continuity: { negative_decisions: [{ decision: 'd', rationale: 'r' }] },
    });
    const { body } = await memory.call('compare', {
      subject_kind: 'thread',
      subject_id: 'c',
      signals: [signal()],
      candidate_capsule: {
        ...baseCapsule('thread', 'c', T(2), {
          thread_descriptor: { label: 'M', keywords: ['K '], lifecycle: 'concluded' },
          metadata: { b: 1, a: 2 },
          continuity: {
            negative_decisions: [{ decision: 'd', rationale: 'r', created_at: T(9), updated_at: T(9) }],
            relationship_model: { trust_level: 'low' },
            open_loops: ['another'],
          },
        }),
      },
    });
    expect(body.changed_fields).toEqual([
      'updated_at',
      'continuity.open_loops',
      'continuity.relationship_model',
      'metadata.a',
      'metadata.b',
      'thread_descriptor.label',
    ]);
    await memory.store('user', 'prefs', { stable_preferences: [{ tag: 't', content: 'c' }] });
    const preferences = await compare(
      baseCapsule('user', 'prefs', T(1), { stable_preferences: [{ tag: 't', content: 'd' }] }),
      [signal()],
      'prefs',
    );
    expect(preferences.body.changed_fields).toEqual(['stable_preferences']);
  });

  test('what cannot be compared is refused', async () => {
    expect(refusal(await compare(baseCapsule('user', 'b')))).toEqual([
      400,
      'Candidate capsule subject does not match request subject',
    ]);
    expect(breach(await compare(changed('a'), []))).toEqual([422, 'too_short']);
    expect(
      breach(
        await compare(
          changed('a'),
          Array.from({ length: 9 }, () => signal()),
        ),
      ),
    ).toEqual([422, 'too_long']);
    expect(refusal(await compare(baseCapsule('user', 'no'), [signal()], 'no'))).toEqual([
      404,
      'Continuity capsule not found',
    ]);
    expect(refusal(await compare(changed('a'), [{ ...signal(), observed_at: 'then' }]))).toEqual([
      400,
      'Invalid UTC timestamp for signals.observed_at',
    ]);
  });

  test('a candidate that doubts itself has to say why', async () => {
    const degraded = { status: 'degraded' as const, reasons: [], last_checked_at: T(1) };
    expect(refusal(await compare(changed('a', { capsule_health: degraded })))).toEqual([
      400,
      'capsule_health.reasons is required when status is degraded or conflicted',
    ]);
    const conflicted = {
      status: 'conflicted' as const,
      last_revalidated_at: T(1),
      strongest_signal: 'self_review' as const,
    };
    expect(refusal(await compare(changed('a', { verification_state: conflicted })))).toEqual([
      400,
      'verification_state.conflict_summary is required when status=conflicted',
    ]);
  });

  test('a correction is stored and healthy; the same again confirms', async () => {
    await memory.store('user', 'r');
    const { status, body } = await revalidate('r', 'correct', { candidate_capsule: changed('r') });
    expect([status, body.outcome, body.updated]).toEqual([200, 'correct', true]);
    const capsule = await memory.capsule('user', 'r');
    expect([capsule.continuity.stance_summary, capsule.capsule_health?.status]).toEqual([STANCE, 'healthy']);
    const again = await revalidate('r', 'correct', { candidate_capsule: changed('r') });
    expect([again.body.outcome, again.body.updated]).toEqual(['confirm', false]);
  });

  test('a confirmation by the agent itself is self-attested', async () => {
    await memory.store('user', 'confirm', {}, T(2));
    const { body } = await revalidate('confirm', 'confirm', { signals: [signal('self_review', 'me')] });
    expect(body).toMatchObject({
      outcome: 'confirm',
      updated: false,
      verification_state: {
        status: 'self_attested',
        last_revalidated_at: NOON,
        strongest_signal: 'self_review',
        evidence_refs: ['me'],
      },
      capsule_health: { status: 'healthy', reasons: [], last_checked_at: NOON },
      durable: true,
      warnings: [],
      recovery_warnings: [],
      fallback_warning_detail: null,
    });
    const capsule = await memory.capsule('user', 'confirm');
    expect([capsule.updated_at, capsule.verified_at, capsule.verification_kind]).toEqual([
      T(2),
      NOON,
      'self_review',
    ]);
  });

  test('each outcome needs its own parts', async () => {
    expect(breach(await revalidate('a', 'degrade', { reason: 'x'.repeat(121) }))).toEqual([
      422,
      'string_too_long',
    ]);
    expect(refusal(await revalidate('a', 'correct'))).toEqual([
      400,
      'candidate_capsule is required for outcome=correct',
    ]);
    expect(refusal(await revalidate('a', 'confirm', { candidate_capsule: changed('a') }))).toEqual([
      400,
      'candidate_capsule is not allowed for outcome=confirm',
    ]);
    expect(refusal(await revalidate('a', 'confirm', { reason: 'r' }))).toEqual([
      400,
      'reason is not allowed for outcome=confirm',
    ]);
    expect(refusal(await revalidate('a', 'conflict'))).toEqual([
      400,
      'reason is required for outcome=conflict',
    ]);
  });

  test('doubt, and doubt taken back', async () => {
    await memory.store('user', 'doubt');
    await revalidate('doubt', 'degrade', { reason: 'looks old' });
    expect((await memory.capsule('user', 'doubt')).capsule_health).toMatchObject({
      status: 'degraded',
      reasons: ['looks old'],
    });
    const refs = Array.from({ length: 6 }, (_, index) => signal('self_review', `r${index}`));
    await revalidate('doubt', 'conflict', { reason: 'two stories', signals: refs });
    const { body } = await memory.read('user', 'doubt');
    expect(body.capsule.verification_state).toMatchObject({
      status: 'conflicted',
      conflict_summary: 'two stories',
      evidence_refs: ['r0', 'r1', 'r2', 'r3'],
    });
    expect(body.trust_signals.integrity).toEqual({
      source_state: 'active',
      health_status: 'conflicted',
      health_reasons: ['two stories'],
      verification_status: 'conflicted',
    });
    await revalidate('doubt', 'confirm');
    expect((await memory.capsule('user', 'doubt')).capsule_health?.status).toBe('healthy');
    await memory.store('user', 'doubt', {}, T(2));
    expect(await memory.capsule('user', 'doubt')).not.toHaveProperty('capsule_health');
  });

  test('verification survives a patch', async () => {
    await memory.store('user', 'patched');
    await revalidate('patched', 'confirm');
    await memory.call('patch', {
      subject_kind: 'user',
      subject_id: 'patched',
      updated_at: T(2),
      operations: [{ target: 'continuity.open_loops', action: 'append', value: 'x' }],
    });
    const capsule = await memory.capsule('user', 'patched');
    expect(capsule.verification_state?.status).toBe('externally_supported');
  });

  test('a correction cannot move a thread', async () => {
    await memory.store('thread', 'life', { thread_descriptor: { label: 'L' } });
    const candidate = baseCapsule('thread', 'life', T(2), {
      thread_descriptor: { label: 'M', lifecycle: 'concluded' },
    });
    const { status } = await memory.call('revalidate', {
      subject_kind: 'thread',
      subject_id: 'life',
      outcome: 'correct',
      signals: [signal()],
      candidate_capsule: candidate,
    });
    expect(status).toBe(200);
    expect((await memory.capsule('thread', 'life')).thread_descriptor).toMatchObject({
      label: 'M',
      lifecycle: 'active',
    });
  });

  test('a correction has no clock guard: the way out of a write dated far ahead', async () => {
    const soon = baseCapsule('user', 'ahead', T(3));
    await memory.store('user', 'ahead', {}, '2030-01-01T00:00:00Z');
    expect(refusal(await memory.upsert(soon))).toEqual([
      409,
      'Incoming continuity capsule is older than the current stored capsule',
    ]);
    const { status, body } = await revalidate('ahead', 'correct', {
      candidate_capsule: baseCapsule('user', 'ahead', T(2)),
    });
    expect([status, body.outcome, body.updated]).toEqual([200, 'correct', true]);
    expect((await memory.capsule('user', 'ahead')).updated_at).toBe(T(2));
    expect((await memory.upsert(soon)).status).toBe(200);
    expect((await memory.capsule('user', 'ahead')).updated_at).toBe(T(3));
  });

  test('the entries of a correction are normalised and dated by the service', async () => {
    const dates = { created_at: T(9), updated_at: T(9) };
    const why = { kind: 'decision', status: 'active', summary: 's' } as const;
    await memory.store('user', 'dated', {
      stable_preferences: [{ tag: 'same', content: 'c' }],
      continuity: {
        negative_decisions: [{ decision: 'edited', rationale: 'r' }],
        rationale_entries: [{ ...why, tag: 'edited', reasoning: 'r' }],
      },
    });
    const candidate = baseCapsule('user', 'dated', T(2), {
      stable_preferences: [
        { tag: ' same', content: 'c ', ...dates },
        { tag: 'new', content: 'first', ...dates },
        { tag: 'new ', content: 'last', ...dates },
      ],
      continuity: {
        open_loops: [' loop ', 'loop'],
        negative_decisions: [{ decision: 'edited ', rationale: 'other', ...dates }],
        rationale_entries: [{ ...why, tag: ' edited', reasoning: 'other', ...dates }],
      },
    });
    expect((await revalidate('dated', 'correct', { candidate_capsule: candidate })).status).toBe(200);
    const { stable_preferences: preferences, continuity } = await memory.capsule('user', 'dated');
    const edited = { created_at: T(1), updated_at: T(2) };
    expect(preferences).toEqual([
      { tag: 'same', content: 'c', created_at: T(1), updated_at: T(1) },
      { tag: 'new', content: 'last', created_at: T(2), updated_at: T(2) },
    ]);
    expect(continuity).toMatchObject({
      open_loops: ['loop'],
      negative_decisions: [{ decision: 'edited', rationale: 'other', ...edited }],
      rationale_entries: [{ tag: 'edited', reasoning: 'other', ...edited }],
    });
  });

  test('with explain, signals, candidate and reason are told together', async () => {
    const signals = [{ ...signal(), observed_at: 'soon' }];
    const wrong = 'Invalid UTC timestamp for signals.observed_at';
    const candidate = baseCapsule('user', 'other', T(1), { continuity: { open_loops: ['x'.repeat(161)] } });
    const found = [
      wrong,
      'Candidate capsule subject does not match request subject',
      'Value too long in open_loops',
    ];
    const asked = { candidate_capsule: candidate, signals, explain: true };
    const subject = { subject_kind: 'user', subject_id: 'a' };
    const compared = await memory.call('compare', { ...subject, ...asked });
    expect(compared.body.problems).toEqual(told(found));
    expect((await revalidate('a', 'correct', asked)).body.problems).toEqual(told(found));
    expect((await revalidate('a', 'degrade', asked)).body.problems).toEqual(
      told([
        wrong,
        'candidate_capsule is not allowed for outcome=degrade',
        'reason is required for outcome=degrade',
      ]),
    );
  });
});
