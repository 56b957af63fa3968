import { readFileSync } from 'node:fs';
import { FakeClock } from '@parley/server/testing/fake-clock';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Terminal } from '../testing/run-parley.ts';

let clock: FakeClock;
let server: TestServer;
let ann: Terminal;

beforeEach(async () => {
  clock = new FakeClock();
  server = await startServer({
    clock,
    rateLimits: false,
    chHibernateMaxMs: 86_400_000,
    chIdleTimeoutMs: 60_000,
    chSweepIntervalMs: 1_000,
  });
  ann = new Terminal({ PARLEY_URL: server.url });
});
afterEach(async () => {
  ann.remove();
  await server.close();
});

const create = async (name: string): Promise<string> =>
  String((await ann.json(['create', '--name', name]))['channel_id']);

async function kept(): Promise<{ channel_id: string; name: string; state: string; session_file: string }[]> {
  const { stdout } = await ann.run(['channel', 'list', '--json']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const states = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await kept()).map(({ name, state }) => [name, state]));

/** Everybody leaves, so the channel ends; the files of the command line stay as they are. */
async function end(channelId: string): Promise<void> {
  const file = (await kept()).find((each) => each.channel_id === channelId)?.session_file ?? '';
  const { token, participantId } = JSON.parse(readFileSync(file, 'utf8'));
  const body = JSON.stringify({ token, participant_id: participantId });
  expect((await fetch(`${server.url}/channels/${channelId}/leave`, { method: 'POST', body })).ok).toBe(true);
}

describe('parley channel › list', () => {
  test('says what became of each channel', async () => {
    await create('sleepy');
    await clock.advance(59_000);
    await end(await create('ended'));
    // Looking is no activity: the first one falls asleep although it was looked at.
    expect(await states()).toEqual({ sleepy: 'open', ended: 'gone' });
    await clock.advance(2_000);
    await create('fresh');
    const { code, stdout, stderr } = await ann.run(['channel', 'list']);
    expect(code).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(3);
    for (const line of ['sleepy\tasleep\thttp', 'ended\tgone\thttp', 'fresh\topen\thttp'])
      expect(stdout).toContain(`\t${line}`);
    expect(stderr).toContain('forget --gone');
  });

  test('a server that does not answer does not make its channels gone', async () => {
    await create('ann');
    await server.close();
    expect(await states()).toEqual({ ann: 'unreachable' });
    const { code, stdout, stderr } = await ann.run(['channel', 'forget', '--gone']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(server.url);
    expect(await states()).toEqual({ ann: 'unreachable' });
  });
});

describe('parley channel › which channel is meant', () => {
  test('one that is gone is not in the way', async () => {
    await end(await create('ann'));
    await create('ann');
    expect(await ann.run(['channel', 'say', 'hi'])).toMatchObject({ code: 0, stderr: '' });
    expect(await ann.run(['channel', 'listen', '--timeout', '0'])).toMatchObject({ code: 2 });
  });

  test('when all are gone it says so: exit 3', async () => {
    for (const name of ['one', 'two']) await end(await create(name));
    const { code, stderr } = await ann.run(['channel', 'say', 'hi']);
    expect(code).toBe(3);
    expect(stderr).toContain('all 2 channels that fit are over');
    expect(stderr).toContain('forget --gone');
  });
});

describe('parley channel › forget', () => {
  test('--gone forgets those that have ended and no other', async () => {
    const ended = await create('ended');
    await end(ended);
    await create('alive');
    const forgot = await ann.run(['channel', 'forget', '--gone']);
    expect(forgot).toEqual({ code: 0, stdout: `forgot channel=${ended} name=ended\n`, stderr: '' });
    expect(await states()).toEqual({ alive: 'open' });
    const again = await ann.run(['channel', 'forget', '--gone']);
    expect(again).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('none') });
  });

  test('a name forgets that one, and never one of several', async () => {
    const first = await create('ann');
    await create('bob');
    expect(await ann.json(['forget', 'bob'])).toMatchObject({ name: 'bob' });
    await end(first);
    const second = await create('ann');
    const unclear = await ann.run(['channel', 'forget', 'ann']);
    expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining(`--channel ${second}`) });
    expect((await ann.run(['channel', 'forget', '--channel', second])).code).toBe(0);
    expect(await states()).toEqual({ ann: 'gone' });
  });

  test('refuses a name that is not kept, and no choice at all: exit 1', async () => {
    await create('ann');
    for (const [args, words] of [
      [['bob'], 'no such channel'],
      [[], 'which channel to forget'],
    ] as const) {
      const refused = await ann.run(['channel', 'forget', ...args]);
      expect(refused).toMatchObject({
        code: expect.toBeOneOf([2, 3]) as number,
        stdout: '',
        stderr: expect.stringContaining(words),
      });
    }
    expect(await states()).toEqual({ ann: 'open' });
  });
});
