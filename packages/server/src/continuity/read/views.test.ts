import { beforeAll, expect, test } from 'vitest';
import { describeEachServer } from '../../testing/each-server.ts';
import { ReadMarks } from './read-marks.ts';
import { ContinuityService } from '../service.ts';
import { baseCapsule } from '../testing/base-capsule.ts';
import { type Memory, type MemoryServer, startMemory } from '../testing/memory.ts';
import { plantDocument } from '../testing/plant-document.ts';

/** Taken over as it is: superseded, with a list that is none, and over at a time nobody can read. */
const odd = () => {
  const base = baseCapsule('thread', 't', undefined, {
    freshness: { expires_at: 'when the rain stops' },
    thread_descriptor: { label: 'L', lifecycle: 'superseded', superseded_by: 'u' },
  });
  return JSON.stringify({ ...base, continuity: { ...base.continuity, related_documents: 'x' } });
};

const broken = () => {
  throw new Error('no summary today');
};

describeEachServer('continuity › read › what cannot be made of a capsule', (start) => {
  let home: MemoryServer;
  let memory: Memory;
  beforeAll(async () => {
    home = await startMemory(start);
    memory = await home.owner();
    const path = 'memory/continuity/thread-t.json';
    await plantDocument(home.server.context.continuity.service, memory.ownerId, path, Buffer.from(odd()));
  });
  const warnings = [
    'related_documents_omitted_invalid',
    'trust_signals_build_failed',
    'continuity_capsule_superseded:thread:t→u',
  ];

  test('trust is left out with a warning in its place, and the capsule is read', async () => {
    const { status, body } = await memory.read('thread', 't');
    expect([status, body.trust_signals, body.recovery_warnings]).toEqual([200, null, warnings]);
    expect(body.capsule.freshness).toEqual({ expires_at: 'when the rain stops' });
    const told = home.server.logs.filter(({ event }) => event === 'continuity_view_failed');
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).not.toContain('rain');
  });

  test('a startup read says the same, and its summary has no trust either', async () => {
    const { status, body } = await memory.read('thread', 't', { view: 'startup' });
    expect([status, body.trust_signals, body.recovery_warnings]).toEqual([200, null, warnings]);
    expect(body.startup_summary).toMatchObject({
      recovery: { recovery_warnings: warnings },
      orientation: { open_loops: ['answer review'] },
      trust_signals: null,
    });
  });

  test('a list and a search show it still', async () => {
    expect((await memory.list({ lifecycle: 'superseded' })).body.count).toBe(1);
    expect((await memory.call('search', { query: 'parser' })).body.count).toBe(1);
  });

  /** The service of the server, but for the maker of summaries. */
  const summaryless = () => {
    const { clock, continuity, database } = home.server.context;
    const failures: unknown[] = [];
    const service = new ContinuityService({
      memory: continuity.service.memory,
      marks: new ReadMarks(database, clock, broken),
      sections: continuity.service.sections,
      summary: broken,
      onViewError: (error) => failures.push(error),
    });
    return { service, failures };
  };

  test('a summary that fails is null, and its warning comes last', async () => {
    await memory.store('user', 'a');
    const caller = await home.server.context.identity.authenticate(memory.key);
    if (!caller) throw new Error('not authenticated');
    const { service, failures } = summaryless();
    const read = (kind: string, id: string, view: string | null) =>
      service.call('continuity.read', caller, { subject_kind: kind, subject_id: id, view });
    const whole = (await memory.read('user', 'a', { view: 'startup' })).body;
    expect(whole.startup_summary).not.toBeNull();
    expect(await read('user', 'a', 'startup')).toEqual({
      ...whole,
      recovery_warnings: ['startup_summary_build_failed'],
      startup_summary: null,
    });
    expect(await read('thread', 't', 'startup')).toMatchObject({
      recovery_warnings: [...warnings, 'startup_summary_build_failed'],
      startup_summary: null,
    });
    expect(failures.map(String)).toContain('Error: no summary today');
    const plain = await read('user', 'a', null);
    expect(plain).toMatchObject({ recovery_warnings: [] });
    expect(plain).not.toHaveProperty('startup_summary');
    await service.close();
  });

  test('a section of another module that fails is empty, and nobody is warned', async () => {
    const other = await startMemory(start);
    const mine = await other.owner();
    await mine.store('user', 'a');
    const usual = (await mine.read('user', 'a', { view: 'startup' })).body;
    const reminders = { items: [], count: 7, truncated: true };
    const schedule = { due: reminders, upcoming: { window_hours: 1, ...reminders }, warnings: [] };
    for (const { context } of other.server.nodes) {
      const { sections } = context.continuity.service;
      sections.graphOf = () => Promise.reject(new Error('no graph today'));
      sections.scheduleOf = async () => schedule;
    }
    const { status, body } = await mine.read('user', 'a', { view: 'startup' });
    expect([status, body]).toEqual([200, { ...usual, graph_summary: null, schedule_context: schedule }]);
    expect(other.server.rawLog()).toContain('no graph today');
  });
});
