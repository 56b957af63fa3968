import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Finished, Terminal } from '../testing/run-parley.ts';

describe('cli › remind, handoff, shared', () => {
  let server: TestServer;
  let day: string;
  let night: string;
  let ann: Terminal;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    ann = new Terminal({ PARLEY_URL: server.url, COLUMNS: '160' });
    const post = async (path: string, body: object, key = ''): Promise<{ api_key: string }> => {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return (await answer.json()) as { api_key: string };
    };
    const { api_key: owner } = await post('/v1/auth/register', { email: 'max@example.com' });
    const keyOf = async (slug: string): Promise<string> => {
      await post('/v1/agents', { slug, display_name: slug }, owner);
      return (await post('/v1/keys', { agent: slug }, owner)).api_key;
    };
    [day, night] = [await keyOf('day'), await keyOf('night')];
    const subject = { subject_kind: 'thread', subject_id: 'th' };
    const capsule = {
      ...subject,
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
        drift_signals: [],
      },
    };
    await post('/v1/continuity/upsert', { ...subject, capsule }, day);
  });
  afterAll(async () => {
    ann.remove();
    await server.close();
  });

  const as = (key: string, ...words: string[]): Promise<Finished> => ann.run([...words, '--stdin'], key);

  test('a reminder is made once, found, put off and done', async () => {
    const made = await as(
      day,
      'remind',
      'add',
      'check it',
      '--at',
      'in 2h',
      '--thread',
      'th',
      '--key',
      'k',
      '--json',
    );
    expect(made.code).toBe(0);
    const { item } = JSON.parse(made.stdout) as { item: { schedule_id: string; due_at: string } };
    expect((await as(day, 'remind', 'add', 'other', '--at', '2030-01-01T00:00Z', '--key', 'k')).code).toBe(5);
    const short = item.schedule_id.slice(0, 14);
    const listed = await as(night, 'remind', 'list', '--thread', 'th');
    expect(listed.stdout).toContain(item.schedule_id);
    expect(listed.stdout).toContain('check it');
    expect((await as(night, 'remind', 'list', '--due')).stderr).toBe('parley: No reminders.\n');
    expect((await as(day, 'remind', 'change', short, '--at', '2030-01-01T09:00Z')).stdout).toContain(
      '2030-01-01T09:00:00Z',
    );
    const done = await as(night, 'remind', 'done', short, '--reason', 'seen');
    expect(done.stdout).toContain('done');
    expect((await as(night, 'remind', 'show', short)).stdout).toContain('night: seen');
    const gone = await as(day, 'remind', 'show', 'sched_none');
    expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining('there is no reminder sched_none')]);
    expect((await as(day, 'remind', 'add', 'x', '--at', 'someday')).stderr).toContain('is no time');
  });

  test('a handoff is sent, found and accepted', async () => {
    const sent = await as(day, 'handoff', 'send', 'night', 'thread/th', '--note', 'watch it');
    expect(sent.stdout).toContain('no new dependencies');
    const [id = ''] = sent.stdout.split('\n');
    const listed = await as(night, 'handoff', 'list', '--status', 'pending');
    expect(listed.stdout).toContain('watch it');
    expect((await as(day, 'handoff', 'list', '--sent')).stdout).toContain(id);
    const taken = await as(night, 'handoff', 'accept', id.slice(0, 16), '--note', 'mine');
    expect(taken.stdout).toContain('night: mine');
    expect((await as(night, 'handoff', 'show', id)).code).toBe(0);
    const nobody = await as(day, 'handoff', 'send', 'nobody', 'thread/th');
    expect([nobody.code, nobody.stderr]).toEqual([3, expect.stringContaining('parley agent list')]);
    expect((await as(night, 'handoff', 'reject', 'handoff_ff')).code).toBe(3);
  });

  test('a board is made, read and changed', async () => {
    const made = await as(day, 'shared', 'create', 'Release', '--constraint', 'freeze', '--with', 'night');
    const [id = ''] = made.stdout.split('\n');
    const changed = await as(day, 'shared', 'update', id, '--alert', 'frozen', '--alert', 'really');
    expect(changed.stdout).toContain('version 2 of day, shared with night');
    const seen = await as(night, 'shared', 'show', id.slice(0, 16));
    for (const text of ['freeze', 'frozen', 'really']) expect(seen.stdout).toContain(text);
    expect((await as(night, 'shared', 'list', '--joined')).stdout).toContain('Release');
    expect((await as(night, 'shared', 'list')).stderr).toBe('parley: No boards.\n');
    expect((await as(night, 'shared', 'update', id, '--title', 'Mine')).code).toBe(4);
  });
});
