import { Argument, Command, Option } from 'commander';
import { serverOption } from '../command-options.ts';

const NOTES = `
Reads the runtime's JSON on standard input and prints what that runtime expects. A runtime that has none to give sends {}.
The subject is thread/<folder> unless the JSON, --subject or $PARLEY_SUBJECT says otherwise.
What to save stands in the JSON under "state" (plain) or in the file --state names; without either nothing is written.`;

export function hookCommand(): Command {
  return new Command('hook')
    .addArgument(
      new Argument('<point>', 'where the runtime is').choices([
        'startup',
        'pre-prompt',
        'post-prompt',
        'handoff',
      ]),
    )
    .addOption(serverOption())
    .addOption(
      new Option('--for <runtime>', 'whose JSON to print')
        .choices(['plain', 'claude-code', 'codex'])
        .default('plain'),
    )
    .option('--subject <kind/id>', 'whose memory it is')
    .option('--state <file>', 'JSON of what to save; default: .parley/state.json of the folder')
    .option('--to <peer>', 'with handoff: the agent that takes over')
    .option('--note <text>', 'with handoff: what it should know')
    .option('--json', 'as it is: what is printed is JSON in any case')
    .description('read or save memory at a point of a session, for runtimes that call a command')
    .addHelpText('after', NOTES)
    .action(async (point, options) => (await import('./run.ts')).runHook(point, options));
}
