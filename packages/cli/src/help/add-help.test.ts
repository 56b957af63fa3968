import { describe, expect, test } from 'vitest';
import { runHere } from '../testing/run-here.ts';

const ALWAYS = '0 done, 1 failed, 2 wrong use or configuration';
const ON_SERVER = `${ALWAYS}, 3 not found or gone, 4 not allowed or not logged in, 5 refused by a rule`;

const helpOf = async (...command: string[]): Promise<string> =>
  (await runHere([...command, '--help'])).stdout;

describe('the end of the help', () => {
  test('is two examples and the exit codes', async () => {
    expect(await helpOf('whoami')).toMatch(
      new RegExp(
        `\\n\\nExamples:\\n  parley whoami\\n  parley whoami --profile night --json\\n\\nExit codes: ${ON_SERVER}, 7 server unreachable\\n$`,
      ),
    );
  });

  test.each([
    ['config print', ALWAYS],
    ['profile list', ALWAYS],
    ['profile use', `${ALWAYS}, 3 not found or gone`],
    ['channel leave', `${ON_SERVER}, 7 server unreachable`],
    ['wake test', `${ON_SERVER}, 6 timed out waiting, 7 server unreachable`],
    ['login', `${ON_SERVER}, 6 timed out waiting, 7 server unreachable`],
    ['inbox', `${ON_SERVER}, 7 server unreachable, 130 Ctrl+C`],
    ['work', `${ON_SERVER}, 7 server unreachable, 130 Ctrl+C`],
    ['room watch', `${ON_SERVER}, 7 server unreachable, 130 Ctrl+C`],
    [
      'channel listen',
      '0 a message was received, 2 the timeout passed, 3 the channel is gone, 130 Ctrl+C, 1 anything else',
    ],
  ])('tells of %s how it ends: %s', async (command, codes) => {
    const help = await helpOf(...command.split(' '));
    expect(help.slice(help.indexOf('Exit codes: '))).toBe(`Exit codes: ${codes}\n`);
  });

  test('of a group is an example of each of its first two commands, and no exit codes', async () => {
    for (const [group, ...examples] of [
      ['profile', 'parley profile list', 'parley profile use night'],
      ['wake', 'parley wake test night-shift --wait 1'],
    ] as const) {
      const help = await helpOf(group);
      const lines = examples.map((example) => `  ${example}\n`).join('');
      expect(help.slice(help.indexOf('\nExamples:'))).toBe(`\nExamples:\n${lines}`);
    }
  });
});
