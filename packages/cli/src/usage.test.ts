import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Terminal } from './testing/run-parley.ts';

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:2';

let terminal: Terminal;

beforeAll(() => {
  terminal = new Terminal({ PARLEY_URL: NOWHERE });
});
afterAll(() => terminal.remove());

describe('parley › a wrong command line', () => {
  test.each([
    ['an unknown command', ['chanel'], "unknown command 'chanel' (Did you mean channel?)", 'parley'],
    ['an unknown option', ['channel', 'list', '--al'], "unknown option '--al'", 'parley channel list'],
    ['a slip in what all take', ['--jsno'], "unknown option '--jsno' (Did you mean --json?)", 'parley'],
    [
      'such a slip behind a command',
      ['inbox', '--porfile=x'],
      "unknown option '--porfile=x' (Did you mean --profile?)",
      'parley inbox',
    ],
    [
      'a missing argument',
      ['agent', 'register'],
      "missing required argument 'name'",
      'parley agent register',
    ],
    [
      'a missing option',
      ['memory', 'export', '--git', 'x'],
      "required option '--owner <slug>' not specified",
      'parley memory export',
    ],
  ])('with %s says so and where the help is', async (_what, args, words, command) => {
    expect(await terminal.run(args)).toEqual({
      code: 2,
      stdout: '',
      stderr: `parley: ${words}\nparley: "${command} --help" shows how\n`,
    });
  });

  test('is one JSON object on standard error with --json', async () => {
    const { code, stdout, stderr } = await terminal.run(['channel', 'dm', '--json']);
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: 'usage',
      message: "missing required argument 'to'",
      hint: '"parley channel dm --help" shows how',
    });
  });

  test('who says it stands before every failure, and in no JSON object', async () => {
    const { code, stderr } = await terminal.run(['bridge', 'status']);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^parley: no agent is set up in .*\nparley: set one up: parley bridge init --help\n$/,
    );
    const { message } = JSON.parse((await terminal.run(['bridge', 'status', '--json'])).stderr) as {
      message: string;
    };
    expect(message).toMatch(/^no agent is set up in /);
  });

  test('help is no failure', async () => {
    const { code, stdout, stderr } = await terminal.run(['channel', 'dm', '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Usage: parley channel dm');
  });
});

describe('parley › without a server', () => {
  test.each([
    [['channel', 'create'], 'agentalk: CREATE_FAILED error=network_unreachable: '],
    [['agent', 'register', 'harbour-bot'], `parley: no answer from ${NOWHERE}: `],
    [['memory', 'list', '--stdin'], `parley: no answer from ${NOWHERE}: `],
  ])('%s says why, and how to start or name one', async (args, words) => {
    const { code, stdout, stderr } = await terminal.run(args, 'ak_x');
    expect([code, stdout]).toEqual([7, '']);
    expect(stderr).toBe(
      `${words}connect ECONNREFUSED 127.0.0.1:2\n` +
        'parley: is the server running? "parley serve" starts one, --server or PARLEY_URL names another\n',
    );
  });

  test('the hint is a field with --json', async () => {
    const { stderr } = await terminal.run(['channel', 'create', '--json']);
    expect(JSON.parse(stderr)).toMatchObject({
      error: 'network_unreachable',
      hint: expect.stringContaining('parley serve') as string,
    });
  });
});

describe('parley › nothing there', () => {
  test('an empty list of channels is told to people and stays empty for scripts', async () => {
    expect(await terminal.run(['channel', 'list'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'parley: no channel is joined; "parley channel create" makes one\n',
    });
    expect(await terminal.run(['channel', 'list', '--json'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  test.each([
    [['agent', 'login', '--stdin'], 'API key'],
    [['agent', 'register', 'x', '--invite'], 'invite code'],
    [['memory', 'list', '--stdin'], 'API key'],
  ])('%s with an empty standard input names what is missing', async (args, what) => {
    expect(await terminal.run(args, '\n')).toEqual({
      code: 2,
      stdout: '',
      stderr: `parley: there is no ${what} on standard input\nparley: hand it over with a pipe: printf %s … | parley …\n`,
    });
  });
});
