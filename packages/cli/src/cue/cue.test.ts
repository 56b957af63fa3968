import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

const NOW = Date.UTC(2026, 5, 1, 9);

describe('parley cue', () => {
  const clock = new FakeClock(NOW);
  let server: TestServer;
  let ann: Terminal;

  beforeAll(async () => {
    server = await startServer({ clock, rateLimits: false });
    ann = new Terminal({ PARLEY_URL: server.url, TZ: 'UTC' });
    await ann.run(['agent', 'register', 'harbour-bot']);
  });
  afterAll(async () => {
    ann.remove();
    await server.close();
  });

  async function done(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await ann.run(args);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  }

  test('makes a cue, shows it, and says when it runs next in its own zone', async () => {
    const when = ['--cron', '0 6 * * *', '--zone', 'Europe/Lisbon'];
    const what = ['--to', 'harbour-bot', '--message', 'Read the tide table.'];
    const made = await done('cue', 'create', 'tides', ...when, ...what);
    expect(made).toMatch(/^cue_\w{12} {2}tides\n {2}Status {4}active\n/);
    expect(made).toContain('  Next run  2026-06-02 06:00 Europe/Lisbon\n');
    expect(await done('cue', 'show', 'tides')).toBe(made);
    expect(await done('cue', 'list')).toMatch(/^cue_\w{12}\ttides\tactive\t.*\t2026-06-02T05:00:00.*Z\t/);
    expect(await done('cue', 'next', 'tides', '--count', '2')).toBe(
      '2026-06-02T06:00:00+01:00 Europe/Lisbon\t2026-06-02T05:00:00.000Z\n' +
        '2026-06-03T06:00:00+01:00 Europe/Lisbon\t2026-06-03T05:00:00.000Z\n',
    );
    expect(await done('cue', 'pause', 'tides')).toContain('Next run  none');
    expect(await done('cue', 'resume', made.slice(0, 9))).toContain('Status    active');
  });

  test('fires it with another payload, once for a key, and shows the way it took', async () => {
    const fire = ['cue', 'fire', 'tides', '--payload', '{"message":"Now."}', '--key', 'k1', '--json'];
    const first: unknown = JSON.parse(await done(...fire));
    expect(JSON.parse(await done(...fire))).toEqual(first);
    const runs = await done('executions', '--cue', 'tides');
    expect(runs).toMatch(/^[\w-]{36}\t2026-06-01T09:00:00.*Z\tpending\t.*\n$/);
    const id = runs.slice(0, 36);
    const shown = await done('execution', 'show', id.slice(0, 8));
    expect(shown).toContain('  Payload    {"message":"Now."}\n');
    expect(shown).toContain('resolved: inbox (inbox_direct)');
    const busy = await ann.run(['execution', 'replay', id]);
    expect([busy.code, busy.stdout]).toEqual([5, '']);
    expect(busy.stderr).toMatch(/^parley: /);
  });

  test('runs it for days that passed without it, and says which before', async () => {
    const range = ['--from', '2026-05-29T00:00Z', '--to', '2026-05-31T00:00Z'];
    expect(await done('cue', 'backfill', 'tides', ...range, '--dry-run')).toBe(
      '2026-05-29T06:00:00+01:00\twould run\n2026-05-30T06:00:00+01:00\twould run\n',
    );
    expect(await done('cue', 'backfill', 'tides', ...range)).toMatch(/^(\S+\t[\w-]{36}\n){2}$/);
    expect(await done('cue', 'backfill', 'tides', ...range)).toMatch(/^(\S+\twas there\n){2}$/);
  });

  test('follows what happens until it is stopped', async () => {
    const made = JSON.parse(
      await done('cue', 'create', 'tick', '--cron', '* * * * *', '--worker', '--json'),
    ) as { id: string };
    const follow = ann.start(['executions', '--cue', 'tick', '--follow', '--json']);
    await clock.advance(60_000);
    await follow.printed('"status":"pending"');
    const [run] = follow.soFar().split('\n');
    const { id } = JSON.parse(run ?? '') as { id: string };
    expect(run).toContain(`"cue_id":"${made.id}"`);
    expect(await done('execution', 'show', id)).toContain('Because    scheduled');
    // The same rows as those of the list.
    const rows = ann.start(['executions', '--cue', 'tick', '--follow']);
    const list = await done('executions', '--cue', 'tick');
    await rows.printed(list);
    rows.signal('SIGINT');
    expect((await rows.finished).stdout.split('\n')[0]?.split('\t')).toHaveLength(6);
    await done('cue', 'remove', 'tick', 'tides');
    follow.signal('SIGINT');
    expect(await follow.finished).toMatchObject({ code: 130, stderr: '' });
    expect(await ann.run(['cue', 'list'])).toEqual({ code: 0, stdout: '', stderr: 'parley: No cues.\n' });
  });

  test.each([
    [['show', 'nobody'], 3, 'there is no cue nobody'],
    [['show', 'cue_000000000000'], 3, ''],
    [['create', 'x', '--cron', 'now and then', '--worker'], 2, 'cron must be five fields'],
    [['create', 'x', '--at', 'soon', '--worker'], 2, '"soon" is no time'],
    [['create', 'x', '--at', 'in 1m', '--worker', '--payload', '[]'], 2, 'must be a JSON object'],
    [['create', 'x', '--cron', '@daily', '--zone', 'Mars/Olympus', '--worker'], 2, 'Mars/Olympus'],
    [['create', 'x', '--cron', '@daily', '--at', 'in 1m'], 2, 'cannot be used with'],
  ])('%j is refused with what to do', async (args, exit, said) => {
    const { code, stdout, stderr } = await ann.run(['cue', ...args]);
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr).toContain(said);
  });
});
