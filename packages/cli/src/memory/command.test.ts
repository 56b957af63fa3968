import { Memory, type MemoryServer, NOW, startMemory } from '@parley/server/continuity/testing/memory';
import { startServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Finished, Terminal } from '../testing/run-parley.ts';

const hoursAgo = (hours: number): string =>
  `${new Date(NOW - hours * 3_600_000).toISOString().slice(0, 19)}Z`;

const STATE = {
  top_priorities: ['ship the cache'],
  active_concerns: [],
  active_constraints: ['no new dependencies'],
  open_loops: ['ask whether six hours is enough'],
  stance_summary: 'Six hours, keyed by station and day.',
  drift_signals: [],
};

describe('parley memory', () => {
  let home: MemoryServer;
  let memory: Memory;
  let ann: Terminal;
  let narrow: Terminal;
  let key: string;

  beforeAll(async () => {
    home = await startMemory(startServer);
    ({ key } = await home.people.agent('Harbour Bot'));
    memory = new Memory(home.people, { id: '', key });
    ann = new Terminal({ PARLEY_URL: home.server.url });
    narrow = new Terminal({ PARLEY_URL: home.server.url, COLUMNS: '40' });
    await write();
  });
  afterAll(async () => {
    ann.remove();
    narrow.remove();
    await home.server.close();
  });

  async function write(): Promise<void> {
    const descriptor = { label: 'Tide cache', keywords: ['tides'] };
    await memory.store(
      'thread',
      'tide-cache',
      { continuity: STATE, thread_descriptor: descriptor },
      hoursAgo(30),
    );
    const operations = [
      { target: 'continuity.open_loops', action: 'remove', match: 'ask whether six hours is enough' },
      {
        target: 'continuity.open_loops',
        action: 'append',
        value: 'measure the hit rate over a week before anything changes',
      },
    ];
    const change = { updated_at: hoursAgo(3), operations, commit_message: 'after the review' };
    await memory.call('patch', { subject_kind: 'thread', subject_id: 'tide-cache', ...change });
    await memory.store('user', 'stef', { continuity: STATE }, hoursAgo(24 * 50));
    await memory.store('task', 'done', { continuity: STATE }, hoursAgo(5));
    await memory.call('archive', { subject_kind: 'task', subject_id: 'done', reason: 'over and done' });
  }

  const run = (...args: string[]): Promise<Finished> => ann.run(['memory', ...args, '--stdin'], key);

  describe('show', () => {
    test('tells what a capsule says and how far it can be trusted', async () => {
      const { stdout, stderr, code } = await run('show', 'thread', 'tide-cache');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toBe(`\
thread/tide-cache: Tide cache
memory/continuity/thread-tide-cache.json
active; updated 2026-04-01T09:00:00Z (3 hours ago) by acceptance (manual)

Trust
  Recency       fresh: last verified 1 day ago, good for 30 days
  Verification  unverified: nobody has confirmed it since it was written
  Health        healthy
  Completeness  enough to carry on from; empty or short: active concerns, drift signals
  Scope         exact: the active capsule of this subject
  Confidence    0.9 in the continuity, 0.5 in the relationship, as its author says

Stance summary
  Six hours, keyed by station and day.

Top priorities
  - ship the cache

Active constraints
  - no new dependencies

Open loops
  - measure the hit rate over a week before anything changes

Thread descriptor
  - keywords: tides
`);
    });

    test('fits a narrow terminal', async () => {
      const { stdout } = await narrow.run(['memory', 'show', 'thread/tide-cache', '--stdin'], key);
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
      expect(stdout).toContain('  Recency\n    fresh: last verified 1 day ago, good\n    for 30 days\n');
    });

    test('warns before anything else', async () => {
      const stale = await run('show', 'user/stef', '--section', 'open_loops', '--section', 'Drift-Signals');
      expect(stale.stdout).toContain('! It was verified 50 days ago and good for 30 days; check');
      expect(stale.stdout).toMatch(/Open loops\n {2}- ask .*\n\nDrift signals\n {2}nothing\n$/);
      const archived = await run('show', 'task/done');
      expect(archived.code).toBe(0);
      expect(archived.stdout).toContain('! There is no active capsule.\n  ! This is the snapshot');
      expect(archived.stdout).toContain('! It was archived: memory/continuity/archive/task-done-');
    });

    test('shows the startup view, and an older state', async () => {
      const startup = await run('show', 'task', 'done', '--startup');
      expect(startup.stdout).toContain('! It has no descriptor, so lists cannot find it');
      expect(startup.stdout).toContain('\nOpen loops\n  - ask whether');
      const older = await run('show', 'thread/tide-cache', '--revision', '1');
      expect(older.stdout).toContain('revision 1; active; updated 2026-03-31T06:00:00Z');
      expect(older.stdout).toContain('- ask whether six hours is enough');
    });

    test('prints the answer as the server wrote it', async () => {
      const { stdout } = await run('show', 'thread/tide-cache', '--startup', '--json');
      const { text } = await memory.read('thread', 'tide-cache', { view: 'startup', allow_fallback: true });
      expect(stdout).toBe(`${text}\n`);
    });

    test('lets no text reach the terminal that is more than text', async () => {
      const evil = 'x\u001b]0;owned\u0007\u202e\u009b2J';
      const hostile = {
        continuity: {
          ...STATE,
          stance_summary: `a stance${evil}\nTrust\n  Recency fresh`,
          open_loops: [evil],
        },
        thread_descriptor: { label: `label${evil}\nTrust` },
      };
      const { key: other } = await home.people.agent('Mallory');
      await new Memory(home.people, { id: '', key: other }).store('task', `id${evil}\nTrust`, hostile);
      for (const args of [
        ['show', 'task', `id${evil}\nTrust`],
        ['list', '--label', `label${evil}\nTrust`],
        ['history', 'task', `id${evil}\nTrust`],
        ['search', 'owned'],
        ['diff', 'task', `id${evil}\nTrust`, '1', evil],
      ]) {
        const { stdout, stderr } = await ann.run(['memory', ...args, '--stdin'], other);
        for (const sign of ['\u001b', '\u0007', '\u009b', '\u202e'])
          expect(stdout + stderr).not.toContain(sign);
        expect(stdout).not.toMatch(args[0] === 'show' ? /^Trust[\s\S]*^Trust/m : /^Trust/m);
        expect(stdout + stderr).not.toBe('');
      }
    });
  });

  describe('list', () => {
    test('is a row for each capsule, with what it leaves for another page', async () => {
      const wide = await run('list', '--kind', 'thread');
      expect(wide.stdout).toBe(
        '\tthread/tide-cache\tactive\tfresh\thealthy\tunverified\t2026-04-01T09:00:00Z\tTide cache\n',
      );
      expect(wide.stderr).toBe('parley: 1 capsule\n');
      const { stdout, stderr } = await run('list', '--limit', '1', '--json');
      const first = JSON.parse(stdout);
      const cursor = /^parley: more with --cursor (\S+)\n$/.exec(stderr)?.[1] ?? '';
      const next = await run('list', '--cursor', cursor, '--json');
      expect(JSON.parse(next.stdout.split('\n')[0] ?? '').subject_id).not.toBe(first.subject_id);
      const page = await run('list', '--limit', '1');
      expect(page.stderr).toContain(`More with --cursor ${cursor}\n`);
    });

    test('filters, sorts by salience and finds archives', async () => {
      const filtered = await run('list', '--lifecycle', 'active', '--keyword', 'tides', '--sort', 'salience');
      expect(filtered.stdout).toMatch(/^1\tthread\/tide-cache\t/);
      const archived = await narrow.run(['memory', 'list', '--kind', 'task', '--archived', '--stdin'], key);
      expect(archived.stdout).toMatch(
        /^\ttask\/done\tarchived\tfresh\thealthy\t.*\tmemory\/continuity\/archive\/task-done/m,
      );
      expect(await run('list', '--keyword', 'nothing')).toEqual({
        code: 0,
        stdout: '',
        stderr: 'parley: No capsules.\n',
      });
    });
  });

  test('history tells who wrote what and why, newest first', async () => {
    const { stdout } = await run('history', 'thread/tide-cache');
    expect(stdout).toBe(`\
2 2026-04-01T12:00:00Z patch by harbour-bot
  after the review
  changed: open loops

1 2026-04-01T12:00:00Z upsert by harbour-bot
  continuity: upsert thread tide-cache
  written anew
`);
    const first = await run('history', 'task', 'done', '--limit', '1');
    expect(first.stderr).toBe('parley: Older with --before 2\n');
    expect(first.stdout).toBe(`\
2 2026-04-01T12:00:00Z archive by harbour-bot
  continuity: archive task done
  reason: over and done
`);
    const before = await run('history', 'task/done', '--before', '2', '--json');
    expect(JSON.parse(before.stdout)).toMatchObject({ revision: 1 });
  });

  test('diff shows what came and what went', async () => {
    const { stdout } = await run('diff', 'thread', 'tide-cache');
    expect(stdout).toBe(`\
thread/tide-cache: revision 1 → revision 2

Updated at
  - 2026-03-31T06:00:00Z
  + 2026-04-01T09:00:00Z

Open loops
  - ask whether six hours is enough
  + measure the hit rate over a week before anything changes
`);
    const back = await run('diff', 'thread/tide-cache', 'active', '1', '--json');
    expect(JSON.parse(back.stdout).changes[1]).toMatchObject({ added: ['ask whether six hours is enough'] });
    expect((await run('diff', 'thread/tide-cache', 'fallback')).stdout).toBe(
      'thread/tide-cache: fallback → revision 2\nNo differences in what was written.\n',
    );
  });

  test('search shows where the words stand', async () => {
    const { stdout } = await run('search', 'hit', 'rate');
    expect(stdout).toBe(`\
thread/tide-cache: Tide cache
  active, fresh, healthy
  - Open loops: measure the hit rate over a week before anything changes
`);
    expect((await run('search', 'zebra')).stderr).toBe('parley: No capsule says zebra\n');
  });

  test.each([
    [['show', 'task/none', '--no-fallback'], 3, 'not_found'],
    [['show', 'thread/tide-cache', '--revision', '9'], 3, 'not_found'],
    [['diff', 'task/none'], 3, 'not_found'],
    [['diff', 'user/stef'], 1, 'nothing_to_compare'],
    [['diff', 'user', 'stef', '1', '2', '3'], 2, 'too_many_arguments'],
    [['show', 'stef'], 2, 'invalid_subject'],
    [['show', 'user'], 2, 'invalid_subject'],
    [['show', 'room/x'], 2, 'invalid_subject'],
    [['list', '--limit', '201'], 2, 'invalid_request'],
    [['list', '--server', 'http://127.0.0.1:1'], 7, 'unreachable'],
  ])('%j ends with %d and says %s', async (args, exit, error) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    expect([code, stdout]).toEqual([exit, '']);
    expect(JSON.parse(stderr)).toMatchObject({ error });
  });

  test('says that there is nothing, and ends with 3', async () => {
    const shown = await run('show', 'task', 'none');
    expect([shown.code, shown.stdout]).toEqual([3, expect.stringContaining('! There is no active capsule.')]);
    const json = await run('show', 'task', 'none', '--json');
    expect([json.code, JSON.parse(json.stdout).source_state]).toEqual([3, 'missing']);
    const history = await run('history', 'task', 'none');
    expect([history.code, history.stdout]).toEqual([3, '']);
    expect(history.stderr).toBe('parley: Nothing was written for task/none.\n');
  });

  test('names the sections there are', async () => {
    const { code, stderr } = await run('show', 'user/stef', '--section', 'nope');
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^parley: no section "nope"\nparley: there are stance_summary, top_priorities, .*\n/,
    );
  });

  test('uses what parley agent keeps, and the key when the session is over', async () => {
    const missing = await ann.run(['memory', 'list']);
    expect([missing.code, missing.stderr]).toEqual([
      4,
      expect.stringMatching(/^parley: no key for \S+\nparley: "parley login" or .*\n$/),
    ]);
    expect((await ann.run(['agent', 'login', '--stdin'], key)).code).toBe(0);
    expect((await ann.run(['memory', 'list', '--kind', 'thread'])).stdout).toContain('thread/tide-cache');
    home.clock.leap(15 * 86_400_000);
    expect((await ann.run(['memory', 'list', '--kind', 'thread'])).stdout).toContain('thread/tide-cache');
    const unknown = await ann.run(['memory', 'list', '--stdin'], 'ak_nobody');
    expect([unknown.code, unknown.stderr]).toEqual([
      4,
      expect.stringContaining('parley: Invalid token\nparley: '),
    ]);
    expect(unknown.stderr).not.toContain('ak_nobody');
  });
});
