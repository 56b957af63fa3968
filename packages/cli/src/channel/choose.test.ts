import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../testing/run-here.ts';
import { chooseSession, fitting, theOnly } from './choose.ts';
import { ownName } from './own-name.ts';
import { SessionStore, sessionFolder } from './session-store.ts';

describe('which channel is meant', () => {
  let server: TestServer;
  let home: string;
  let store: SessionStore;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
  });
  afterAll(() => server.close());
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'parley-choose-'));
    store = new SessionStore(sessionFolder({ XDG_STATE_HOME: home }));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const create = async (name: string): Promise<string> => {
    const env = { PARLEY_URL: server.url, XDG_STATE_HOME: home };
    const { stdout } = await runHere(['channel', 'create', '--name', name, '--json'], '', env);
    return (JSON.parse(stdout) as { channel_id: string }).channel_id;
  };
  /** Kept here, of a channel that no server has. */
  const keep = (channelId: string, name: string, at = server.url): void => {
    const token = 'a'.repeat(32);
    store.add({
      server: at,
      channelId,
      token,
      key: 'b'.repeat(64),
      participantId: '1',
      name,
      cursor: 0,
    });
  };
  const named = (choice: Parameters<typeof fitting>[1]): string[] =>
    fitting(store, choice).map(({ identity }) => `${identity.channelId.slice(0, 2)} ${identity.name}`);
  const refused = async (choice: Parameters<typeof fitting>[1]): Promise<unknown[]> =>
    await chooseSession(store, choice).then(
      ({ identity }) => ['chosen', identity.name],
      (error: unknown) => {
        const { exitCode, code, message, hint } = error as Record<string, unknown>;
        return [exitCode, code, message, hint];
      },
    );

  test('the one that fits, by the beginning of its id and by name', async () => {
    expect(await refused({})).toEqual([
      3,
      'no_session',
      'parley: no such channel here',
      'create one or join one first',
    ]);
    const [one, two] = ['0a'.repeat(16), '0b'.repeat(16)];
    keep(one, 'ann');
    keep(two, 'ann');
    keep(two, 'bob');
    expect(named({})).toHaveLength(3);
    expect(named({ channel: '0A' })).toEqual(['0a ann']);
    expect(named({ channel: '0', name: 'bob' })).toEqual(['0b bob']);
    expect(named({ name: 'ann' }).toSorted()).toEqual(['0a ann', '0b ann']);
    expect(await refused({ name: 'bob' })).toEqual(['chosen', 'bob']);
    expect(await refused({ name: 'eve' })).toEqual([
      3,
      'no_session',
      'parley: no such channel here',
      '"parley channel list" shows those joined',
    ]);
    expect(() => theOnly(store, fitting(store, { channel: two }))).toThrow('parley: 2 channels fit');
  });

  test('of several the one that is not over; where that is not clear, all of them are named', async () => {
    keep('0a'.repeat(16), 'ann');
    keep('0b'.repeat(16), 'bob');
    expect(await refused({})).toEqual([
      3,
      'channels_gone',
      'parley: all 2 channels that fit are over',
      '"parley channel forget --gone" forgets them, "parley channel create" makes a new one',
    ]);
    const open = await create('cyd');
    expect(await refused({})).toEqual(['chosen', 'cyd']);
    // Nobody says that this one is over.
    keep('0c'.repeat(16), 'dan', 'http://127.0.0.1:9');
    const [exit, code, message, hint] = await refused({});
    expect([exit, code, message]).toEqual([2, 'several_sessions', 'parley: 2 channels fit']);
    expect(hint).toMatch(/^say which: --channel \w+ --name '\w+' or --channel \w+ --name '\w+'$/);
    expect(hint).toContain(`--channel ${open} --name 'cyd'`);
    expect(hint).toContain(`--channel ${'0c'.repeat(16)} --name 'dan'`);
  });
});

test('a name that was not given is that of the folder, in plain letters', () => {
  expect(ownName(undefined, '/home/ann/Tide Cache (ö)')).toBe('Tide_Cache____');
  expect(ownName(undefined, `/${'x'.repeat(70)}`)).toBe('x'.repeat(60));
  expect(ownName(undefined, '/')).toBe('agent');
  expect(ownName('ann', '/home/bob')).toBe('ann');
  expect(() => ownName('', '/home/bob')).toThrow(/^parley: --name: /);
});
