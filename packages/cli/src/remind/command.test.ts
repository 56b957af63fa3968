import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MemoryServer, NOW, startMemory } from '@parley/server/continuity/testing/memory';
import { startServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { runHere } from '../testing/run-here.ts';
import type { Finished } from '../testing/run-parley.ts';

/** `~` for an id that was made, and every gap of a table as wide as the least. */
const hidden = (text: string): string =>
  text.replaceAll(/\b(sched|handoff)_[0-9a-f]+/g, '$1_~').replaceAll(/\S {2,}/g, (gap) => gap.slice(0, 3));

describe('parley remind, handoff, status: what stands on the terminal and what goes into a pipe', () => {
  let memory: MemoryServer;
  let home: string;
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    memory = await startMemory(startServer);
    home = mkdtempSync(join(tmpdir(), 'parley-remind-'));
    const { people } = memory;
    const { key: owner } = await people.owner();
    for (const slug of ['day', 'night']) keys[slug] = await people.peer(owner, slug);
    const capsule = {
      subject_kind: 'thread',
      subject_id: 'tides',
      updated_at: '2026-03-01T12:00:00Z',
      verified_at: '2026-03-01T12:00:00Z',
      source: { producer: 'p', update_reason: 'manual' },
      confidence: { continuity: 1, relationship_model: 1 },
      continuity: {
        top_priorities: [],
        active_concerns: [],
        active_constraints: ['no new dependencies'],
        open_loops: [],
        stance_summary: '',
        drift_signals: ['slow'],
      },
    };
    const body = { subject_kind: 'thread', subject_id: 'tides', capsule };
    await people.call('POST', '/v1/continuity/upsert', { key: keys['day'] ?? '', body });
  });
  afterAll(async () => {
    vi.useRealTimers();
    await memory.server.close();
    rmSync(home, { recursive: true, force: true });
  });

  const run = (who: string, words: readonly string[], columns?: number): Promise<Finished> => {
    const env = { PARLEY_URL: memory.server.url, HOME: home, NO_COLOR: '1', TZ: 'UTC' };
    return runHere([...words, '--stdin'], keys[who] ?? '', env, columns);
  };
  const piped = async (who: string, ...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(who, words);
    return hidden(`${code}\n${stdout}${stderr}`);
  };
  const onTerminal = async (who: string, ...words: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(who, words, 120);
    return hidden(`${code}\n${stdout}${stderr}`);
  };
  const made = async (who: string, ...words: string[]): Promise<string> => {
    const { stdout, stderr } = await run(who, [...words, '--json']);
    const { item, handoff } = JSON.parse(stdout || stderr) as {
      item?: { schedule_id: string };
      handoff?: { handoff_id: string };
    };
    return item?.schedule_id ?? handoff?.handoff_id ?? '';
  };

  test('reminders', async () => {
    expect(await onTerminal('day', 'remind', 'list')).toBe('0\nNo reminders.\n');
    expect(await piped('day', 'remind', 'list')).toBe('0\nparley: No reminders.\n');
    const add = ['remind', 'add', 'check it', '--at', '2026-04-01T14:00:00Z', '--key', 'k'];
    const about = ['--about', 'thread/tides', '--thread', 'th', '--task', 'ta', '--note', 'with care'];
    const first = `sched_~
check it
with care
scheduled, due 2026-04-01T14:00:00Z (here 2026-04-01 14:00:00 UTC)
about thread/tides, thread th, task ta
`;
    expect(await piped('day', ...add, ...about)).toBe(`0\nMade.\n${first}`);
    expect(await piped('day', ...add, ...about)).toBe(`0\nMade before.\n${first}`);
    const id = await made('day', ...add, ...about);
    const nudge = await made('day', 'remind', 'add', 'nudge', '--at', 'in 10m', '--nudge', '--task', 'ta');
    expect(await onTerminal('night', 'remind', 'list')).toBe(`0
ID  STATE  DUE  TITLE  ABOUT
sched_~  scheduled  in 10 minutes  nudge  task ta
sched_~  scheduled  in 2 hours  check it  thread/tides, thread th, task ta
`);
    expect(await piped('night', 'remind', 'list', '--limit', '1')).toBe(
      '0\nsched_~\tscheduled\t2026-04-01T12:10:00Z\tnudge\ttask ta\nparley: 1 of 2\n',
    );
    const { stdout: rows } = await run('night', ['remind', 'list', '--json']);
    expect(rows.split('\n').map((row) => row && (JSON.parse(row) as { kind: string }).kind)).toEqual([
      'task_nudge',
      'reminder',
      '',
    ]);

    expect(await piped('day', 'remind', 'change', nudge)).toBe(
      '2\nparley: nothing to change\nparley: "parley remind change --help" shows what can be\n',
    );
    expect(await piped('day', 'remind', 'change', nudge, '--title', 'nudge')).toMatch(
      /^0\nNothing changed\.\n/,
    );
    await memory.clock.advance(600_000);
    expect(await piped('day', 'remind', 'list', '--due')).toBe(
      '0\nsched_~\tdue\t2026-04-01T12:10:00Z\tnudge\ttask ta\n',
    );
    expect(await piped('day', 'status')).toContain('\nReminders\t1 due\nNext\tparley remind list --due\n');
    expect(await piped('night', 'remind', 'ack', nudge)).toMatch(/^0\nsched_~\nnudge\nacknowledged, due /);
    expect(await piped('night', 'remind', 'done', id, '--reason', 'seen')).toBe(`0
sched_~
check it
with care
done, due 2026-04-01T14:00:00Z (here 2026-04-01 14:00:00 UTC)
about thread/tides, thread th, task ta
night: seen
`);
    expect(await piped('day', 'remind', 'list', '--due')).toBe('0\nparley: No reminders.\n');
    expect(await piped('day', 'remind', 'list', '--all', '--status', 'done')).toMatch(/^0\nsched_~\tdone\t/);

    expect(await piped('day', 'remind', 'show', 'sched_')).toMatch(
      /^2\nparley: sched_ may be sched_~ or sched_~\nparley: give more of it\n$/,
    );
    expect(await piped('day', 'remind', 'retire', 'sched_no')).toBe(
      '3\nparley: there is no reminder sched_no\nparley: "parley remind list --all" shows what there is\n',
    );
    expect(await piped('day', 'remind', 'add', 'x', '--at', '2026-99-99T09:00Z')).toBe(
      '2\nparley: "2026-99-99T09:00Z" is no time\nparley: "parley remind add --help" shows how, with examples\n',
    );
  });

  test('handoffs', async () => {
    expect(await onTerminal('night', 'handoff', 'list')).toBe('0\nNo handoffs.\n');
    const id = await made('day', 'handoff', 'send', 'night', 'thread/tides', '--note', 'watch it');
    const other = await made(
      'day',
      'handoff',
      'send',
      'night',
      'thread/tides',
      '--task',
      't',
      '--thread',
      'u',
    );
    const minute = new Date(memory.clock.now()).toISOString().slice(0, 16).replace('T', ' ');
    const given = `
Constraints
  - no new dependencies

Drift signals
  - slow
`;
    expect(await piped('night', 'handoff', 'show', id.slice(0, 20))).toBe(`0
handoff_~
thread/tides, from day to night
pending, made ${minute}
watch it
${given}`);
    expect(await piped('night', 'handoff', 'show', other)).toContain(`\npending, made ${minute}\n\nConstr`);
    expect(await piped('night', 'status')).toContain(
      '\nUnread\t2\nOur turn\tin no room\nHandoffs\t2 to decide on\nReminders\t0 due\nNext\tparley inbox\n',
    );
    expect(await piped('day', 'handoff', 'reject', id)).toMatch(/^4\nparley: /);
    expect(await piped('night', 'handoff', 'defer', other.slice(0, 20), '--note', 'later')).toBe(`0
handoff_~
thread/tides, from day to night
deferred, made ${minute}
night: later
${given}`);
    expect(await piped('night', 'handoff', 'accept', id)).toContain('\naccepted advisory, made');
    expect(await piped('night', 'handoff', 'reject', id)).toMatch(/^5\nparley: /);
    const table = await onTerminal('day', 'handoff', 'list', '--sent');
    expect(table).toMatch(/^0\nID +STATUS +TO +SUBJECT +MADE +NOTE\n/);
    expect(table).toMatch(
      /\nhandoff_~ +accepted advisory +night +thread\/tides +(in 10 minutes|0 seconds ago) +watch it\n/,
    );
    expect(await piped('night', 'handoff', 'list', '--status', 'deferred')).toMatch(
      /^0\nhandoff_~\tdeferred\tday\tthread\/tides\t2026-04-01T12:\S+Z\t\n$/,
    );
    expect(await piped('night', 'handoff', 'list', '--status', 'pending')).toBe('0\nparley: No handoffs.\n');
    expect(await piped('day', 'handoff', 'list')).toBe('0\nparley: No handoffs.\n');
    expect((await run('day', ['handoff', 'list', '--sent', '--json'])).stdout.split('\n')).toHaveLength(3);
    expect(await piped('day', 'handoff', 'show', 'handoff_')).toMatch(
      /^2\nparley: handoff_ may be handoff_~ or handoff_~\n/,
    );
  });
});
