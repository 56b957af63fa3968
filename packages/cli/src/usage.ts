import { nearest } from '@parley/protocol/nearest';
import type { Command } from 'commander';
import { CliError } from './cli-error.ts';
import { GLOBAL_FLAGS } from './global-options.ts';
import { type Reporting, reportFailure } from './output.ts';

/**
 * A wrong command line is told like every other failure, with the help that fits. Commander would also end the process
 * itself; the caller may want to go on.
 */
export function reportUsage(command: Command, reporting: Reporting): void {
  command.exitOverride().configureOutput({
    outputError: (text) => {
      const said = text
        .replace(/^error: /, '')
        .trim()
        .replaceAll(/\s*\n\s*/g, ' ');
      const hint = `"${spelled(command)} --help" shows how`;
      reportFailure(new CliError('usage', `parley: ${said}${guessed(said)}`, { hint }), reporting);
    },
  });
  for (const child of command.commands) reportUsage(child, reporting);
}

/** What every command takes stands in no command's own help, so commander does not think of it. */
function guessed(said: string): string {
  const [, flag] = /^unknown option '(--[^'=]+)[^']*'$/.exec(said) ?? [];
  const guess = flag === undefined ? undefined : nearest(flag, GLOBAL_FLAGS);
  return guess === undefined ? '' : ` (Did you mean ${guess}?)`;
}

/** The command that a command line calls, and the one that lists what it is about. */
export function meantBy(program: Command, argv: readonly string[]): { command: string; lists?: string } {
  let command = program;
  for (const word of argv) {
    const child = command.commands.find((each) => each.name() === word);
    if (child) command = child;
    else if (!word.startsWith('-')) break;
  }
  const list = command.parent?.commands.find((each) => each.name() === 'list');
  return { command: spelled(command), ...(list && command.parent?.parent && { lists: spelled(list) }) };
}

/** `parley channel dm`: how a command is called. */
export function spelled(command: Command): string {
  return command.parent ? `${spelled(command.parent)} ${command.name()}` : command.name();
}
