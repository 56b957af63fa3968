import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { People } from '@parley/server/identity/testing/people';
import { startServer, type TestServer } from '@parley/server/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHere } from '../testing/run-here.ts';

describe('completion', () => {
  let server: TestServer;
  let home: string;

  beforeAll(async () => {
    server = await startServer({ rateLimits: false });
    home = mkdtempSync(join(tmpdir(), 'parley-complete-'));
    const people = new People(server);
    const { key } = await people.owner();
    for (const slug of ['ada', 'bob']) await people.peer(key, slug);
    expect((await runHere(['login', '--stdin', '--as', 'desk'], key, env())).code).toBe(0);
    expect(existsSync(join(home, '.config/parley/credentials.json'))).toBe(true);
    const cue = ['cue', 'create', 'tides', '--cron', '0 6 * * *', '--to', 'ada', '--message', 'x'];
    expect((await runHere(cue, '', env())).code).toBe(0);
  });
  afterAll(async () => {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  });

  const env = () => ({ PARLEY_URL: server.url, HOME: home });
  const offered = async (...words: string[]): Promise<string[]> => {
    const { code, stdout, stderr } = await runHere(['__complete', '--', ...words], '', env());
    expect([code, stderr]).toEqual([0, '']);
    return stdout.split('\n').slice(0, -1);
  };

  test('offers commands and flags that begin so, and nothing that is hidden', async () => {
    expect(await offered('rem')).toEqual(['remind']);
    expect(await offered('remind', '')).toEqual(
      expect.arrayContaining(['add', 'list', 'show', 'change', 'done', 'ack', 'retire']),
    );
    expect(await offered('__')).toEqual([]);
    expect(await offered('remind', 'list', '--du')).toEqual(['--due']);
    expect(await offered('remind', 'list', '--he')).toEqual(['--help']);
    // A command that takes nothing has flags only.
    expect(await offered('status', '')).toContain('--json');
  });

  test('offers choices and names, each for the argument it stands in place of', async () => {
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(await offered('completion', 'z')).toEqual(['zsh']);
    expect(await offered('cue', 'show', '')).toEqual(['tides']);
    expect(await offered('send', '')).toEqual(expect.arrayContaining(['ada', 'bob']));
    expect(await offered('send', 'a')).toEqual(['ada']);
    expect(await offered('profile', 'use', '')).toEqual(['desk']);
    // The text of a message is nobody's name.
    expect(await offered('send', 'ada', '')).toEqual([]);
  });

  test('the value of a flag is no argument, but what stands behind a flag without one is', async () => {
    expect(await offered('send', '--subject', 'tides', 'a')).toEqual(['ada']);
    expect(await offered('send', '--subject', 'a')).toEqual(['ada']);
    expect(await offered('send', '--json', 'a')).toEqual(['ada']);
    expect(await offered('send', '--json', 'ada', 'a')).toEqual([]);
    // One that takes any number of them offers more.
    expect(await offered('cue', 'remove', 'tides', 't')).toEqual(['tides']);
  });

  test('nobody who is not known is asked for names', async () => {
    const nobody = { ...env(), HOME: join(home, 'nobody') };
    expect(await runHere(['__complete', '--', 'send', ''], '', nobody)).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    const wrong = { ...env(), PARLEY_URL: 'nonsense' };
    expect(await runHere(['__complete', '--', 'send', ''], '', wrong)).toMatchObject({ code: 0, stdout: '' });
  });
});
