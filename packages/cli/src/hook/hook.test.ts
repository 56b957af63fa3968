import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';
import { changedFields } from './changes.ts';
import { planWrite } from './upsert.ts';

const SUBJECT = { subject_kind: 'thread', subject_id: 'site' };
const WHEN = { now: '2026-01-31T12:00:00Z', reason: 'interaction_boundary' };
const STORED = {
  ...SUBJECT,
  continuity: {
    top_priorities: ['a'],
    open_loops: [],
    stance_summary: 's',
    negative_decisions: [{ decision: 'd', rationale: 'r', created_at: 'x' }],
  },
  thread_descriptor: { label: 'l', lifecycle: 'active', superseded_by: null },
};

describe('hook › what changed', () => {
  test('is told in the order of comparison, and nothing is the same as empty', () => {
    expect(
      changedFields(
        { stance_summary: 't', top_priorities: ['b'], open_loops: null, drift_signals: [] },
        STORED,
      ),
    ).toEqual(['top_priorities', 'stance_summary']);
    expect(changedFields({ top_priorities: [], stance_summary: '' }, undefined)).toEqual([]);
    expect(
      changedFields(
        { continuity: { open_loops: ['x'] }, stable_preferences: [{ tag: 't', content: 'c' }] },
        undefined,
      ),
    ).toEqual(['open_loops', 'stable_preferences']);
  });

  test('does not count when an entry was made', () => {
    expect(changedFields({ negative_decisions: [{ rationale: 'r', decision: 'd' }] }, STORED)).toEqual([]);
  });

  test('is a snapshot only when it has nothing else', () => {
    expect(planWrite(SUBJECT, { open_loops: ['x'] }, STORED, WHEN)).toMatchObject({
      mode: 'session_end_snapshot',
      body: { session_end_snapshot: { open_loops: ['x'], top_priorities: ['a'], stance_summary: 's' } },
    });
    expect(planWrite(SUBJECT, { open_loops: ['x'], active_concerns: ['y'] }, STORED, WHEN)).toMatchObject({
      mode: 'upsert',
      body: { capsule: { continuity: { open_loops: ['x'], active_concerns: ['y'], top_priorities: ['a'] } } },
    });
    expect(planWrite(SUBJECT, { top_priorities: ['a'] }, STORED, WHEN)).toBeUndefined();
  });

  test('changes a lifecycle by its transition', () => {
    const superseded = { thread_descriptor: { lifecycle: 'superseded', superseded_by: 'next' } };
    const plan = planWrite(SUBJECT, superseded, STORED, WHEN);
    expect(plan?.body).toMatchObject({ lifecycle_transition: 'supersede', superseded_by: 'next' });
    expect(plan?.body['capsule']).toMatchObject({ thread_descriptor: { lifecycle: 'active' } });
    const alone = planWrite(SUBJECT, { 'thread_descriptor.superseded_by': 'next' }, STORED, WHEN);
    expect(alone?.body).not.toHaveProperty('lifecycle_transition');
    const over = { ...STORED, thread_descriptor: { lifecycle: 'superseded', superseded_by: 'next' } };
    const unsaid = { thread_descriptor: { superseded_by: null } };
    expect(() => planWrite(SUBJECT, unsaid, over, WHEN)).toThrow(/superseded_by cannot be taken away/);
  });

  test('of a thread that was never said to be anything else is not that it is active', () => {
    expect(changedFields({ thread_descriptor: { lifecycle: 'active' } }, undefined)).toEqual([]);
    const told = { top_priorities: ['b'], thread_descriptor: { label: 'parser', lifecycle: 'active' } };
    const plan = planWrite(SUBJECT, told, undefined, WHEN);
    expect(plan?.body).not.toHaveProperty('lifecycle_transition');
    expect(plan?.body['capsule']).toMatchObject({ thread_descriptor: { label: 'parser' } });
  });

  test('is written later than what is stored, whatever the clock says', () => {
    const timeOf = (updated_at: string) =>
      planWrite(SUBJECT, { open_loops: ['x'] }, { ...STORED, updated_at }, WHEN)?.body['capsule'];
    expect(timeOf('2026-01-31T11:59:59Z')).toMatchObject({ updated_at: WHEN.now });
    expect(timeOf(WHEN.now)).toMatchObject({ updated_at: '2026-01-31T12:00:00.001Z' });
    expect(timeOf('2026-01-31T12:00:07.500900Z')).toMatchObject({ updated_at: '2026-01-31T12:00:07.501Z' });
  });
});

describe('parley hook', () => {
  let server: TestServer;
  let ada: Terminal;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    ada = new Terminal({ PARLEY_URL: server.url });
    await ada.run(['agent', 'register', 'ada']);
  });
  afterAll(async () => {
    ada.remove();
    await server.close();
  });

  async function hook(point: string, given: object, ...args: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await ada.run(
      ['hook', point, '--subject', 'thread/site', ...args],
      JSON.stringify(given),
    );
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  test('saves what changed, once, and finds it at the next start', async () => {
    const state = {
      top_priorities: ['finish the parser'],
      open_loops: ['ask bob'],
      stance_summary: 'Parser first.',
    };
    expect(await hook('post-prompt', { state })).toMatchObject({ written: true, mode: 'upsert' });
    expect(await hook('post-prompt', { state })).toEqual({ written: false, reason: 'nothing changed' });
    expect(await hook('post-prompt', {})).toEqual({ written: false, reason: 'no state' });
    const next = { state: { ...state, open_loops: [] } };
    expect(await hook('handoff', next)).toMatchObject({
      written: true,
      mode: 'session_end_snapshot',
      changed: ['open_loops'],
      handoff: null,
    });
    const { capsule } = await hook('startup', {});
    expect(capsule).toMatchObject({ continuity: { top_priorities: ['finish the parser'], open_loops: [] } });
  });

  test('prints what a runtime expects', async () => {
    const started = await hook('startup', { hook_event_name: 'SessionStart' }, '--for', 'claude-code');
    expect(started).toMatchObject({ hookSpecificOutput: { hookEventName: 'SessionStart' } });
    expect(JSON.stringify(started)).toContain('finish the parser');
    const asked = await hook('pre-prompt', { prompt: 'what about the parser?' }, '--for', 'codex');
    expect(asked).toMatchObject({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit' } });
    const unknown = ['hook', 'pre-prompt', '--subject', 'thread/unknown', '--for', 'claude-code'];
    expect((await ada.run(unknown, JSON.stringify({ prompt: 'hm' }))).stdout).toBe('{}\n');
    mkdirSync(join(ada.home, '.parley'));
    writeFileSync(join(ada.home, '.parley/state.json'), JSON.stringify({ drift_signals: ['slow'] }));
    expect(await hook('post-prompt', { transcript_path: '/x' }, '--for', 'claude-code')).toEqual({});
    expect(await hook('startup', {})).toMatchObject({ capsule: { continuity: { drift_signals: ['slow'] } } });
  });

  test('surfaces what the server refuses, and stops no runtime with it', async () => {
    const given = JSON.stringify({ state: { thread_descriptor: { superseded_by: 'other' } } });
    const plain = await ada.run(['hook', 'post-prompt', '--subject', 'thread/site'], given);
    expect([plain.code, plain.stdout]).toEqual([2, '']);
    const claude = await ada.run(
      ['hook', 'post-prompt', '--subject', 'thread/site', '--for', 'claude-code'],
      given,
    );
    expect(claude.code).toBe(1);
    expect(claude.stderr).toMatch(/^parley: .*superseded_by/);
    for (const input of ['no JSON', JSON.stringify({ subject: 'nonsense' })]) {
      expect((await ada.run(['hook', 'startup'], input)).code).toBe(2);
      expect((await ada.run(['hook', 'startup', '--for', 'claude-code'], input)).code).toBe(1);
    }
  });

  test('works in the root of a file system, which has no name', async () => {
    const { code, stdout } = await ada.run(['hook', 'startup'], JSON.stringify({ cwd: '/' }));
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ ok: true })]);
  });
});
