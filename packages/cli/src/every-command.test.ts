import type { Argument, Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createProgram } from './main.ts';
import { runHere } from './testing/run-here.ts';
import { spelled } from './usage.ts';

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
/** Asked by shells. */
const isHidden = (command: Command): boolean => command.name().startsWith('__');

const all = leaves(createProgram())
  .filter((command) => !isHidden(command))
  .map((command) => ({
    name: spelled(command),
    words: spelled(command).split(' ').slice(1),
    command,
  }));
/** Their flags are settings of the server, which says itself what it does not know. */
const strict = all.filter(
  ({ command }) => !('_allowUnknownOption' in command && command['_allowUnknownOption']),
);

describe('every command', () => {
  test('is there', () => {
    expect(all.length).toBeGreaterThan(50);
    expect(strict.length).toBeGreaterThan(50);
  });

  test.each(all)('$name has help that ends with 0, in one sentence', async ({ words, command }) => {
    const { code, stdout, stderr } = await runHere([...words, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(command.description());
    expect(command.description()).toMatch(/^[^.]+$/);
  });

  test.each(strict)('$name tells wrong use in two lines and ends with 2', async ({ name, words }) => {
    const wrong = await runHere([...words, '--no-such-flag']);
    const own = name === 'parley channel listen' ? 1 : 2;
    expect([wrong.code, wrong.stdout]).toEqual([own, '']);
    expect(wrong.stderr).toMatch(/^parley: (?:unknown option '--no-such-flag'|required option .*)\n/);
    expect(wrong.stderr.split('\n').slice(1)).toEqual([`parley: "${name} --help" shows how`, '']);
    const json = await runHere([...words, '--json', '--no-such-flag']);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: 'usage', hint: `"${name} --help" shows how` });
  });

  test.each(all)('$name takes what all commands take', ({ command }) => {
    const flags = command.options.map(({ long }) => long);
    expect(flags).toEqual(expect.arrayContaining(['--profile', '--no-color', '--debug']));
  });

  /** A bridge is set up before it is told apart whether its server answers. */
  const callers = all.filter(
    ({ name, command }) =>
      command.options.some(({ long }) => long === '--stdin') && !name.startsWith('parley bridge'),
  );
  test.each(callers)(
    '$name says that nobody answers, what to do, and ends with 7',
    async ({ name, words, command }) => {
      const given = command.registeredArguments.filter(({ argChoices }) => !argChoices).map(sample);
      const needed = command.options
        .filter(({ mandatory }) => mandatory)
        .flatMap(({ long }) => [long ?? '', 'in 1h']);
      if (command.options.some(({ long }) => long === '--yes')) needed.push('--yes');
      // It does not ask a server to change nothing.
      if (name === 'parley remind change') needed.push('--title', 'x');
      const nowhere = ['--server', 'http://127.0.0.1:2', '--stdin'];
      const { code, stdout, stderr } = await runHere([...words, ...given, ...needed, ...nowhere], 'ak_x');
      expect([code, stdout]).toEqual([7, '']);
      expect(stderr).toMatch(
        /^parley: no answer from http:\/\/127.0.0.1:2.*\nparley: is the server running.*\n$/,
      );
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );
});

/** Something that passes the checks made before a server is called. */
function sample(argument: Argument): string {
  return argument.name() === 'subject' ? 'thread/x' : 'x';
}
