import type { SentCapsule } from '@parley/protocol/continuity/sent';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeEachServer } from '@parley/server/testing/each-server';
import { startMemory, type MemoryServer } from '@parley/server/continuity/testing/memory';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { TransportError } from '../channels/transport.ts';
import { MemoryClient } from './client.ts';
import { MemoryError } from './memory-error.ts';

const T = (day: number): string => `2026-03-0${day}T12:00:00Z`;
const subject = { subject_kind: 'task', subject_id: 'tide-cache' } as const;

const capsule = (day: number, state: Partial<SentCapsule['continuity']> = {}): SentCapsule => ({
  ...subject,
  updated_at: T(day),
  verified_at: T(day),
  source: { producer: 'harbour-bot', update_reason: 'manual' },
  confidence: { continuity: 0.9, relationship_model: 0.5 },
  thread_descriptor: { label: 'Tide cache', keywords: ['tides'] },
  continuity: {
    top_priorities: ['ship the cache'],
    active_concerns: [],
    active_constraints: ['no new dependencies'],
    open_loops: ['ask about six hours'],
    stance_summary: 'Six hours, keyed by station and day.',
    drift_signals: [],
    ...state,
  },
});

const refused = async (call: Promise<unknown>): Promise<MemoryError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof MemoryError)) throw new Error(`not refused: ${String(error)}`);
  return error;
};

describeEachServer('memory client', (start) => {
  let home: MemoryServer;
  let memory: MemoryClient;
  beforeAll(async () => {
    home = await startMemory(start);
  });
  beforeEach(async () => {
    memory = new MemoryClient({ server: `${home.server.url}/`, key: (await home.owner()).key });
  });

  test('keeps a capsule and hands it back with what may be thought of it', async () => {
    const written = await memory.upsert({ ...subject, capsule: capsule(1) });
    expect(written).toMatchObject({ created: true, durable: true, lifecycle: 'active' });
    const { capsule: kept, trust_signals: trust, source_state: source } = await memory.read(subject);
    expect([kept?.continuity.open_loops, source]).toEqual([['ask about six hours'], 'active']);
    expect(trust?.recency.phase).toBe('stale_soft');
    const { startup_summary: summary, schedule_context: schedule } = await memory.startup(subject);
    expect(summary?.orientation?.open_loops).toEqual(['ask about six hours']);
    expect(schedule.due.count).toBe(0);
  });

  test('a startup read of nothing is an answer, a plain one a refusal', async () => {
    expect((await memory.startup(subject)).source_state).toBe('missing');
    const error = await refused(memory.read(subject));
    expect([error.status, error.notFound, error.message]).toEqual([
      404,
      true,
      'Continuity capsule not found',
    ]);
    expect((await refused(memory.startup({ ...subject, allow_fallback: false }))).notFound).toBe(true);
  });

  test('changes, compares and restores', async () => {
    await memory.upsert({ ...subject, capsule: capsule(1, { trailing_notes: ['a note'] }) });
    await memory.patch({
      ...subject,
      updated_at: T(2),
      operations: [{ target: 'continuity.open_loops', action: 'append', value: 'measure' }],
    });
    await memory.upsert({
      ...subject,
      merge_mode: 'preserve',
      capsule: { ...capsule(3), continuity: { ...capsule(3).continuity, trailing_notes: null } },
    });
    const { revisions } = await memory.history(subject);
    expect(revisions.map(({ revision, operation }) => [revision, operation])).toEqual([
      [3, 'upsert'],
      [2, 'patch'],
      [1, 'upsert'],
    ]);
    const { changes } = await memory.diff({ ...subject, from: 1, to: 2 });
    expect(changes.find(({ path }) => path === 'continuity.open_loops')?.added).toEqual(['measure']);
    const restored = await memory.restore({ ...subject, from: 1, updated_at: T(4), reason: 'too hasty' });
    expect(restored.revision).toBe(4);
    expect((await memory.read({ ...subject, revision: 2 })).capsule?.updated_at).toBe(T(2));
  });

  test('rehearses without storing', async () => {
    const request = { ...subject, capsule: capsule(1) };
    expect(await memory.rehearse('upsert', request)).toMatchObject({ dry_run: true, would_change: true });
    expect((await memory.list()).count).toBe(0);
  });

  test('moves, verifies, finds, archives and deletes', async () => {
    await memory.upsert({ ...subject, capsule: capsule(1) });
    const moved = await memory.lifecycle({ ...subject, transition: 'suspend', updated_at: T(2) });
    expect([moved.previous_lifecycle, moved.lifecycle]).toEqual(['active', 'suspended']);
    const signals = [
      { kind: 'user_confirmation' as const, source_ref: 'msg_1', observed_at: T(3), summary: 'she said so' },
    ];
    const compared = await memory.compare({ ...subject, candidate_capsule: capsule(2), signals });
    expect(compared.recommended_outcome).toBe('confirm');
    const looked = await memory.revalidate({ ...subject, outcome: 'confirm', signals });
    expect(looked.verification_state.status).toBe('user_confirmed');
    expect((await memory.list({ lifecycle: 'suspended', sort: 'salience' })).capsules[0]?.salience_rank).toBe(
      1,
    );
    expect((await memory.search({ query: 'dependencies' })).results[0]?.matches[0]?.field).toBe(
      'continuity.active_constraints',
    );
    expect((await memory.refreshPlan({ include_healthy: true })).count).toBe(1);
    const { archived_path: path } = await memory.archive({ ...subject, reason: 'over and done' });
    expect((await memory.retentionPlan()).total_candidates).toBe(0);
    const { job_result: packed } = await memory.coldStore({ source_archive_path: path });
    expect(packed['artifact_state']).toBe('cold');
    const applied = await memory.retentionApply({ source_archive_paths: [path] });
    expect(applied.job_result['results']).toMatchObject([{ status: 'skipped_already_cold' }]);
    await memory.coldRehydrate({ source_archive_path: path });
    const gone = await memory.delete({ ...subject, delete_archive: true, reason: 'tidy up' });
    expect(gone.deleted_paths).toEqual([path]);
  });

  test('follows changes and resumes where it stopped', async () => {
    await memory.upsert({ ...subject, capsule: capsule(1) });
    await memory.upsert({ ...subject, capsule: capsule(2) });
    const seen: number[] = [];
    for await (const { id, revision, operation } of memory.events()) {
      expect([id > (seen.at(-1) ?? 0), operation]).toEqual([true, 'upsert']);
      seen.push(id);
      if (revision === 2) break;
    }
    for await (const { id } of memory.events({ after: seen[0] })) {
      expect(id).toBe(seen[1]);
      break;
    }
  });

  test('a refusal says what is wrong, and what may help', async () => {
    await memory.upsert({ ...subject, capsule: capsule(2) });
    const older = await refused(memory.upsert({ ...subject, capsule: capsule(1) }));
    expect([older.status, older.conflict, older.retryable]).toEqual([409, true, false]);
    const wrong = await refused(memory.list({ limit: 0 }));
    expect([wrong.status, wrong.faults.map(({ path }) => path)]).toEqual([422, ['limit']]);
    expect(wrong.message).toBe('limit: Input should be greater than or equal to 1');
    const long = ['x'.repeat(161)];
    const faulty = capsule(3, { open_loops: long, drift_signals: long });
    const all = await refused(memory.upsert({ ...subject, capsule: faulty, explain: true }));
    expect([all.message, all.faults.length]).toEqual(['Value too long in open_loops', 2]);
    const stranger = new MemoryClient({ server: home.server.url, key: 'ak_nobody' });
    expect((await refused(stranger.list())).status).toBe(401);
    expect(
      (
        await refused(
          (async () => {
            for await (const _event of stranger.events()) throw new Error('an event for nobody');
          })(),
        )
      ).status,
    ).toBe(401);
  });

  test('no answer is told from a refusal, and another kind of server from ours', async () => {
    const nowhere = new MemoryClient({ server: 'http://127.0.0.1:1', key: 'x' });
    await expect(nowhere.list()).rejects.toBeInstanceOf(TransportError);
    const transport = {
      request: () => Promise.resolve({ status: 200, header: () => undefined, body: '<html>log in</html>' }),
      stream: () => Promise.reject(new Error('not asked')),
    };
    const portal = new MemoryClient({ server: 'http://portal.example', key: 'x', transport });
    const error = await refused(portal.list());
    expect([error.status, error.retryable]).toEqual([502, true]);
  });

  test('the key goes nowhere but to the server that was named', async () => {
    const reached: (string | undefined)[] = [];
    const trap = createServer((request, response) => {
      reached.push(request.url);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    const { port } = trap.address() as AddressInfo;
    const lured = new MemoryClient({ server: `http://127.0.0.1:${port}`, key: 'x' });
    await expect(lured.list()).rejects.toBeInstanceOf(TransportError);
    trap.closeAllConnections();
    await new Promise((resolve) => trap.close(resolve));
    expect(reached).toEqual(['/v1/continuity/list']);
  });
});
