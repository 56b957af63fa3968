import type { Command } from 'commander';
import { CliError } from './cli-error.ts';
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
      reportFailure(new CliError('usage', `parley: ${said}`, { hint }), reporting);
    },
  });
  for (const child of command.commands) reportUsage(child, reporting);
}

/** `parley channel dm`: how a command is called. */
export function spelled(command: Command): string {
  return command.parent ? `${spelled(command.parent)} ${command.name()}` : command.name();
}
