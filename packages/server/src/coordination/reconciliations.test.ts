import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../testing/each-server.ts';
import {
  type CoordinationScene,
  coordinationScene,
  must,
  statuses,
  told,
  ZEROS,
} from './testing/coordination-scene.ts';

const claim = (kind: string, id: string, peer: string, more: object = {}) => ({
  source_kind: kind,
  source_id: id,
  claimant_peer: peer,
  claim_summary: 'says so',
  epistemic_status: 'frame_present',
  ...more,
});

describeEachServer('coordination › reconciliation', (start) => {
  let scene: CoordinationScene;
  let handoff: string;
  let shared: string;
  beforeAll(async () => {
    scene = await coordinationScene(start);
    handoff = (await scene.a.handed('b')).handoff_id;
    shared = (await scene.a.shared({ participant_peers: ['b'] })).shared_id;
    must(await scene.a.updateShared(shared, 1));
  });

  const record = (more: object = {}): object => ({
    task_id: 't1',
    title: 'who is right',
    classification: 'contradictory',
    trigger: 'handoff_vs_handoff',
    claims: [claim('handoff', handoff, 'a'), claim('handoff', handoff, 'b', { evidence_refs: ['log 5'] })],
    ...more,
  });
  const about = (...claims: object[]): object => record({ claims, trigger: 'shared_vs_shared' });

  test('puts claims on record', async () => {
    const { reconciliation, path, created } = must(await scene.a.open(record()));
    expect([created, path]).toEqual([
      true,
      `memory/coordination/reconciliations/${reconciliation.reconciliation_id}.json`,
    ]);
    expect(reconciliation).toEqual({
      schema_type: 'coordination_reconciliation_record',
      schema_version: '1.0',
      reconciliation_id: expect.stringMatching(/^recon_[0-9a-f]{32}$/),
      created_at: '2026-04-01T12:00:00Z',
      updated_at: '2026-04-01T12:00:00Z',
      opened_by: 'a',
      owner_peer: 'a',
      participant_peers: ['b'],
      task_id: 't1',
      thread_id: null,
      title: 'who is right',
      summary: null,
      classification: 'contradictory',
      trigger: 'handoff_vs_handoff',
      claims: [
        { ...claim('handoff', handoff, 'a'), evidence_refs: [], observed_version: null },
        { ...claim('handoff', handoff, 'b'), evidence_refs: ['log 5'], observed_version: null },
      ],
      status: 'open',
      resolution_outcome: null,
      resolution_summary: null,
      resolved_at: null,
      resolved_by: null,
      version: 1,
      last_updated_by: 'a',
    });
  });

  test('refuses what makes no record', async () => {
    const one = claim('handoff', handoff, 'a');
    const seen = { observed_version: 1 };
    const cases: [string, object, number][] = [
      ['no claims', record({ claims: undefined }), 400],
      ['one claim', record({ claims: [one] }), 400],
      ['five claims', record({ claims: [one, one, one, one, one] }), 422],
      ['neither task nor thread', record({ task_id: undefined }), 400],
      ['a repeated claim', record({ claims: [one, one] }), 400],
      ['the wrong trigger', record({ trigger: 'shared_vs_shared' }), 400],
      ['a trigger for both', record({ trigger: 'handoff_vs_shared' }), 400],
      ['no version seen', about(claim('shared', shared, 'a'), claim('shared', shared, 'b', seen)), 400],
      ['a version of a handoff', record({ claims: [one, claim('handoff', handoff, 'b', seen)] }), 400],
      [
        'a version there is not',
        about(claim('shared', shared, 'a', seen), claim('shared', shared, 'b', { observed_version: 3 })),
        400,
      ],
      ['version zero', about(claim('shared', shared, 'a', { observed_version: 0 }), one), 422],
      ['an unknown claimant', record({ claims: [one, claim('handoff', handoff, 'nobody')] }), 404],
      ['a distrusted claimant', record({ claims: [one, claim('handoff', handoff, 'u')] }), 409],
      ['a claimant that is no party', record({ claims: [one, claim('handoff', handoff, 'c')] }), 400],
      ['an unknown source', record({ claims: [one, claim('handoff', `handoff_${ZEROS}`, 'b')] }), 404],
      ['a malformed source', record({ claims: [one, claim('handoff', 'bad', 'b')] }), 400],
      [
        'an unknown field of a claim',
        record({ claims: [one, claim('handoff', handoff, 'b', { x: 1 })] }),
        422,
      ],
      ['an unknown field', record({ x: 1 }), 422],
      [
        'an empty claim',
        record({ claims: [one, claim('handoff', handoff, 'b', { claim_summary: '' })] }),
        400,
      ],
      [
        'an empty reference',
        record({ claims: [one, claim('handoff', handoff, 'b', { evidence_refs: [''] })] }),
        400,
      ],
      [
        'five references',
        record({
          claims: [one, claim('handoff', handoff, 'b', { evidence_refs: ['1', '2', '3', '4', '5'] })],
        }),
        422,
      ],
      ['an empty title', record({ title: '' }), 400],
      ['another classification', record({ classification: 'x' }), 422],
    ];
    const got: [string, number][] = [];
    for (const [name, body] of cases) got.push([name, (await scene.a.open(body)).status]);
    expect(got).toEqual(cases.map(([name, , status]) => [name, status]));
    expect(
      told(await scene.a.open(record({ claims: [one, claim('handoff', `handoff_${ZEROS}`, 'b')] }))),
    ).toEqual([404, 'Referenced source artifact not found']);
  });

  test('takes a stale observation, and sources of both kinds', async () => {
    const stale = about(
      claim('shared', shared, 'a', { observed_version: 2 }),
      claim('shared', shared, 'b', { observed_version: 1 }),
    );
    const both = record({
      trigger: 'handoff_vs_shared',
      claims: [claim('handoff', handoff, 'a'), claim('shared', shared, 'b', { observed_version: 2 })],
    });
    expect(await statuses(scene.a.open(stale), scene.b.open(both))).toEqual([200, 200]);
    expect(await statuses(scene.c.open(record()), scene.admin.open(record()))).toEqual([403, 200]);
  });

  test('is shown to its owner and the claimants, and listed for who names itself', async () => {
    const { a, b, c, admin } = scene;
    const { reconciliation_id: id } = must(await a.open(record({ task_id: 'seen' }))).reconciliation;
    expect(
      await statuses(
        a.reconciliation(id),
        b.reconciliation(id),
        admin.reconciliation(id),
        c.reconciliation(id),
      ),
    ).toEqual([200, 200, 200, 403]);
    expect(await statuses(a.reconciliation('nope'), a.reconciliation(`recon_${ZEROS}`))).toEqual([400, 404]);
    expect(
      await statuses(
        a.reconciliations('?status=open'),
        admin.reconciliations('?status=open'),
        a.reconciliations(''),
      ),
    ).toEqual([403, 200, 400]);
    const mine = must(
      await b.reconciliations('?claimant_peer=b&task_id=seen&classification=contradictory&status=open'),
    );
    expect(mine.reconciliations.map(({ reconciliation_id: each }) => each)).toEqual([id]);
    expect(must(await a.reconciliations('?owner_peer=a&claimant_peer=a&task_id=seen')).total_matches).toBe(1);
    expect(
      await statuses(
        a.reconciliations('?owner_peer=a&claimant_peer=b'),
        a.reconciliations('?owner_peer=a&status=x'),
      ),
    ).toEqual([403, 422]);
  });

  test('is resolved once', async () => {
    const { a, b, admin, clock } = scene;
    const { reconciliation_id: id } = must(await a.open(record())).reconciliation;
    const answer = { expected_version: 1, resolution_outcome: 'advisory_only', resolution_summary: 's' };
    expect(
      await statuses(b.resolve(id, answer), a.resolve(id, { ...answer, resolution_summary: undefined })),
    ).toEqual([403, 400]);
    expect(await statuses(a.resolve(id, { ...answer, resolution_summary: '' }))).toEqual([400]);
    expect(await a.resolve(id, { ...answer, expected_version: 2 })).toMatchObject({
      status: 409,
      body: { detail: 'Reconciliation version conflict', code: 'reconciliation_version_conflict' },
    });
    await clock.advance(1_000);
    const done = must(await a.resolve(id, answer));
    expect(done.updated).toBe(true);
    expect(done.reconciliation).toMatchObject({
      status: 'resolved',
      version: 2,
      resolved_by: 'a',
      resolution_outcome: 'advisory_only',
      resolution_summary: 's',
      resolved_at: done.reconciliation.updated_at,
    });
    const named = { expected_version: 2, outcome: 'advisory_only', resolution_summary: 's' };
    for (const again of [{ ...answer, expected_version: 99 }, named]) {
      const repeated = must(await a.resolve(id, again));
      expect([repeated.updated, repeated.reconciliation]).toEqual([false, done.reconciliation]);
    }
    expect(told(await a.resolve(id, { ...answer, resolution_outcome: 'rejected' }))).toEqual([
      409,
      'Reconciliation has already been resolved',
    ]);
    expect(await statuses(a.resolve('nope', answer), a.resolve(`recon_${ZEROS}`, answer))).toEqual([
      400, 404,
    ]);
    expect(
      await statuses(
        a.resolve(id, { ...answer, outcome: 'rejected' }),
        a.resolve(id, { expected_version: 1, resolution_summary: 's' }),
        a.resolve(id, { ...answer, x: 1 }),
      ),
    ).toEqual([422, 422, 422]);
    const other = must(await a.open(record())).reconciliation;
    expect(must(await admin.resolve(other.reconciliation_id, answer)).reconciliation.resolved_by).toBe(
      'boss',
    );
  });

  test('of many at once one resolves it', async () => {
    const { a } = scene;
    const { reconciliation_id: id } = must(await a.open(record())).reconciliation;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        a.resolve(id, { expected_version: 1, outcome: 'conflicted', resolution_summary: `s${at}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
