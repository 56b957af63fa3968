import { Command, Option } from 'commander';
import { count, onServer } from '../command-options.ts';

const HELP = `
The command gets the payload on standard input and PARLEY_EXECUTION_ID, PARLEY_CUE_ID, PARLEY_TASK and PARLEY_URL as variables; no
shell reads it. It succeeds with exit code 0; the end of what it prints is kept as the result.`;

/** `parley work -- COMMAND…` */
export function workCommand(): Command {
  return onServer(new Command('work'), 'print JSON, one object for each execution')
    .argument('<command...>', 'behind --: the program and its arguments')
    .description('claim executions and run a command for each, until Ctrl+C')
    .option('--task <name>', 'only of this task')
    .addOption(
      new Option('--concurrency <number>', 'at most so many at a time; default: 1')
        .argParser(count)
        .default(1),
    )
    .option('--once', 'end after the first one')
    .option('--name <text>', 'what this worker is called; default: host and process')
    .addHelpText('after', HELP)
    .action(async (argv, options) => (await import('./worker.ts')).work(argv, options));
}
